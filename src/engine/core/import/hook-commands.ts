/** Tells what the command of a hook is: a plain check, a hook that answers in its own protocol, or no gate. */

import type { CheckKind } from '../commands/check-names.ts';
import { checkOf, knowsProgram } from '../commands/checks.ts';
import { baseName, type ShellCall, shellCalls } from '../shell/calls.ts';
import { simpleCommands } from '../shell/words.ts';

export type CommandRole =
  /** Every exit code but 0 is a failure. */
  | { role: 'check'; kinds: CheckKind[] }
  /** It answers as hooks do: with exit code 2, or with JSON on stdout. */
  | { role: 'protocol' }
  | { role: 'no_gate'; why: string };

/** Words that connect commands and judge nothing. */
const GLUE =
  /^(?:cd|pushd|popd|echo|printf|exit|true|:|set|export|unset|source|\.|sleep|then|else|fi|do|done)$/;
/** Programs that tell someone something, or prepare to write. */
const TELLERS =
  /^(?:say|spd-say|espeak|afplay|paplay|aplay|mpg123|osascript|notify-send|terminal-notifier|growlnotify|tput|curl|wget|http|xdg-open|open|logger|date|mkdir|touch|tee)$/;
const RECORDERS = /^(?:cat|jq|awk|sed)$/;
const INTERPRETERS = /^(?:node|deno|tsx|ts-node|python[\d.]*|ruby|perl|php|(?:ba|z|da|k)?sh)$/;
/** Filters: they succeed even when the command before them fails. */
const FILTERS = /^(?:tail|head|cat|tee|sed|awk|sort|less|more|wc|cut|tr|column|uniq)$/;
const SPEAKS = /decision|hookSpecificOutput|stopReason|stop_hook_active|systemMessage/;

export function roleOf(command: string): CommandRole {
  const calls = shellCalls(command).filter(({ program }) => program !== '');
  const working = calls.filter((call) => !isGlue(call));
  if (/(?:^|[^&>|\\])&(?![&>\d])/.test(command))
    return noGate('it runs in the background, so it cannot fail');
  if (SPEAKS.test(command)) return { role: 'protocol' };
  if (working.length === 0) {
    const refuses = calls.some(({ program, args }) => program === 'exit' && args[0] === '2');
    return refuses ? { role: 'protocol' } : noGate('it prints something, and judges nothing');
  }
  if (working.every(tells)) return noGate('it notifies someone or writes something down, and judges nothing');
  if (calls.some(readsEvent)) return { role: 'protocol' };
  const formatter = working.find(changesFiles);
  if (formatter) return noGate(`${formatter.program} changes files here; a gate only looks at them`);
  const kinds = working.map((call) => (runsOwnScript(call) ? undefined : checkOf(call)?.kind));
  if (kinds.every((kind) => kind !== undefined)) {
    const why = cannotFail(command);
    return why === undefined ? { role: 'check', kinds } : noGate(why);
  }
  const script = bookkeeper(working);
  return script === undefined
    ? { role: 'protocol' }
    : noGate(`by its name ${script} keeps records or notifies someone, and judges nothing`);
}

function noGate(why: string): CommandRole {
  return { role: 'no_gate', why };
}

function isGlue({ program, args, given }: ShellCall): boolean {
  if (FILTERS.test(program)) return given.length > 0;
  return GLUE.test(program) || (/^(?:ba|z|da)?sh$/.test(program) && args.some((word) => /^-\w*c/.test(word)));
}

/** Whether it runs a script of the project: what that checks, and how it answers, only the script knows. */
function runsOwnScript({ program, args }: ShellCall): boolean {
  return INTERPRETERS.test(program) ? !args[0]?.startsWith('-') : !knowsProgram(program);
}

