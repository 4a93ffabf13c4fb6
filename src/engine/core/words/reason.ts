import type { PhaseSituation } from '../loop/phases.ts';
import { renderPromise } from '../loop/promise.ts';
import type { Decision } from '../loop/state.ts';
import { blocks, type Verdict } from '../loop/verdict.ts';
import type { Limit } from '../run/option-values.ts';
import { keepShort, oneLine } from '../text/clip.ts';
import { visibleText } from '../text/visible.ts';

/** Claude Code shows a reason to the model twice; anything longer belongs into a file that the reason names. */
export const REASON_LIMIT = 9000;
const TASK_LIMIT = 2000;
const EVIDENCE_LIMIT = 1500;
const NEXT_LIMIT = 1500;
const NAMES_LIMIT = 500;
const PHASE_LIMIT = 1500;
const BREAK = '\n\n';

export interface Situation {
  iteration: number;
  maxIterations: Limit;
  task: string;
  /** Where the whole task lies, for a task too long to repeat. */
  taskFile: string;
  /** How to finish, when the loop asks for a promise. */
  promise?: string;
  /** Of a contract with phases: where the work is. */
  phase?: PhaseSituation;
  /** What was asked and answered so far; empty when nothing was. */
  asked?: string;
  /** How the agent asks a person. */
  howToAsk?: string;
  /** What is said before everything else. */
  notes?: readonly string[];
  /** Gates that fail exactly as they did before, with the iteration since which they do. */
  unchanged?: Record<string, number>;
}

/** The reason for a held Stop: the iteration, what fails, what to do next, how to finish. */
export function reasonFor(
  situation: Situation,
  verdicts: readonly Verdict[],
  instruction: Extract<Decision, { kind: 'block' }>['instruction'],
): string {
  return fitted(
    [
      `untildone: ${iterationWords(situation)}. The work is not done yet.`,
      ...(situation.notes ?? []),
      ...(instruction === 'different_approach' ? [DIFFERENT_APPROACH, situation.howToAsk ?? ''] : []),
    ],
    failing(verdicts, instruction === 'different_approach' ? {} : (situation.unchanged ?? {})),
    [
      passing(verdicts),
      weakenedTests(verdicts),
      taskOf(situation),
      phaseWords(situation),
      nextStepOf(verdicts),
      howToFinish(situation.promise),
    ],
  );
}

const WEAKENED_LINES = 5;

/** What `tests_intact` noted. Where the tests of the start are run in the end, that measures it. */
function weakenedTests(verdicts: readonly Verdict[]): string {
  const notes = verdicts.flatMap(({ kind, outcome, notes: found = [] }) =>
    kind === 'tests_intact' && outcome === 'pass' ? found : [],
  );
  if (notes.length === 0) return '';
  const more = notes.length > WEAKENED_LINES ? [`and ${notes.length - WEAKENED_LINES} more`] : [];
  const lines = [...notes.slice(0, WEAKENED_LINES).map((note) => oneLine(note, 300)), ...more];
  return [WEAKENED, ...lines.map((line) => `- ${line}`)].join('\n');
}

const WEAKENED =
  'These edits seem to weaken tests. They hold nobody, and are named in the receipt: put back what the task does not ask for.';

/** Tells a session about its loop after a resume or a compaction. */
export function reminderFor(
  situation: Situation,
  verdicts: readonly Verdict[],
  limit: number = REASON_LIMIT,
): string {
  return fitted(
    [
      `untildone: this session works in a loop (${iterationWords(situation)}); it goes on until the work is done.`,
    ],
    failing(verdicts, {}),
    [
      taskOf(situation),
      phaseWords(situation),
      situation.asked ?? '',
      nextStepOf(verdicts),
      situation.howToAsk ?? '',
      howToFinish(situation.promise),
    ],
    limit,
  );
}

/** The reason for standing gates and subagents, where no loop is at a Stop of its own. */
export function standingReason(verdicts: readonly Verdict[], when: string): string {
  return fitted([`untildone: fix this ${when}.`], failing(verdicts, {}), [
    passing(verdicts),
    'It is checked again each time.',
  ]);
}

/** Cuts only what fails when there is too little room: what to do next and how to finish are always said. */
function fitted(before: string[], fails: string, after: string[], limit: number = REASON_LIMIT): string {
  // Spelled out before it is measured: what a gate found may be full of control characters.
  const [first, found, last] = [before.map(visibleText), visibleText(fails), after.map(visibleText)];
  const taken = [...first, ...last].reduce((sum, part) => sum + part.length + BREAK.length, 0);
  const parts = [...first, found === '' ? '' : keepShort(found, limit - taken), ...last];
  return keepShort(parts.filter((p) => p !== '').join(BREAK), limit);
}

