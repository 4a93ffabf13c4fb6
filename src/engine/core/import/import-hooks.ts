import type { CheckKind } from '../commands/check-names.ts';
import type { GateKind } from '../contract/gate-options.ts';
import { MEMORY_LINES, MEMORY_SOURCES } from '../loop/notes.ts';
import { baseName, shellCalls } from '../shell/calls.ts';
import { inProject, printedNotes, roleOf, SCRIPT } from './hook-commands.ts';

/** Makes gates of a contract from hooks in the settings of Claude Code. */

/** A hook in a settings file that is not untildone's. */
export interface ForeignHook {
  event: string;
  /** Empty when absent. */
  matcher: string;
  type: string;
  command?: string;
  prompt?: string;
  model?: string;
  /** As written. */
  timeout?: number;
  /** Claude Code does not wait for it. */
  background: boolean;
  /** `if`. */
  condition?: string;
  /** The settings file, as it is shown. */
  place: string;
}

/** A gate as it is written in a contract. */
export type WrittenGate = Record<string, string | number | boolean>;

interface WrittenMemory {
  files: string[];
  lines?: number;
  inject?: string[];
  update: boolean;
}

/** What is to be added to a contract. */
export interface Additions {
  gates: Record<string, WrittenGate>;
  everyStop: string[];
  subagent: Record<string, string[]>;
  memory?: WrittenMemory;
}

interface Import<Hook extends ForeignHook = ForeignHook> extends Additions {
  /** What becomes of every hook, in the order they were found. */
  fates: Fate<Hook>[];
}

export interface Fate<Hook extends ForeignHook = ForeignHook> {
  hook: Hook;
  /** The gate or the key of the contract that replaces it; absent: the hook stays. */
  becomes?: string;
  /** Why it stays, or what is different now. */
  notes: string[];
}

/** Plans the import. `known` are the gates of the existing contract: a gate that does the same is not added again. */
export function importHooks<Hook extends ForeignHook>(
  hooks: readonly Hook[],
  known: Readonly<Record<string, WrittenGate>> = {},
): Import<Hook> {
  const plan: Import<Hook> = { gates: {}, everyStop: [], subagent: {}, fates: [] };
  for (const hook of hooks) plan.fates.push({ hook, ...fateOf(hook, plan, known) });
  const updates = hooks.some((hook) => /Stop$/.test(hook.event) && /memory/i.test(hook.command ?? ''));
  if (plan.memory) plan.memory = { ...plan.memory, update: updates };
  return plan;
}

type FateOnly = Omit<Fate, 'hook'>;

function fateOf(hook: ForeignHook, plan: Additions, known: Readonly<Record<string, WrittenGate>>): FateOnly {
  const stays = (why: string): FateOnly => ({ notes: [why] });
  if (hook.event === 'SessionStart') return memoryFate(hook, plan);
  if (!/^(?:Stop|SubagentStop)$/.test(hook.event)) return otherFate(hook);
  if (hook.background) return stays('it runs in the background, so it holds no session');
  if (hook.condition !== undefined)
    return stays(`a hook of ${hook.event} with "if" is never run by Claude Code`);
  const format = hook.event === 'Stop' ? formatDrivenBy(hook.command ?? '') : undefined;
  if (format !== undefined)
    return stays(
      `untildone works with the files of ${format} itself: remove this hook, or both count every stop`,
    );
  const written = writtenGate(hook);
  if ('why' in written) return stays(written.why);
  const name = addGate(written, plan, known);
  const notes = [...written.notes];
  if (hook.event === 'Stop') add(plan.everyStop, name);
  else notes.push(...guardSubagents(hook.matcher, name, plan));
  return { becomes: name, notes };
}

function addGate(written: Written, plan: Additions, known: Readonly<Record<string, WrittenGate>>): string {
  const name = nameOf(written, plan, known);
  if (!Object.hasOwn(known, name)) plan.gates[name] ??= written.gate;
  return name;
}

