/** The rows of `setup`: one for each step, with its time while it runs. */
import { oneLine } from '../../engine/core/text/clip.ts';
import { paint, type Style, VERDICT_STYLES } from '../../engine/terminal/style.ts';
import type { TrialSteps, TriedGate } from './gates-now.ts';
import { notClean } from './words.ts';

export interface RowsTerminal {
  out(line: string): void;
  /** Shows a line that the next one takes the place of; empty: it goes. Absent: there is no such line. */
  live?(line: string): void;
}

const NAME_WIDTH = 24;
const EVIDENCE_LINES = 3;
/** Without a live line, a step that takes longer says that it runs. */
const SILENT_MS = 2_000;
const BEAT_MS = 200;
const INSTALL = 'install';

export interface Rows extends TrialSteps {
  /** Ends what runs by time. */
  close(): void;
}

export function rowsOn({ out, live }: RowsTerminal, names: readonly string[]): Rows {
  const width = Math.min(NAME_WIDTH, Math.max(INSTALL.length, ...names.map((name) => name.length)));
  let beat: NodeJS.Timeout | undefined;
  const close = () => {
    clearInterval(beat);
    beat = undefined;
    live?.('');
  };
  const begin = (name: string, what: string) => {
    close();
    const began = performance.now();
    const show = (print: (line: string) => void) =>
      print(row(undefined, '...', name, width, performance.now() - began, what));
    if (live) {
      show(live);
      beat = setInterval(() => show(live), BEAT_MS);
    } else beat = setTimeout(() => show(out), SILENT_MS);
    beat.unref();
  };
  return {
    close,
    installs: (commands) => begin(INSTALL, commands.join(' && ')),
    installed(ms, problem) {
      close();
      const style: Style = problem === undefined ? 'good' : 'bad';
      out(row(style, problem === undefined ? 'ok' : 'failed', INSTALL, width, ms, problem ?? ''));
    },
    goesOn(why) {
      close();
      out(`${paint('open', 'Note:')} ${notClean(why)}. The next best is tried.`);
    },
    runs: (gate, command) => begin(gate, command ?? ''),
    judged(gate) {
      close();
      // A gate that had nothing to run, or to look at yet, is named where the contract is.
      const isQuiet = gate.outcome === 'skip' || (gate.outcome === 'pass' && gate.ms === undefined);
      if (!isQuiet) for (const line of gateLines(gate, width)) out(line);
    },
  };
}

/** The row of a gate that was judged, and below it what fails first. */
export function gateLines(
  { name, outcome, summary, evidence, ms, tests }: TriedGate,
  width: number,
): string[] {
  const style = outcome ? VERDICT_STYLES[outcome] : 'quiet';
  const counted = outcome === 'pass' && tests ? `, ${tests.tests.size} tests` : '';
  const isOpen = outcome === 'fail' || outcome === 'unproven';
  return [
    row(style, outcome ?? '-', name, width, ms, `${summary}${counted}`),
    ...(isOpen
      ? evidence.slice(0, EVIDENCE_LINES).map((line) => `${' '.repeat(13)}${oneLine(line, 200)}`)
      : []),
  ];
}

function row(
  style: Style | undefined,
  mark: string,
  name: string,
  width: number,
  ms: number | undefined,
  what: string,
): string {
  const time = ms === undefined ? '' : `${(ms / 1000).toFixed(1)} s`;
  return `  ${style ? paint(style, mark.padEnd(8)) : mark.padEnd(8)} ${name.padEnd(width)} ${time.padStart(8)}  ${what}`.trimEnd();
}
