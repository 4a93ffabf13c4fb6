/** Shows a demo as lines of text: when, who, what. Without colour nothing is lost. */

import type { Happening } from '../../engine/client/sdk/stream.ts';
import { stripAnsi } from '../../engine/core/text/ansi.ts';
import { visibleText } from '../../engine/core/text/visible.ts';
import { callInWords } from '../../engine/run/view/words.ts';
import { type Style, styled } from '../../engine/terminal/style.ts';
import { wrapLine } from '../../engine/terminal/text.ts';

export type Speaker = 'you' | 'claude' | 'tool' | 'untildone' | 'demo';

export interface ViewOptions {
  colour: boolean;
  /** Longer lines are broken between words. */
  width: number;
  /** Paths inside are shown without it. */
  project: string;
  /** Seconds since the demo began. */
  elapsed(): number;
  out(line: string): void;
}

export interface LiveView {
  say(who: Speaker, text: string): void;
  show(happening: Happening): void;
  heading(text: string): void;
  /** Lines of another command's output; what is broken goes on `hang` columns further in. */
  quote(text: string, hang?: number): void;
  check(name: string, happened: boolean): void;
}

const TIME = 7;
const WHO = 11;
const INDENT = ' '.repeat(TIME + WHO);
const STYLES: Record<Speaker, Style> = {
  you: 'person',
  claude: 'model',
  tool: 'aside',
  untildone: 'open',
  demo: 'aside',
};

export function liveView(options: ViewOptions): LiveView {
  const { width } = options;
  const paint = (style: Style, text: string) => (options.colour ? styled(style, text) : text);
  const tools = new Map<string, string>();
  let speaker: Speaker | undefined;
  let afterBlank = false;

  const out = (line: string) => {
    if (line !== '' || !afterBlank) options.out(line);
    afterBlank = line === '';
  };
  const say = (who: Speaker, text: string) => {
    const [first = '', ...rest] = wrapped(text, width - INDENT.length);
    const name = (who === speaker ? '' : who).padEnd(WHO);
    speaker = who;
    out(`${`${options.elapsed().toFixed(1)}s`.padStart(TIME - 2)}  ${paint(STYLES[who], name)}${first}`);
    for (const line of rest) out(line === '' ? '' : INDENT + line);
  };
  const show = (happening: Happening) => {
    if (happening.kind === 'called') tools.set(happening.id, happening.tool);
    const tool = happening.kind === 'returned' ? tools.get(happening.id) : undefined;
    const row = rowOf(happening, tool, options.project);
    if (row) say(row.who, row.text);
  };
  return {
    say,
    show,
    heading: (text) => {
      speaker = undefined;
      out('');
      out(paint('bold', text));
    },
    quote: (text, hang = 0) => {
      for (const [i, line] of wrapped(text, width - 2 - hang).entries()) {
        out(line === '' ? '' : ' '.repeat(i === 0 ? 2 : 2 + hang) + line);
      }
    },
    check: (name, happened) =>
      out(`  ${happened ? paint('good', 'ok ') : paint('bad', 'NOT')}  ${plain(name)}`),
  };
}

function rowOf(
  happening: Happening,
  tool: string | undefined,
  project: string,
): { who: Speaker; text: string } | undefined {
  switch (happening.kind) {
    case 'began':
      return { who: 'demo', text: `Claude Code ${happening.clientVersion}, session ${happening.session}` };
    case 'said':
      return { who: 'claude', text: happening.text };
    case 'called':
      return { who: 'tool', text: callInWords(happening.tool, happening.input, project) };
    case 'returned': {
      const silent = !happening.failed && QUIET_TOOLS.has(tool ?? '');
      return silent ? undefined : { who: 'tool', text: usefulLines(happening.output) };
    }
    case 'held':
      return { who: 'untildone', text: `STOP HELD. Claude is told:\n${quoted(ours(happening.reason))}` };
    case 'told':
      return { who: 'untildone', text: ours(happening.text) };
    case 'finished':
      return happening.failed ? { who: 'demo', text: `the session failed: ${happening.text}` } : undefined;
  }
}

/** Tools whose results only repeat what the call says. */
const QUIET_TOOLS = new Set(['Read', 'Edit', 'Write']);

/** Quotes a reason without its blank lines, which are for the model. */
function quoted(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => `| ${line}`).join('\n');
}

function ours(text: string): string {
  return text.replace(/^untildone: /, '');
}

const SHOWN_LINES = 8;
/** How the test runner of node names its results, in each of its spellings. */
const TEST_RESULT = /^(Exit code|(not )?ok |[✔✖] |[#ℹ] (pass|fail) )/;

/** Shortens an output: keeps a short one whole, of a longer one the results of tests, or its beginning. */
export function usefulLines(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return '(no output)';
  if (lines.length <= SHOWN_LINES) return lines.join('\n');
  const results = lines.filter((line) => TEST_RESULT.test(line));
  const chosen = (results.length > 0 ? results : lines).slice(0, SHOWN_LINES);
  return [...chosen, `(${lines.length - chosen.length} more lines)`].join('\n');
}

/** Without colours, and with other control characters spelled out before the width is measured. */
function plain(text: string): string {
  return visibleText(stripAnsi(text).replaceAll('\t', '  '));
}

function wrapped(text: string, width: number): string[] {
  return plain(text)
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrapLine(line, width));
}