function add(names: string[], name: string): void {
  if (!names.includes(name)) names.push(name);
}

interface Written {
  gate: WrittenGate;
  /** The key of `gate` that says what is judged. */
  kind: GateKind;
  /** The name it should have if that is free. */
  name: string;
  notes: string[];
}

function writtenGate(hook: ForeignHook): Written | { why: string } {
  const time = timeoutOf(hook.timeout);
  switch (hook.type) {
    case 'command':
      return commandGate(hook, time);
    case 'prompt':
    case 'agent': {
      const text = (hook.prompt ?? '').replace(/(?<!\s)\s*\$ARGUMENTS\b\s*/g, ' ').trim();
      if (text === '') return { why: 'its prompt is empty' };
      const asks = hook.type === 'prompt';
      const gate: WrittenGate = {
        ...(asks ? { judge: text, transcript: true } : { agent: text }),
        ...(hook.model === undefined ? {} : { model: hook.model }),
        ...time.option,
        on_unproven: 'allow',
      };
      const sees = asks ? 'the diff and the end of the conversation' : 'a copy of the work';
      const notes = [...time.notes, `the model sees ${sees}`];
      return asks
        ? { gate, kind: 'judge', name: 'review', notes }
        : { gate, kind: 'agent', name: 'proof', notes };
    }
    default:
      return { why: `there is no gate for a hook of the type "${hook.type}"` };
  }
}

function commandGate(hook: ForeignHook, time: Time): Written | { why: string } {
  const command = hook.command?.trim() ?? '';
  if (command === '') return { why: 'its command is empty' };
  const role = roleOf(command);
  if (role.role === 'no_gate') return { why: role.why };
  const line = inProject(command);
  if (role.role === 'check') {
    const note = 'every exit code but 0 fails now; as a hook it held only on exit code 2';
    const notes = [...time.notes, note];
    return { gate: { run: line, ...time.option }, kind: 'run', name: checkName(role.kinds), notes };
  }
  const note = 'it is told that no hook is active (stop_hook_active: false), and judges every time';
  const gate = { hook: line, ...time.option, on_unproven: 'allow' };
  return { gate, kind: 'hook', name: scriptName(line), notes: [...time.notes, note] };
}

interface Time {
  option: { timeout?: string };
  notes: string[];
}

