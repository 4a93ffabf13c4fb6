/** Tells what the command of a hook is: a plain check, a hook that answers in its own protocol, or no gate. */
import { baseName, type ShellCall, shellCalls } from '../shell/calls.ts';
import { simpleCommands } from '../shell/words.ts';

export type CommandRole =
  /** Every exit code but 0 is a failure. */
  | { role: 'check' }
  /** It answers as hooks do: with exit code 2, or with JSON on stdout. */
  | { role: 'protocol' }
  | {
      role: 'no_gate';
      why: string;
      /** It only tells someone something, and needs nothing on stdin for that. */
      notifies?: true;
    };

const CHECKS =
  /^(?:npm|pnpm|yarn|bun|deno|nx|turbo|jest|vitest|mocha|ava|playwright|cypress|tsc|vue-tsc|eslint|biome|prettier|stylelint|oxlint|pytest|tox|nox|ruff|mypy|pyright|flake8|pylint|black|isort|bandit|unittest|uv|poetry|pipenv|hatch|make|gmake|just|cmake|ctest|ninja|bazel|cargo|go|gofmt|golangci-lint|staticcheck|gradle|gradlew|mvn|mvnw|sbt|dotnet|swift|xcodebuild|rake|rspec|rubocop|bundle|phpunit|phpstan|composer|mix|cabal|stack|shellcheck|hadolint|tflint|terraform|pre-commit|lefthook)$/;
/** Words that connect commands and judge nothing. */
const GLUE =
  /^(?:cd|pushd|popd|echo|printf|exit|true|:|set|export|unset|source|\.|sleep|then|else|fi|do|done)$/;
const TELLERS =
  /^(?:say|spd-say|espeak|afplay|paplay|aplay|mpg123|osascript|notify-send|terminal-notifier|growlnotify|tput|curl|wget|http|xdg-open|open|logger|date)$/;
const RECORDERS = /^(?:cat|tee|jq|date|mkdir|touch|awk|sed)$/;
/** Filters: they succeed even when the command before them fails. */
const FILTERS = /^(?:tail|head|cat|tee|sed|awk|sort|less|more|wc|cut|tr|column|uniq)$/;
const PYTHONS = /^python[\d.]*$/;
const SPEAKS = /decision|hookSpecificOutput|stopReason|stop_hook_active|systemMessage/;

export function roleOf(command: string): CommandRole {
  const calls = shellCalls(command).filter(({ program }) => program !== '');
  const working = calls.filter((call) => !isGlue(call));
  if (/(?:^|[^&>|\\])&(?![&>\d])/.test(command))
    return noGate('it runs in the background, so it cannot fail');
  if (SPEAKS.test(command)) return { role: 'protocol' };
  if (working.length === 0)
    return refusesAlone(calls) ? { role: 'protocol' } : noGate('it prints something, and judges nothing');
  if (isRecord(working)) return noGate('it writes something down, and judges nothing');
  if (working.every(({ program }) => TELLERS.test(program)))
    return { ...noGate('it notifies someone, and judges nothing'), notifies: true };
  if (calls.some(readsEvent)) return { role: 'protocol' };
  if (working.every(isCheck)) return roleOfCheck(command, working);
  const script = bookkeeper(working);
  return script === undefined
    ? { role: 'protocol' }
    : noGate(`by its name ${script} keeps records or notifies someone, and judges nothing`);
}

function noGate(why: string): Extract<CommandRole, { role: 'no_gate' }> {
  return { role: 'no_gate', why };
}

function isGlue({ program, args, given }: ShellCall): boolean {
  if (FILTERS.test(program)) return given.length > 0;
  return GLUE.test(program) || (/^(?:ba|z|da)?sh$/.test(program) && args.some((word) => /^-\w*c/.test(word)));
}

/** `echo "not yet" >&2; exit 2` */
function refusesAlone(calls: readonly ShellCall[]): boolean {
  return calls.some(({ program, args }) => program === 'exit' && args[0] === '2');
}

