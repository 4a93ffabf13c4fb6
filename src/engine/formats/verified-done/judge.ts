import { fingerprint, type Outcome, type Verdict, withoutVolatileParts } from '../../core/loop/verdict.ts';
import { oneLine } from '../../core/text/clip.ts';
import type { Look } from '../format.ts';
import { type Condition, gateFails, hasFailed, type Stage, whatToDo } from './conditions.ts';
import { endsSpent, loopPhase } from './holding.ts';
import type { LoopFile, Orchestrator, RalphState } from './read-state.ts';
import { isTaskId, MOST_FILES, type OpenTask, type Tasks } from './tasks.ts';

export const KIND = 'verified-done';

/** What a verdict is about. None of these can be the name of a gate in a contract. */
export const SOURCE = {
  orchestrator: 'orchestrator.json',
  loop: 'loop.json',
  tasks: 'tasks/*.json',
  uncommitted: 'git status',
  qualityGate: 'quality-gate.json',
} as const;

export const CONDITION_PREFIX = 'conditions.';

const SHOWN_TASKS = 10;
const ERROR_LINES = 8;

/** The verdicts of the files, in the order of the format's own hook, without uncommitted changes. */
export function verdictsOf(state: RalphState): Verdict[] {
  const { orchestrator, loop, tasks, qualityGate, unreadable } = state;
  return [
    ...(orchestrator ? [ofOrchestrator(orchestrator, state), ...ofConditions(orchestrator)] : []),
    ...(loop ? [ofLoop(loop, state)] : []),
    ...(tasks ? [ofTasks(tasks, state)] : []),
    ...(qualityGate ? [ofQualityGate(state, gateFails(qualityGate), qualityGate.stages)] : []),
    ...unreadable.slice(0, SHOWN_TASKS).map(({ name, problem }) => ({
      ...verdict(name, 'unproven', oneLine(problem, 300)),
      onUnproven: 'allow' as const,
    })),
  ];
}

/** The verdicts with uncommitted changes: they fail beside an orchestrator.json, and are only advice beside a loop.json. */
export async function judge(state: RalphState, look: Look): Promise<Verdict[]> {
  const verdicts = verdictsOf(state);
  if (!state.orchestrator && !state.loop) return verdicts;
  const git = ofUncommitted(await uncommittedChanges(look), state.orchestrator !== undefined);
  if (!git) return verdicts;
  const at = verdicts.findIndex(({ gate }) => gate === SOURCE.qualityGate);
  return at < 0 ? [...verdicts, git] : verdicts.toSpliced(at, 0, git);
}

function verdict(gate: string, outcome: Outcome, summary: string): Verdict {
  return { gate, kind: KIND, class: 'claimed', outcome, summary };
}

function ofOrchestrator({ verified, phase }: Orchestrator, { session }: RalphState): Verdict {
  if (verified) return verdict(SOURCE.orchestrator, 'pass', `verified_done is set in phase '${phase}'`);
  return {
    ...verdict(SOURCE.orchestrator, 'fail', `Orchestrator phase '${phase}' not complete.`),
    next: `Finish the phases; at the end: untildone state complete ${session} orchestrator`,
  };
}

function ofConditions({ conditions }: Orchestrator): Verdict[] {
  return conditions.known.map(({ name, outcome, summary }: Condition) => ({
    ...verdict(`${CONDITION_PREFIX}${name}`, outcome, summary),
    ...(outcome === 'fail' ? { next: whatToDo(name) } : {}),
  }));
}

function ofLoop(loop: LoopFile, state: RalphState): Verdict {
  const { iteration, maxIterations, validationResult, lastError } = loop;
  const place = `iteration ${iteration ?? 0} of ${maxIterations}`;
  switch (loopPhase(state)) {
    case 'verified':
      return verdict(SOURCE.loop, 'pass', 'verified_done is set');
    case 'spent':
      if (!endsSpent(state)) return verdict(SOURCE.loop, 'skip', `${place}: it holds no longer`);
      break;
  }
  const evidence = [
    ...(validationResult ? [`validation_result: ${oneLine(validationResult, 100)}`] : []),
    ...(lastError ? [`last_error: ${firstLines(lastError)}`] : []),
  ];
  return {
    ...verdict(SOURCE.loop, 'fail', `Loop ${place} not complete.`),
    ...(evidence.length > 0 ? { evidence } : {}),
    next: `Work on until the validation passes; then: untildone state complete ${state.session} loop`,
    fingerprint: fingerprint(withoutVolatileParts(evidence.join('\n'))),
  };
}

function firstLines(text: string): string {
  const lines = text.trim().split('\n');
  return lines
    .slice(0, ERROR_LINES)
    .map((line) => oneLine(line, 200))
    .join('\n');
}

function ofTasks({ open, more }: Tasks, state: RalphState): Verdict {
  if (more && open.length === 0) return tooManyTasks(state);
  return ofOpenTasks(open, state);
}

