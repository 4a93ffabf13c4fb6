/**
 * Lessons: what gates said in the last loops of a project, put into a sentence for the next ones. Everything is computed
 * from the digests of ended loops, so the same loops give the same lessons.
 */

import type { Contract, GateSpec } from '../contract/contract.ts';
import { secretsOf } from '../contract/secret-values.ts';
import { hasEnded, type LessonsTold, type LoopState } from '../loop/state.ts';
import { fingerprint } from '../loop/verdict.ts';
import { redact } from '../text/redact.ts';
import type { GateTally } from './tally.ts';

/** An ended loop, as far as lessons need it. */
export interface LoopDigest {
  loop: string;
  /** When it ended. */
  at: number;
  status: string;
  iterations: number;
  /** How many of its Stops were judged; without any it tells nothing. */
  stops: number;
  /** The gates that were judged; those that never failed are there, too. */
  gates: Record<string, GateTally>;
  /** The commands of its gates, as the trusted contract has them. */
  commands: Record<string, string>;
  lessons?: LessonsTold;
}

export interface Lesson {
  id: string;
  gate: string;
  /** The command of the gate; absent: the lesson names a file. */
  command?: string;
  /** The rule, or the file, that the evidence names most. */
  rule?: string;
  file?: string;
  madeAt: number;
  /** The loops in which the gate failed, when the lesson was last renewed. */
  evidence: { loop: string; iterations: number[] }[];
  /** Out of how many of the last loops. */
  of: number;
  /** How often the gate failed in each of these loops, on average. */
  usual: number;
  expiresAt: number;
  pinned?: true;
  /** How many ended loops were told it, or would have been. */
  decided: number;
}

/** A lesson that is not made again for a while. */
export interface Dropped {
  id: string;
  at: number;
  why: 'person' | 'no_gain';
  text: string;
}

export interface LessonsKept {
  v: 1;
  lessons: Lesson[];
  dropped: Dropped[];
}

export const NO_LESSONS: LessonsKept = { v: 1, lessons: [], dropped: [] };

export const MOST_LESSONS = 5;
/** Lessons are made from so many of the last loops. */
const LAST_LOOPS = 10;
const LEAST_LOOPS = 3;
const DAY = 86_400_000;
const LIFE = 30 * DAY;
const DROPPED_FOR = 90 * DAY;
const MOST_DROPPED = 40;

/** The digest of a loop; undefined while it goes on. */
export function digestOf(
  loop: string,
  state: LoopState,
  contract: Pick<Contract, 'gates'>,
): LoopDigest | undefined {
  if (!hasEnded(state)) return undefined;
  const { tally, gates: lines, iteration, lessons, status } = state;
  const judged = lines.filter(({ verdict }) => verdict !== 'skip').map(({ name }) => name);
  const named = [...new Set([...judged, ...Object.keys(tally?.gates ?? {})])];
  const own = named.filter((name) => Object.hasOwn(contract.gates, name));
  return {
    loop,
    at: state.ending?.at ?? state.lastAt,
    status,
    iterations: iteration,
    stops: tally?.stops ?? 0,
    gates: Object.fromEntries(own.map((name) => [name, tally?.gates[name] ?? NEVER])),
    commands: Object.fromEntries(
      own.flatMap((name) => {
        const command = commandOf(contract.gates[name]);
        return command === undefined ? [] : [[name, redact(command, secretsOf(contract))]];
      }),
    ),
    lessons,
  };
}

const NEVER: GateTally = { held: 0, at: [], rules: {}, files: {} };

/** A command that fits into a sentence: one line of printable characters, without the quotes that go around it. */
export function commandOf(spec: GateSpec | undefined): string | undefined {
  if (spec?.kind !== 'run') return undefined;
  const { command, cwd } = spec.options;
  const line = cwd === undefined ? command.trim() : `cd ${cwd} && ${command.trim()}`;
  return PLAIN_COMMAND.test(line) ? line : undefined;
}

const PLAIN_COMMAND = /^[!-~](?:[ -_a-~]{0,78}[!-_a-~])?$/;

/** What the files of the project are asked: the path below the project of a file that evidence names. */
export type FindFile = (named: string) => string | undefined;