function isRecord(working: readonly ShellCall[]): boolean {
  return (
    working.every(({ program }) => RECORDERS.test(program)) &&
    working.some(
      ({ program, writes }) => writes.some((file) => !/^&?\d$|^\/dev\//.test(file)) || program === 'tee',
    )
  );
}

/** Whether it reads the event from its stdin. */
function readsEvent({ program, args, given }: ShellCall): boolean {
  if (args.some((word) => word === '/dev/stdin')) return true;
  if (given.length > 0) return false;
  return program === 'jq' || program === 'read' || (program === 'cat' && args.every((word) => word === '-'));
}

function isCheck({ program, args }: ShellCall): boolean {
  if (PYTHONS.test(program)) return args[0] === '-m' && CHECKS.test(args[1] ?? '');
  if (program === 'node') return args[0] === '--test';
  return CHECKS.test(program);
}

function roleOfCheck(command: string, working: readonly ShellCall[]): CommandRole {
  const formatter = working.find(changesFiles);
  if (formatter) return noGate(`${formatter.program} changes files here; a gate only looks at them`);
  const why = cannotFail(command);
  if (why !== undefined) return noGate(why);
  return refusesBesides(command) ? { role: 'protocol' } : { role: 'check' };
}

function changesFiles({ program, args }: ShellCall): boolean {
  const words = PYTHONS.test(program) ? args.slice(1) : [program, ...args];
  const [tool = '', first = ''] = words;
  if (words.some((word) => /^--(?:write|fix|in-?place)$/.test(word))) return true;
  if (tool === 'gofmt' || tool === 'prettier') return words.includes('-w');
  const looks = words.some((word) => /^--(?:check|diff|dry-run)/.test(word));
  if (tool === 'black' || tool === 'isort') return !looks;
  return (
    ['cargo', 'ruff', 'go', 'biome', 'deno', 'dotnet'].includes(tool) &&
    /^(?:fmt|format)$/.test(first) &&
    !looks
  );
}

/** The check that goes with a formatter: `prettier --write .` gives `prettier --check .`. Only for whole commands. */
export function checkInstead(command: string): string | undefined {
  const [only, ...more] = simpleCommands(command);
  const words = only && more.length === 0 ? only.words : [];
  // What depends on the event, such as the edited file, cannot be said for the whole project.
  if (words.length === 0 || words.some((word) => /[$`\s"']/.test(word))) return undefined;
  const at = words.findIndex((word) => CHECKED_BY.some(([tool]) => tool.test(baseName(word))));
  const check = CHECKED_BY.find(([tool]) => tool.test(baseName(words[at] ?? '')))?.[1];
  const rest = words.slice(at + 1).filter((word) => !/^(?:-w|--write|--fix)$/.test(word));
  if (check === undefined || words.includes(check)) return undefined;
  const place = /^(?:fmt|format)$/.test(rest[0] ?? '') ? 1 : 0;
  const checked = check === '' ? rest : rest.toSpliced(place, 0, check);
  return [...words.slice(0, at + 1), ...checked].join(' ');
}

/** Formatters, with the option that makes them only look; empty: without the option that changes files they do. */
const CHECKED_BY: readonly [tool: RegExp, option: string][] = [
  [/^(?:prettier|black|isort)$/, '--check'],
  [/^(?:ruff|cargo)$/, '--check'],
  [/^(?:eslint|stylelint|biome|oxlint)$/, ''],
];

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

/** Whether there is an `exit 2` that is not after `||`: then it says more than that a check failed. */
function refusesBesides(command: string): boolean {
  return [...command.matchAll(/\bexit\s+2\b/g)].some(({ index }) => {
    const before = command.slice(0, index);
    return before.lastIndexOf('||') <= Math.max(before.lastIndexOf('&&'), before.lastIndexOf('then'), -1);
  });
}

const JUDGING_WORDS =
  /^(?:check|checks|validate|validator|verify|test|tests|lint|gate|guard|enforce|ensure|require|quality|review)$/;
const RECORD_WORDS =
  /^(?:memory|notify|notification|notifications|notifier|sound|sounds|tts|speak|bell|log|logs|logger|logging|metrics|telemetry|analytics|backup|cleanup|history)$/;

/** The script whose name says that it keeps records, such as `update_memory.py`. */
function bookkeeper(working: readonly ShellCall[]): string | undefined {
  const names = working.flatMap(({ program, args }) =>
    [program, ...args].filter((word) => /\.(?:py|sh|bash|js|mjs|cjs|ts|rb|pl)$/.test(word)).map(baseName),
  );
  const wordsOf = (name: string) =>
    name
      .toLowerCase()
      .replace(/\.\w+$/, '')
      .split(/[^a-z]+/);
  const keeps = (name: string) =>
    wordsOf(name).some((word) => RECORD_WORDS.test(word)) &&
    !wordsOf(name).some((word) => JUDGING_WORDS.test(word));
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