function tells({ program, writes }: ShellCall): boolean {
  const isWritten = writes.some((file) => !/^&?\d$|^\/dev\//.test(file));
  return TELLERS.test(program) || (RECORDERS.test(program) && isWritten);
}

/** Whether it reads the event from its stdin. */
function readsEvent({ program, args, given }: ShellCall): boolean {
  if (args.includes('/dev/stdin')) return true;
  if (given.length > 0) return false;
  return program === 'jq' || program === 'read' || (program === 'cat' && args.every((word) => word === '-'));
}

const FORMATTERS =
  /^(?:python[\d.]* -m )?(?:black|isort)\b|^(?:cargo|ruff|go|biome|deno|dotnet) (?:fmt|format)\b/;

function changesFiles({ program, args }: ShellCall): boolean {
  if (args.some((word) => /^--(?:write|fix|in-?place)$/.test(word))) return true;
  if (/^(?:prettier|gofmt)$/.test(program) && args.includes('-w')) return true;
  const looks = args.some((word) => /^--(?:check|diff|dry-run)/.test(word));
  return !looks && FORMATTERS.test([program, ...args].join(' '));
}

/** Why a command always ends with 0, and so would always pass as a gate. */
function cannotFail(command: string): string | undefined {
  const excused = /(?:\|\||;)\s*(true|:|exit 0)\s*[;)}]*\s*$/.exec(command)?.[1];
  if (excused !== undefined)
    return `it always succeeds ("${excused}" at its end), so it never held a session`;
  const last = simpleCommands(command).at(-1);
  const filter = baseName(last?.words[0] ?? '');
  if (!last?.piped || !FILTERS.test(filter)) return undefined;
  return `its exit code is that of "${filter}", so it never held a session: name the check without the pipe as a gate`;
}

const JUDGING_WORDS =
  /^(?:check|checks|validate|validator|verify|test|tests|lint|gate|guard|enforce|ensure|require|quality|review)$/;
const RECORD_WORDS =
  /^(?:memory|notify|notification|notifications|notifier|sound|sounds|tts|speak|bell|log|logs|logger|logging|metrics|telemetry|analytics|backup|cleanup|history)$/;
export const SCRIPT = /\.(?:py|sh|bash|js|mjs|cjs|ts|rb|pl)$/;

/** The script whose name says that it keeps records, such as `update_memory.py`. */
function bookkeeper(working: readonly ShellCall[]): string | undefined {
  const names = working.flatMap(({ program, args }) =>
    [program, ...args].filter((word) => SCRIPT.test(word)).map(baseName),
  );
  const keeps = (name: string) => {
    const words = name
      .toLowerCase()
      .replace(SCRIPT, '')
      .split(/[^a-z]+/);
    return words.some((word) => RECORD_WORDS.test(word)) && !words.some((word) => JUDGING_WORDS.test(word));
  };
  return names.length > 0 && names.every(keeps) ? names[0] : undefined;
}

/** The notes that a command prints: `cat docs/plans/*\/MEMORY.md | head -100`; undefined when it does anything else. */
export function printedNotes(command: string): { files: string[]; lines?: number } | undefined {
  const calls = shellCalls(command).filter(({ program }) => program !== '');
  const reads = calls.filter(({ program }) => /^(?:cat|head|tail)$/.test(program));
  const others = calls.filter((call) => !reads.includes(call) && !isGlue(call));
  if (reads.length === 0 || others.some(({ program }) => !/^(?:test|\[)$/.test(program))) return undefined;
  const files = reads.flatMap(({ args }) => args.filter((word) => !/^-|^\d+$/.test(word))).map(inProject);
  const usable = files.every(
    (file) => /^[^/~$\\]/.test(file) && !file.includes('..') && /\.(?:md|markdown|txt)$/i.test(file),
  );
  if (!usable || !files.some((file) => /memory/i.test(baseName(file)))) return undefined;
  const bounds = reads.flatMap(({ program, args }) => (program === 'cat' ? [] : [countIn(args)]));
  const lines = Math.min(...bounds.filter((count) => count > 0));
  return { files: [...new Set(files)], lines: Number.isFinite(lines) ? lines : undefined };
}

function countIn(args: readonly string[]): number {
  const words = args.join(' ');
  return Number(/(?:^|\s)-(?:n\s*|-lines[= ])?(\d+)/.exec(words)?.[1] ?? 0);
}

/** Replaces `$CLAUDE_PROJECT_DIR` by `.`, because gates run in the folder of the project. */
export function inProject(text: string): string {
  const variable = /\$(?:CLAUDE_PROJECT_DIR\b|\{CLAUDE_PROJECT_DIR\})/;
  return text
    .replace(new RegExp(`"(${variable.source})"`, 'g'), '$1')
    .replace(new RegExp(`^\\s*cd\\s+${variable.source}\\s*(?:&&|;)\\s*`), '')
    .replace(new RegExp(`(?:${variable.source})/\\./|(?:${variable.source})/(?=\\.)`, 'g'), '')
    .replace(new RegExp(variable.source, 'g'), '.');
}