/** The lessons after one more ended loop. Digests: all that are kept, oldest first. */
export function renewed(
  kept: LessonsKept,
  digests: readonly LoopDigest[],
  now: number,
  findFile: FindFile,
): LessonsKept {
  const counted = kept.lessons.map((lesson) => ({
    ...lesson,
    decided: decidedIn(lesson.id, digests, lesson),
  }));
  const { stay, gone } = afterTrial(counted, digests, now);
  const dropped = [...kept.dropped.filter(({ at }) => now - at < DROPPED_FOR), ...gone].slice(-MOST_DROPPED);
  const found = candidates(digests, now, findFile).filter(
    ({ id, expiresAt }) => expiresAt > now && !dropped.some((one) => one.id === id),
  );
  const alive = stay.filter(({ pinned, expiresAt }) => pinned || expiresAt > now);
  const renewedOnes = alive.map((lesson) => renewedBy(lesson, found));
  const added = found.filter(({ id }) => !alive.some((lesson) => lesson.id === id));
  return { v: 1, lessons: [...renewedOnes, ...added].slice(0, MOST_LESSONS), dropped };
}

/** A lesson with the newest evidence. Its trial goes on. */
function renewedBy(lesson: Lesson, found: readonly Lesson[]): Lesson {
  const again = found.find(({ id }) => id === lesson.id);
  if (!again) return lesson;
  const { madeAt, usual, decided, pinned } = lesson;
  return { ...again, madeAt, usual, decided, pinned };
}

/** The count never falls, although old digests are forgotten. */
function decidedIn(id: string, digests: readonly LoopDigest[], { decided }: Lesson): number {
  return Math.max(decided, digests.filter((digest) => armOf(id, digest) !== undefined).length);
}

export function armOf(id: string, { lessons, stops }: LoopDigest): 'with' | 'without' | undefined {
  if (stops === 0) return undefined;
  if (lessons?.shown.includes(id)) return 'with';
  return lessons?.withheld.includes(id) ? 'without' : undefined;
}

/** The lessons that the last loops ask for; the gate that failed in most of them first. */
function candidates(digests: readonly LoopDigest[], now: number, findFile: FindFile): Lesson[] {
  const names = [...new Set(digests.flatMap(({ gates }) => Object.keys(gates)))];
  return names
    .flatMap((gate) => candidate(gate, digests, now, findFile) ?? [])
    .sort((a, b) => b.evidence.length - a.evidence.length || (a.id < b.id ? -1 : 1));
}

function candidate(
  gate: string,
  digests: readonly LoopDigest[],
  now: number,
  findFile: FindFile,
): Lesson | undefined {
  const last = digests
    .filter(({ gates, stops }) => stops > 0 && Object.hasOwn(gates, gate))
    .slice(-LAST_LOOPS);
  const failed = last.filter(({ gates }) => (gates[gate]?.held ?? 0) > 0);
  const newest = failed.at(-1);
  if (!newest || failed.length < LEAST_LOOPS || !PLAIN_NAME.test(gate)) return undefined;
  const command = last.at(-1)?.commands[gate];
  const tallies = failed.flatMap(({ gates }) => gates[gate] ?? []);
  const rule = mostNamed(tallies.map(({ rules }) => Object.keys(rules)));
  const files = tallies.map((tally) => Object.keys(tally.files).flatMap((file) => findFile(file) ?? []));
  const file = mostNamed(files.map((names) => names.filter((name) => PLAIN_FILE.test(name))));
  if (command === undefined && file === undefined) return undefined;
  const blocks = last.reduce((sum, { gates }) => sum + (gates[gate]?.held ?? 0), 0);
  return {
    id: `L${fingerprint(`${gate}\n${command ?? ''}`).slice(0, 6)}`,
    gate,
    command,
    ...(rule === undefined ? { file } : { rule }),
    ...(command === undefined ? { file } : {}),
    madeAt: now,
    evidence: failed.map(({ loop, gates }) => ({ loop, iterations: gates[gate]?.at ?? [] })),
    of: last.length,
    usual: blocks / last.length,
    expiresAt: newest.at + LIFE,
    decided: 0,
  };
}

const PLAIN_NAME = /^[A-Za-z0-9][\w .:/-]{0,39}$/;
const PLAIN_FILE = /^[\w@+-][\w@./+-]{0,79}$/;