/** The timeout of a hook, in seconds. Round thousands are taken for milliseconds, a common mistake. */
function timeoutOf(written: number | undefined): Time {
  if (written === undefined || !Number.isFinite(written) || written <= 0) return { option: {}, notes: [] };
  const isMistake = written >= 10_000 || (written >= 1000 && written % 1000 === 0);
  const seconds = Math.max(1, Math.round(isMistake ? written / 1000 : written));
  const option = { timeout: seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s` };
  if (!isMistake) return { option, notes: [] };
  const note = `its timeout of ${written} would be ${written} seconds: taken for milliseconds, ${option.timeout}`;
  return { option, notes: [note] };
}

/** What checks of one kind are called; of several kinds they are `checks`. */
function checkName(kinds: readonly CheckKind[]): string {
  const [only, ...more] = new Set(kinds);
  return only === undefined || only === 'all' || more.length > 0 ? 'checks' : only;
}

/** The name of the script, where there is one. */
function scriptName(command: string): string {
  const words = shellCalls(command).flatMap(({ program, args }) => [program, ...args]);
  const script = words.find((word) => SCRIPT.test(word)) ?? words[0] ?? 'hook';
  return asName(baseName(script).replace(/\.\w+$/, ''));
}

function asName(text: string): string {
  const name = text
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 200)
    .replace(/[-._]+$/, '')
    .slice(0, 40);
  return name === '' || name in {} ? 'hook' : name;
}

/** The name of a gate that does the same, otherwise a free name. */
function nameOf(
  { gate, kind, name }: Written,
  plan: Additions,
  known: Readonly<Record<string, WrittenGate>>,
): string {
  const all = { ...known, ...plan.gates };
  const same = Object.entries(all).find(([, other]) => gate[kind] === other[kind]);
  if (same) return same[0];
  let free = name;
  for (let number = 2; Object.hasOwn(all, free); number++) free = `${name}-${number}`;
  return free;
}

/** Puts a gate under the types of a matcher. A matcher is a regular expression; a contract knows only `*`. */
function guardSubagents(matcher: string, name: string, plan: Additions): string[] {
  const types =
    matcher.trim() === '' ? ['*'] : matcher.split('|').map((type) => type.trim().replaceAll('.*', '*'));
  const plain = types.every((type) => /^[\w:*-]{1,100}$/.test(type) && type.split('*').length <= 4);
  for (const type of plain ? types : ['*']) {
    const names = plan.subagent[type] ?? [];
    add(names, name);
    plan.subagent[type] = names;
  }
  return plain ? [] : [`its matcher "${matcher}" cannot be written in a contract: it guards every subagent`];
}

/** Where the contract says what untildone does at events that it judges no gates at. */
const KEYS: Readonly<Record<string, string>> = {
  PreToolUse: 'tools',
  UserPromptSubmit: 'prompt',
  Notification: 'notify',
};

/** A hook of an event at which no gate is judged. */
function otherFate({ event }: ForeignHook): FateOnly {
  const key = KEYS[event];
  const instead = key === undefined ? '' : `. What the contract can do there is under "${key}"`;
  return { notes: [`no gate is judged at ${event}: it stays with your own hooks${instead}`] };
}

function memoryFate({ type, command, matcher, background }: ForeignHook, plan: Additions): FateOnly {
  const notes = type === 'command' && !background ? printedNotes(command ?? '') : undefined;
  if (!notes) return { notes: ['it sets up the session: that stays with your own hooks'] };
  const sources = matcher.split('|').map((source) => source.trim());
  const known = MEMORY_SOURCES.filter((source) => sources.includes(source));
  const before = plan.memory;
  const files = [...new Set([...(before?.files ?? []), ...notes.files])];
  const lines = Math.max(before?.lines ?? 0, notes.lines ?? MEMORY_LINES);
  // A hook without sources runs at every session start.
  const inject =
    (before && !before.inject) || known.length === 0
      ? undefined
      : [...new Set([...(before?.inject ?? []), ...known])];
  plan.memory = { files, lines, inject, update: false };
  return { becomes: 'memory', notes: [`at most ${lines} lines and 8000 characters, the newest file first`] };
}

/** Ends the name of a script in a command. */
const END = String.raw`(?=$|[\s"';&|)])`;

/** Stop hooks of the foreign formats that untildone takes up itself. With both, every stop would count twice. */
const HOOKS: readonly [format: string, script: RegExp][] = [
  [
    'feature-list',
    new RegExp(String.raw`(?:^|[\s"'/])ralph[_-]loop[_-]controller\.(?:py|sh|[cm]?js|ts)${END}`),
  ],
  ['verified-done', new RegExp(String.raw`(?:^|[\s"'/])ralph-stop-quality-gate\.sh${END}`)],
  ['lock', new RegExp(String.raw`\bamplihack/hooks/stop\.py${END}`)],
  ['ralph-loop', new RegExp(String.raw`\bralph-(?:loop|wiggum)/(?:[\w.-]+/)*hooks/stop-hook\.sh${END}`)],
];

/** The format whose loop the command of a Stop hook drives. */
export function formatDrivenBy(command: string): string | undefined {
  return HOOKS.find(([, script]) => script.test(command))?.[0];
}

/** Whether a plugin (`name@marketplace`, as in `enabledPlugins`) is a ralph-loop plugin. */
export function drivesRalphLoop(plugin: string): boolean {
  return /^ralph-(?:loop|wiggum)@/.test(plugin);
}