const CHECKED_AGAIN = 'The checks are run again when you stop.';

export const DIFFERENT_APPROACH =
  'The last attempts all ended the same way. Take a different approach: do not repeat what you tried. ' +
  'Look at the cause again from the beginning, question an assumption you have not questioned yet, ' +
  'and say in one line what you do differently before you do it.';

/** For the last hold that Claude Code allows in a row. */
export function lastWithoutTool(holds: number): string {
  const times = holds === 1 ? 'once' : `${holds} times in a row`;
  return (
    `You were held ${times} without using a tool. Use one now and go on with the work, or say why you cannot: ` +
    'if you stop again without a tool call, this loop ends as not done.'
  );
}

/** Told when waiting no longer excuses a Stop. */
export function waitedInVain(stops: number): string {
  return (
    `You stopped ${stops} times to wait for background work or a wake-up, and no file changed in between. ` +
    'From now on such a stop counts like any other. Work on what fails, or wait for a command in the foreground.'
  );
}

const NEXT_STEP =
  'Next: look at what is there, do what is missing, check it yourself, and go on until it is complete.';

export function iterationWords({ iteration, maxIterations, phase }: Situation): string {
  const of = maxIterations === 'unlimited' ? '' : ` of ${maxIterations}`;
  const where = phase ? `, phase "${phase.name}" (${phase.number} of ${phase.of})` : '';
  return `iteration ${iteration}${of}${where}`;
}

/** What the phase asks for, and what comes after it. */
export function phaseWords({ phase }: Pick<Situation, 'phase'>): string {
  if (!phase) return '';
  const what = phase.instruction === undefined ? '' : `: ${keepShort(phase.instruction.trim(), PHASE_LIMIT)}`;
  const then =
    phase.next === undefined ? 'It is the last one.' : `After it comes "${phase.next}"; leave that for then.`;
  return `The phase "${phase.name}"${what}\n${then}`;
}

export function taskOf({ task, taskFile }: Situation): string {
  const text = task.trim();
  if (text.length <= TASK_LIMIT) return `Task:\n${text}`;
  return `Task:\n${keepShort(text, TASK_LIMIT)}\n(The whole task is in ${taskFile}: read it.)`;
}

export function failuresOf(verdicts: readonly Verdict[]): string {
  return failing(verdicts, {});
}

function failing(verdicts: readonly Verdict[], unchanged: Record<string, number>): string {
  return verdicts
    .filter(blocks)
    .map((verdict) => failure(verdict, unchanged[verdict.gate]))
    .join('\n\n');
}

/** Shows evidence once: the same evidence again tells the model nothing new. */
function failure(verdict: Verdict, since: number | undefined): string {
  const mark = verdict.waits
    ? 'Not judged yet'
    : verdict.outcome === 'unproven'
      ? 'Could not be judged'
      : 'Fails';
  const head = `${mark}: ${verdict.gate} - ${verdict.summary}`;
  const evidence = (verdict.evidence ?? []).join('\n');
  if (evidence === '') return head;
  return since === undefined
    ? `${head}\n${keepShort(evidence, EVIDENCE_LIMIT)}`
    : `${head}\n(unchanged since iteration ${since + 1}; the details were shown then${whereToLook(verdict)})`;
}

function whereToLook({ proof }: Verdict): string {
  return proof?.outputFile ? `, the whole output is in ${proof.outputFile}` : '';
}

function passing(verdicts: readonly Verdict[]): string {
  const names = verdicts.filter((v) => v.outcome === 'pass').map((v) => v.gate);
  return names.length === 0 ? '' : `Passes: ${oneLine(names.join(', '), NAMES_LIMIT)}`;
}

export function nextStepOf(verdicts: readonly Verdict[]): string {
  const next = verdicts.find((v) => blocks(v) && v.next)?.next;
  return keepShort(next === undefined ? NEXT_STEP : /^next/i.test(next) ? next : `Next: ${next}`, NEXT_LIMIT);
}

export function howToFinish(promise: string | undefined): string {
  if (promise === undefined) return CHECKED_AGAIN;
  return `When it is completely true, and only then, end your final message with this line alone:\n${renderPromise(promise)}`;
}