/** The name that is in most of the lists, when at least three have it, and at least half of them. */
function mostNamed(lists: readonly (readonly string[])[]): string | undefined {
  const counts = new Map<string, number>();
  for (const names of lists) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const [name, times] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0] ?? ['', 0];
  return times >= LEAST_LOOPS && times * 2 >= lists.length ? name : undefined;
}

/** How often a gate failed in loops that were told a lesson, and in loops that were not. */
export interface Trial {
  with: Arm;
  without: Arm;
  /** Loops with the lesson in which the gate never failed, and those in which it failed more often than usual. */
  helped: number;
  harmed: number;
  /** Failures of the gate in a loop that the lesson saves, on average; absent where one side has no loops. */
  gain?: number;
  /** The standard error of the gain; absent with fewer than two loops on a side. */
  error?: number;
}

export interface Arm {
  loops: number;
  /** Failures of the gate in a loop, on average. */
  failures: number;
  /** The iteration from which on the gate passed, on average. */
  untilPass: number;
}

export function trialOf({ id, gate, usual }: Lesson, digests: readonly LoopDigest[]): Trial {
  const of = (arm: 'with' | 'without') =>
    digests
      .filter((digest) => armOf(id, digest) === arm && Object.hasOwn(digest.gates, gate))
      .map(({ gates }) => gates[gate] ?? NEVER);
  const shown = of('with');
  const withheld = of('without');
  const result: Trial = {
    with: armFrom(shown),
    without: armFrom(withheld),
    helped: shown.filter(({ held }) => held === 0).length,
    harmed: shown.filter(({ held }) => held > usual && held > 1).length,
  };
  if (shown.length === 0 || withheld.length === 0) return result;
  const gain = result.without.failures - result.with.failures;
  const spread = variance(shown) / shown.length + variance(withheld) / withheld.length;
  const enough = shown.length > 1 && withheld.length > 1;
  return { ...result, gain, ...(enough ? { error: Math.sqrt(spread) } : {}) };
}

function armFrom(tallies: readonly GateTally[]): Arm {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
  return {
    loops: tallies.length,
    failures: mean(tallies.map(({ held }) => held)),
    untilPass: mean(tallies.map(({ at }) => (at.at(-1) ?? 0) + 1)),
  };
}

function variance(tallies: readonly GateTally[]): number {
  if (tallies.length < 2) return 0;
  const mean = tallies.reduce((sum, { held }) => sum + held, 0) / tallies.length;
  return tallies.reduce((sum, { held }) => sum + (held - mean) ** 2, 0) / (tallies.length - 1);
}

/** After so many loops a lesson has to show a gain. */
export const TRIAL_LOOPS = 20;

function afterTrial(
  lessons: readonly Lesson[],
  digests: readonly LoopDigest[],
  now: number,
): { stay: Lesson[]; gone: Dropped[] } {
  const failed = lessons.filter((lesson) => !lesson.pinned && showsNoGain(trialOf(lesson, digests)));
  return {
    stay: lessons.filter((lesson) => !failed.includes(lesson)),
    gone: failed.map((lesson) => ({ id: lesson.id, at: now, why: 'no_gain', text: sentence(lesson) })),
  };
}

/** With nothing to compare with, twice as many loops are waited for. */
function showsNoGain({ with: shown, without, gain }: Trial): boolean {
  const loops = shown.loops + without.loops;
  return gain === undefined ? loops >= 2 * TRIAL_LOOPS : loops >= TRIAL_LOOPS && gain <= 0;
}

/** A lesson in words. Everything in it that is not ours stands in backticks and has a strict shape. */
export function sentence({ gate, command, rule, file, evidence, of }: Lesson): string {
  const what = command === undefined ? `Gate \`${gate}\`` : `\`${command}\` (gate \`${gate}\`)`;
  const on = rule === undefined ? '' : ` on \`${rule}\``;
  const where = file === undefined ? '' : ` in \`${file}\``;
  const todo = command === undefined ? 'look at that file before you finish' : 'run it before you finish';
  return `${what} blocked ${evidence.length} of the last ${of} loops${on}${where}: ${todo}.`;
}
