import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { prepareHome } from '../../engine/client/settings/files.ts';
import { renderPromise } from '../../engine/core/loop/promise.ts';
import { hasEnded } from '../../engine/core/loop/state.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { writeNew } from '../../engine/files/whole-file.ts';
import { RALPH_FILE, SAFETY_STOP } from '../../engine/formats/ralph-loop/index.ts';
import { parseState, renderState } from '../../engine/formats/ralph-loop/state-file.ts';
import { claimFiles } from '../../engine/home/claims.ts';
import { filesLock } from '../../engine/home/layout.ts';
import { thisProgram } from '../../engine/home/program.ts';
import { checkedPromise, ownerFrom } from '../../engine/hook/start/inputs.ts';
import { warnWithoutHooks } from '../../engine/hook/start/installed-hooks.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { openProject, type ProjectPorts, placeHere } from '../../engine/hook/wiring/project-ports.ts';
import { applyChanges, foreignFiles } from '../../engine/project/files.ts';
import { out } from '../../engine/terminal/print.ts';

/** `untildone ralph-loop`. */
export function ralphLoop(_words: string[], _flags: unknown, command: Command): void {
  const args = parseRalphArguments(wordsAfter(command));
  const session = ownerFrom(args.session, process.env);
  const world = openProject(session);
  if (session !== process.env.CLAUDE_CODE_SESSION_ID)
    refuseInsideClient('ralph-loop --session', world.home, process.env);
  prepareHome(world.home.root, thisProgram());
  const { folder } = placeHere(world, session);
  startRalph(args, { session, folder }, world.clock.now(), out);
  warnWithoutHooks({ project: folder, session }, world, out);
}

/** `untildone cancel-ralph`. */
export function cancelHere(): void {
  const world = openProject();
  const session = process.env.CLAUDE_CODE_SESSION_ID;
  cancelRalph(world, { session, folder: placeHere(world, session).folder }, out);
}

/** Returns the arguments as they were typed, `--` included. */
function wordsAfter(command: Command): string[] {
  const typed = (command.parent as (Command & { rawArgs?: string[] }) | null)?.rawArgs ?? [];
  const at = typed.indexOf(command.name());
  return at < 0 ? command.args : typed.slice(at + 1);
}

/** Writes the state file that the hook obeys. Never overwrites one. */
export function startRalph(
  args: RalphArguments,
  owner: { session: string; folder: string },
  now: number,
  out: (line: string) => void,
): void {
  const promise =
    args.promise === undefined ? undefined : checkedPromise(args.promise, '--completion-promise');
  if (promise === 'null') {
    throw new UsageError(
      '"null" means that there is no promise; leave --completion-promise out, or state something',
    );
  }
  const path = join(owner.folder, RALPH_FILE);
  refuseSecond(path, owner.session);
  const text = renderState(
    [
      ['active', 'true'],
      ['iteration', '1'],
      ['session_id', owner.session],
      ['max_iterations', String(args.maxIterations)],
      ['completion_promise', promise === undefined ? 'null' : `"${promise}"`],
      ['started_at', `"${new Date(now).toISOString()}"`],
      ...(args.safetyStop ? [] : ([['safety_stop', 'off']] as const)),
    ],
    args.prompt,
  );
  mkdirSync(dirname(path), { recursive: true });
  if (!writeNew(path, text, 0o644)) refuseSecond(path, owner.session);
  for (const line of startWords(args, promise, path)) out(line);
}

function refuseSecond(path: string, session: string): void {
  const file = foreignFiles.read(path);
  if (file.kind === 'none') return;
  if (file.kind === 'unusable') throw new UsageError(`${file.problem}; remove it, then type this again`);
  const owner = parseState(file.text)?.fields.get('session_id');
  const whose = owner === session ? 'this session' : owner ? `session ${owner}` : 'no session';
  throw new UsageError(
    `${path} holds a loop of ${whose} already; end that one first: untildone cancel-ralph`,
  );
}

function startWords(args: RalphArguments, promise: string | undefined, path: string): string[] {
  const { maxIterations, safetyStop } = args;
  const limit =
    maxIterations > 0
      ? `at most ${maxIterations} iterations`
      : safetyStop
        ? `no limit set; the safety stop ends it after ${SAFETY_STOP} iterations`
        : 'no limit, and no safety stop';
  return [
    `Ralph loop started: ${path} (${limit}).`,
    promise === undefined
      ? 'No completion promise: only a limit or untildone cancel-ralph ends it.'
      : `It ends when your final message ends with this line alone, and that only when it is true: ${renderPromise(promise)}`,
    '',
    args.prompt,
  ];
}