function tooManyTasks({ folder }: RalphState): Verdict {
  return {
    ...verdict(SOURCE.tasks, 'fail', `More than ${MOST_FILES} task files: not all of them can be read.`),
    next: `Move the files of finished tasks out of ${folder}/tasks.`,
    fingerprint: 'too many',
  };
}

function ofOpenTasks(open: readonly OpenTask[], { session }: RalphState): Verdict {
  if (open.length === 0) return verdict(SOURCE.tasks, 'pass', 'no task is open');
  const next = open.find(({ status }) => status.includes('in_progress')) ?? open[0];
  const rest = open.length - SHOWN_TASKS;
  const named = open
    .slice(0, SHOWN_TASKS)
    .map(({ id, status, subject }) => `[${status}] ${id === subject ? id : `${id}: ${subject}`}`);
  return {
    ...verdict(SOURCE.tasks, 'fail', `${open.length} pending/in-progress tasks.`),
    evidence: rest > 0 ? [...named, `and ${rest} more`] : named,
    next: `Next task: ${next?.subject}; when it is done, ${marking(session, next?.id ?? '')}`,
    fingerprint: fingerprint(open.map(({ id, status }) => `${id} ${status}`).join('\n')),
  };
}

function marking(session: string, id: string): string {
  return isTaskId(id)
    ? `mark it: untildone state set ${session} tasks/${id} status=completed`
    : 'set its status to completed in its file.';
}

function ofQualityGate({ session }: RalphState, fails: boolean, stages: readonly Stage[]): Verdict {
  if (!fails) return verdict(SOURCE.qualityGate, 'pass', 'no stage has failed');
  const failed = stages.filter(hasFailed);
  const settable = failed.filter(({ name }) => /^[\w-]+$/.test(name)).slice(0, 5);
  const passed = [...settable.map(({ name }) => `stages.${name}.status=passed`), 'last_result=passed'];
  const evidence = failed.slice(0, SHOWN_TASKS).map(inWords);
  return {
    ...verdict(SOURCE.qualityGate, 'fail', 'Quality gate failed. Fix issues before stopping.'),
    ...(evidence.length > 0 ? { evidence } : {}),
    next: `Fix what failed and run it again; when it passes: untildone state set ${session} quality-gate ${passed.join(' ')}`,
    fingerprint: fingerprint(withoutVolatileParts(failed.map(inWords).join('\n'))),
  };
}

function inWords({ name, details }: Stage): string {
  return `${name}: ${details ?? 'failed, without details'}`;
}

function ofUncommitted(
  found: Awaited<ReturnType<typeof uncommittedChanges>>,
  blocking: boolean,
): Verdict | undefined {
  switch (found.kind) {
    case 'no_repository':
      return undefined;
    case 'unknown':
      return blocking
        ? { ...verdict(SOURCE.uncommitted, 'unproven', found.problem), onUnproven: 'allow' }
        : undefined;
    case 'clean':
      return verdict(SOURCE.uncommitted, 'pass', 'everything is committed');
    case 'changed':
      return {
        ...verdict(SOURCE.uncommitted, blocking ? 'fail' : 'skip', 'Uncommitted changes detected.'),
        evidence: found.first,
        ...(blocking ? { next: 'Commit the work.' } : {}),
      };
  }
}

export type Uncommitted =
  | { kind: 'clean' }
  | { kind: 'changed'; first: string[] }
  | { kind: 'no_repository' }
  | { kind: 'unknown'; problem: string };

const SHOWN = 5;
const PATH_LIMIT = 200;

/** The first lines of `git status --porcelain`. */
async function uncommittedChanges(look: Look): Promise<Uncommitted> {
  try {
    const { git } = await look.workspace();
    const { exitCode, stdout, stderr } = await git([
      'status',
      '--porcelain',
      '-z',
      '--untracked-files=normal',
    ]);
    if (exitCode !== 0) {
      if (stderr.includes('not a git repository')) return { kind: 'no_repository' };
      return { kind: 'unknown', problem: `git status failed: ${oneLine(stderr, PATH_LIMIT)}` };
    }
    const first = entriesOf(stdout).slice(0, SHOWN);
    return first.length === 0 ? { kind: 'clean' } : { kind: 'changed', first };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'unknown', problem: `git status could not be run: ${oneLine(why, PATH_LIMIT)}` };
  }
}

/** Reads entries `XY path`, each ended by a NUL. The old name follows a renamed or copied file. */
function entriesOf(output: string): string[] {
  const parts = output.split('\0').filter((part) => part !== '');
  const entries: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? '';
    const letters = part.slice(0, 2);
    entries.push(`${letters} ${oneLine(part.slice(3), PATH_LIMIT)}`);
    if (/[RC]/.test(letters)) i++;
  }
  return entries;
}
