import { renderPromise } from '../../core/loop/promise.ts';
import { blocks, type Verdict } from '../../core/loop/verdict.ts';
import type { Limit } from '../../core/run/option-values.ts';
import { keepShort, oneLine } from '../../core/text/clip.ts';
import { DIFFERENT_APPROACH, failuresOf, REASON_LIMIT } from '../../core/words/reason.ts';
import type { Held, Words } from '../../ports/session-loop.ts';
import { CONDITION_PREFIX, KIND, SOURCE } from './judge.ts';
import type { RalphState } from './read-state.ts';

const BREAK = '\n\n';
const TASK_LIMIT = 1000;
const FAILURES_LIMIT = 3000;
const NEXT_LIMIT = 600;

/** The sentences of the format's own hook, in its order. */
export function sentences(verdicts: readonly Verdict[]): string {
  const own = verdicts.filter((verdict) => verdict.kind === KIND && verdict.outcome === 'fail');
  const sentence = (gate: string) => own.filter((verdict) => verdict.gate === gate).map((v) => v.summary);
  const orchestrator = sentence(SOURCE.orchestrator);
  const open = openConditions(own).length;
  return [
    ...orchestrator,
    ...(orchestrator.length === 0 && open > 0 ? [claimedTooEarly(open)] : []),
    ...[SOURCE.loop, SOURCE.tasks, SOURCE.uncommitted, SOURCE.qualityGate].flatMap(sentence),
  ].join(' ');
}

function claimedTooEarly(open: number): string {
  return `Orchestrator set verified_done, but ${open} of its conditions ${open === 1 ? 'is' : 'are'} not met.`;
}

function openConditions(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.filter(({ kind, gate, outcome }) => {
    return kind === KIND && outcome === 'fail' && gate.startsWith(CONDITION_PREFIX);
  });
}

/** The reason of a hold: the sentences of the format's own hook, the details of each, then how to finish. */
export function instruct(held: Held, state: RalphState): Words {
  const { verdicts } = held;
  const others = verdicts.filter((verdict) => verdict.kind !== KIND);
  const said = sentences(verdicts);
  const head = [
    said || 'The work is not done yet.',
    `untildone: ${place(held)}.`,
    ...(held.notes ?? []),
    ...(held.instruction === 'different_approach' ? [DIFFERENT_APPROACH] : []),
  ];
  const middle = [
    conditionsPart(verdicts, state),
    loopPart(verdicts),
    list('Open tasks:', evidenceOf(verdicts, SOURCE.tasks)),
    uncommittedPart(verdicts),
    stagesPart(verdicts, state),
    notBelieved(others, state),
    keepShort(failuresOf(others), FAILURES_LIMIT),
    list(
      'Cannot be read (repair them):',
      state.unreadable.slice(0, 5).map(({ problem }) => oneLine(problem, 300)),
    ),
  ];
  const tail = [taskPart(held, state), nextPart(verdicts), finishPart(held, state)];
  const gates = others.filter(blocks).map(({ gate }) => gate);
  const also = gates.length === 0 ? '' : ` Gates that do not pass: ${gates.join(', ')}.`;
  const message = `untildone: VERIFIED_DONE not reached, ${place(held)}. ${said}${also}`;
  return { reason: fitted(head, middle, tail), message: oneLine(message, 400) };
}

function fitted(head: string[], middle: string[], tail: string[]): string {
  const joined = (parts: string[]) => parts.filter((part) => part !== '').join(BREAK);
  const around = joined([...head, ...tail]).length + 2 * BREAK.length;
  const inside = keepShort(joined(middle), Math.max(0, REASON_LIMIT - around));
  return keepShort(joined([...head, inside, ...tail]), REASON_LIMIT);
}

function place({ iteration, maxIterations }: { iteration: number; maxIterations: Limit }): string {
  return maxIterations === 'unlimited'
    ? `iteration ${iteration}`
    : `iteration ${iteration} of ${maxIterations}`;
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines.map((line) => `- ${line}`)].join('\n');
}

function evidenceOf(verdicts: readonly Verdict[], gate: string): readonly string[] {
  return verdicts.find((v) => v.kind === KIND && v.gate === gate && v.outcome !== 'pass')?.evidence ?? [];
}