/** Ends the ralph loop and removes its state file. A session may end its own loop only, as with the plugin. */
export function cancelRalph(
  { home, store }: Pick<ProjectPorts, 'home' | 'store'>,
  caller: { session: string | undefined; folder: string },
  out: (line: string) => void,
): void {
  const path = join(caller.folder, RALPH_FILE);
  const file = foreignFiles.read(path);
  if (file.kind === 'none') {
    out('No active Ralph loop found.');
    return;
  }
  if (file.kind === 'unusable') throw new UsageError(`${file.problem}; look at it and remove it yourself`);
  const fields = parseState(file.text)?.fields;
  const owner = fields?.get('session_id') ?? '';
  if (caller.session !== undefined && owner !== '' && owner !== caller.session) {
    throw new UsageError(
      `the loop in ${path} belongs to session ${owner}: end it there, or from a terminal of your own`,
    );
  }
  const loopDir = claimFiles(home).of(path)?.loopDir;
  const ref = loopDir === undefined ? undefined : { loop: '', dir: loopDir };
  if (ref && !hasEnded(store.read(ref))) {
    const after = store.append(ref, () => ({
      kind: 'withdrawn',
      cause: 'state_removed',
      detail: 'untildone cancel-ralph was called',
    }));
    store.mark(after.session, false);
  }
  const kept = ref
    ? [{ kind: 'copy' as const, from: path, to: join(ref.dir, 'ralph-loop.local.md'), maxBytes: 2 ** 24 }]
    : [];
  const problems = applyChanges([...kept, { kind: 'remove', path }], filesLock(home));
  if (problems.length > 0) throw new UsageError(problems.join('; '));
  out(`Cancelled Ralph loop (was at iteration ${fields?.get('iteration') ?? 'unknown'}).`);
}

interface RalphArguments {
  prompt: string;
  /** 0 means unlimited, as in the plugin. */
  maxIterations: number;
  promise?: string;
  session?: string;
  /** False: `max_iterations: 0` has no safety stop. */
  safetyStop: boolean;
}

const USAGE =
  'untildone ralph-loop "what is to be done" [--max-iterations N] [--completion-promise TEXT] [--no-safety-stop]';

const NO_SAFETY_STOP = '--no-safety-stop';
/** Flags that take a value: those of the plugin, and `--session`. */
const WITH_VALUE = ['--max-iterations', '--completion-promise', '--session'];

/**
 * Parses the arguments of `/ralph-loop`, quoted or not. A promise of several words without quotes is taken whole when it
 * follows the prompt. Before the prompt it is one word, for nothing tells where it ends.
 */
export function parseRalphArguments(args: readonly string[]): RalphArguments {
  const { words, flags } = splitArguments(args);
  const prompt = words.join(' ').trim();
  if (prompt === '') throw new UsageError(`the prompt is missing; type: ${USAGE}`);
  return {
    prompt,
    maxIterations: countOf(flags.get('--max-iterations') ?? '0'),
    safetyStop: !flags.has(NO_SAFETY_STOP),
    promise: flags.get('--completion-promise'),
    session: flags.get('--session'),
  };
}

/** Takes the words of the prompt and the flags, with their values, apart. */
function splitArguments(args: readonly string[]): { words: string[]; flags: Map<string, string> } {
  const words: string[] = [];
  const flags = new Map<string, string>();
  let left = args;
  while (left.length > 0) {
    const [arg = '', ...rest] = left;
    if (arg === '--') return { words: [...words, ...rest], flags };
    const [flag, inline] = splitFlag(arg);
    refuseUnknown(flag, inline, arg);
    const takesNext = WITH_VALUE.includes(flag) && inline === undefined;
    const taken = takesNext ? takenBy(flag, rest, words.length > 0) : [];
    if (isFlag(flag)) flags.set(flag, inline ?? taken.join(' '));
    else words.push(arg);
    left = rest.slice(taken.length);
  }
  return { words, flags };
}

function isFlag(word: string): boolean {
  return word === NO_SAFETY_STOP || WITH_VALUE.includes(word);
}

function refuseUnknown(flag: string, inline: string | undefined, arg: string): void {
  if (flag === NO_SAFETY_STOP && inline !== undefined)
    throw new UsageError(`${NO_SAFETY_STOP} takes no value; leave it out to keep the safety stop`);
  if (!isFlag(flag) && /^--[a-z]/.test(arg) && !/\s/.test(arg))
    throw new UsageError(
      `unknown flag ${flag}; type: ${USAGE} (a prompt that begins with -- stands behind --)`,
    );
}

function splitFlag(arg: string): [string, string?] {
  const at = arg.indexOf('=');
  return arg.startsWith('--') && at > 0 ? [arg.slice(0, at), arg.slice(at + 1)] : [arg];
}

/** The words behind a flag that are its value. */
function takenBy(flag: string, rest: readonly string[], promptBefore: boolean): readonly string[] {
  const end = rest.findIndex((arg) => /^--([a-z]|$)/.test(arg));
  const free = end < 0 ? rest : rest.slice(0, end);
  if (free.length === 0) throw new UsageError(`${flag} needs a value; type: ${USAGE}`);
  return flag === '--completion-promise' && promptBefore ? free : free.slice(0, 1);
}

function countOf(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new UsageError(
    `--max-iterations is a whole number, 0 for no limit, not "${text.slice(0, 40)}"; type for example: --max-iterations 20`,
  );
}