function conditionsPart(verdicts: readonly Verdict[], { orchestrator }: RalphState): string {
  const open = openConditions(verdicts).map(({ gate, summary, next }) => {
    return `${gate.slice(CONDITION_PREFIX.length)}: ${summary}. ${next ?? ''}`;
  });
  const other = orchestrator?.conditions.otherOpen ?? [];
  const also =
    other.length === 0 ? '' : `Not set either, but not asked for: ${oneLine(other.join(', '), 300)}`;
  return [list('Conditions that are not met:', open), also].filter((part) => part !== '').join('\n');
}

function loopPart(verdicts: readonly Verdict[]): string {
  return evidenceOf(verdicts, SOURCE.loop).join('\n');
}

function uncommittedPart(verdicts: readonly Verdict[]): string {
  const found = verdicts.find(({ kind, gate }) => kind === KIND && gate === SOURCE.uncommitted);
  const title = found?.outcome === 'skip' ? 'Not committed (only advice here):' : 'Not committed:';
  return list(title, evidenceOf(verdicts, SOURCE.uncommitted));
}

function stagesPart(verdicts: readonly Verdict[], { qualityGate }: RalphState): string {
  const pending = (qualityGate?.stages ?? []).filter(({ status }) => status === 'pending');
  const names = oneLine(pending.map(({ name }) => name).join(', '), 200);
  const parts = [
    list('Failing stages of the quality gate:', evidenceOf(verdicts, SOURCE.qualityGate)),
    names === '' ? '' : `Stages that were not run yet (only advice): ${names}`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** Names the flags that are set although a gate of the contract fails. */
function notBelieved(others: readonly Verdict[], { orchestrator, qualityGate }: RalphState): string {
  const set = (gate: string): string[] => [
    ...(orchestrator?.conditions.known ?? [])
      .filter(({ name, outcome }) => outcome === 'pass' && (name === gate || name === `${gate}_passed`))
      .map(({ name }) => `${CONDITION_PREFIX}${name}`),
    ...(qualityGate?.stages ?? [])
      .filter(({ name, status }) => name === gate && status === 'passed')
      .map(({ name }) => `stages.${name}`),
  ];
  return others
    .filter(blocks)
    .flatMap(({ gate, outcome }) =>
      set(gate).map((flag) => {
        const found = outcome === 'fail' ? 'fails' : 'could not be judged';
        return `${flag} is set, but the gate \`${gate}\` ${found}: it is not believed.`;
      }),
    )
    .join('\n');
}

function taskPart({ taskFile }: Held, state: RalphState): string {
  const task = taskOf(state);
  if (task.length <= TASK_LIMIT) return `Task:\n${task}`;
  return `Task:\n${keepShort(task, TASK_LIMIT)}\n(The whole task is in ${taskFile}: read it.)`;
}

/** The task of the files that are there. */
export function taskOf({ orchestrator, loop, folder }: RalphState): string {
  const tasks = [orchestrator?.task ?? '', loop?.task ?? ''].filter((task) => task !== '');
  return [...new Set(tasks)].join('\n\n') || `Finish the work that is written down in ${folder}`;
}

/** The next step. Gates of the contract come before the files of the format. */
function nextPart(verdicts: readonly Verdict[]): string {
  const open = verdicts.filter((verdict) => blocks(verdict) && verdict.next);
  const first =
    open.find(({ kind }) => kind !== KIND) ??
    open.find(({ gate }) => gate !== SOURCE.orchestrator && gate !== SOURCE.loop) ??
    open[0];
  const next = first?.next ?? '';
  return next === '' ? '' : keepShort(/^next/i.test(next) ? next : `Next: ${next}`, NEXT_LIMIT);
}

function finishPart({ promise, verdicts }: Held, { session }: RalphState): string {
  const isOpen = (names: (gate: string) => boolean) =>
    verdicts.some(({ kind, gate, outcome }) => kind === KIND && outcome === 'fail' && names(gate));
  const conditions = isOpen((gate) => gate.startsWith(CONDITION_PREFIX));
  const unclaimed = isOpen((gate) => gate === SOURCE.orchestrator || gate === SOURCE.loop);
  const lines = [
    ...(conditions
      ? [
          `When a condition is met, write it down: untildone state set ${session} orchestrator conditions.NAME=true`,
        ]
      : []),
    ...(unclaimed ? [`When all of it is done, and only then: untildone state complete ${session}`] : []),
    'What stands in these files is your word; everything is looked at again when you stop.',
    ...(promise === undefined
      ? []
      : [`Then end your final message with this line alone:\n${renderPromise(promise)}`]),
  ];
  return lines.join('\n');
}
