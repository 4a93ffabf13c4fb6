import type { GateSpec } from '../core/contract/contract.ts';
import { type GateCall, specsOf } from '../core/loop/plan-gates.ts';
import { blocks, fingerprint, type Took, type Verdict, withoutVolatileParts } from '../core/loop/verdict.ts';
import { waitsForCommit } from '../core/run/progress.ts';
import { stripAnsi } from '../core/text/ansi.ts';
import { keepShort, oneLine } from '../core/text/clip.ts';
import { LONGEST_TIMER_MS, sayDuration } from '../core/text/duration.ts';
import { Unmeasurable } from '../core/text/errors.ts';
import { redact } from '../core/text/redact.ts';
import type { Gate, GateContext, Gates, Judgement } from '../gates/gate.ts';
import { traitsOf } from '../gates/traits.ts';
import { GateClock } from './gate-clock.ts';
import { dueLeaves, unprovenRule, verdictOf, waitingLeaves } from './gate-order.ts';

const DEFAULT_TIMEOUT_MS = 10 * 60_000;
const LAST_LOOK_MS = 2 * 60_000;
const SUMMARY_LIMIT = 300;
const EVIDENCE_LINES = 40;
const EVIDENCE_LINE_LIMIT = 400;

export interface Evaluation {
  gates: Gates;
  /** What a gate of this name may look at. The clock stands still while the gate waits for its turn, or for a room. */
  contextFor(name: string, clock?: GateClock): GateContext;
  /**
   * Hears that a gate needs its room and its turn no longer. Returns its judgement, with what the room shows. Never rejects.
   */
  leave?(name: string, judgement: Judgement): Promise<Judgement>;
  /** A verdict that is known without judging: found earlier and still true, or a refusal to run the gate. */
  knownVerdict(name: string): Verdict | undefined;
  /** No model is asked. */
  unpaid?: true;
  /** Hears how long a gate was judged that does not answer in an instant. */
  took?(name: string, took: Took): void;
  /** Hears each verdict as soon as it is there. */
  judged?(verdict: Verdict): void;
  /** Aborts when the time of all gates together is over; absent: that time has no limit. */
  over?: AbortSignal;
  /** That time. */
  overMs?: number;
}

/**
 * Judges all gates, each within its own time limit; those that run commands take turns. `exclusive` gates come after the others, one by one.
 * The whole form of a gate that has a quick one comes when the others are judged, then come late gates, and last those that
 * ask a model; each of these only if everything before it may pass. Every gate is judged once, however many lists and
 * combinations name it. The verdicts come in the order of the calls.
 */
export async function evaluateGates(calls: readonly GateCall[], evaluation: Evaluation): Promise<Verdict[]> {
  const verdicts = new Map<string, Verdict>();
  // All gates share one listener: Node warns of a leak when a signal has many.
  const underWay = new Set<() => void>();
  const endAll = () => {
    for (const end of underWay) end();
  };
  const all = [...specsOf(calls).values()];
  const quickPassed = new Set<string>();
  const formOf = (call: GateCall) =>
    (quickPassed.has(call.name) ? undefined : quickForm(call, evaluation)) ?? call;
  const stageOf = (call: GateCall): Stage => {
    return quickPassed.has(call.name) ? 'whole' : stageOfKind(call, evaluation);
  };
  evaluation.over?.addEventListener('abort', endAll);
  try {
    // A chunk that passes may make further chunks due.
    for (let due = dueLeaves(calls, verdicts); due.length > 0; due = dueLeaves(calls, verdicts)) {
      const stage = STAGES.find((each) => due.some((call) => stageOf(call) === each)) ?? 'first';
      const now = due.filter((call) => stageOf(call) === stage);
      const paid = now.filter((call) => isTooDear(call, evaluation));
      for (const call of paid) verdicts.set(call.name, unasked(call, evaluation));
      const rest = now.filter((call) => !paid.includes(call));
      const isWorthIt = stage === 'first' || mayAllPass(calls, verdicts);
      for (const group of isWorthIt ? groupsOf(rest, all) : []) {
        const forms = group.map(formOf);
        const found = await Promise.all(forms.map((form) => judgeGate(form, evaluation, underWay)));
        found.forEach((verdict, at) => {
          const { name } = group[at] as GateCall;
          if (forms[at] !== group[at] && verdict.outcome === 'pass') quickPassed.add(name);
          else verdicts.set(name, verdict);
        });
      }
      if (!isWorthIt) for (const call of rest) verdicts.set(call.name, notYet(call, stage, evaluation));
    }
    for (const [call, names] of waitingLeaves(calls, verdicts))
      verdicts.set(call.name, waitsFor(call, names, evaluation));
  } finally {
    evaluation.over?.removeEventListener('abort', endAll);
  }
  return calls.map((call) => verdictOf(call, verdicts));
}

/** Gates that are judged side by side, then the `exclusive` ones, each alone. */
function groupsOf(calls: readonly GateCall[], all: readonly GateSpec[]): GateCall[][] {
  const alone = calls.filter(({ spec }) => spec.exclusive);
  // Those that others come after are last, because they leave their room to them.
  const isFollowed = ({ name }: GateCall) => all.some(({ after = [] }) => after.includes(name));
  const others = calls.filter((call) => !alone.includes(call));
  const together = [...others.filter((call) => !isFollowed(call)), ...others.filter(isFollowed)];
  return [together, ...alone.map((call) => [call])];
}

/** The stages of a judging: what costs many runs or money is judged only if everything before it may pass. */
const STAGES = ['first', 'whole', 'late', 'model'] as const;

type Stage = (typeof STAGES)[number];

function stageOfKind({ name, spec }: GateCall, evaluation: Evaluation): Stage {
  const { late, modelQuestion } = traitsOf(spec.kind);
  if (!late && modelQuestion === undefined) return 'first';
  if (evaluation.knownVerdict(name) !== undefined) return 'first';
  return late ? 'late' : 'model';
}

/** Whether all gates may still pass. A gate that asks you may: your answer is not known before you are asked. */
function mayAllPass(calls: readonly GateCall[], verdicts: ReadonlyMap<string, Verdict>): boolean {
  const mayPass = ({ name, spec, children }: GateCall): boolean => {
    if (children) return spec.kind === 'any' ? children.some(mayPass) : children.every(mayPass);
    const verdict = verdicts.get(name);
    // A gate that waits for a commit may wait for the very answer of a model.
    const waits = waitsForCommit(traitsOf(spec.kind).about);
    return !verdict || !blocks(verdict) || verdict.asks !== undefined || waits;
  };
  return calls.every(mayPass);
}

/** The verdict of a gate that is not judged further while another one fails: it would cost time or money for nothing. */
function notYet({ name, spec }: GateCall, stage: Stage, { gates }: Evaluation): Verdict {
  const judgement: Judgement =
    stage === 'whole'
      ? {
          ...WAITS,
          summary: `${quickWords(spec)} passes, and the whole command is run when all other gates pass`,
        }
      : stage === 'late'
        ? { ...WAITS, summary: 'not measured yet, because another gate does not pass' }
        : { outcome: 'unproven', summary: 'no model was asked, because another gate does not pass yet' };
  return {
    ...presentable(name, spec, judgement, gates[spec.kind] as Gate | undefined),
    ...(judgement.waits ? {} : unprovenRule(spec)),
  };
}

/** Whether a gate would ask a model, where that is not worth its price. */
function isTooDear({ name, spec }: GateCall, { unpaid, knownVerdict }: Evaluation): boolean {
  if (!unpaid || traitsOf(spec.kind).modelQuestion?.(spec.options) === undefined) return false;
  return knownVerdict(name) === undefined;
}

function unasked({ name, spec }: GateCall, { gates }: Evaluation): Verdict {
  const summary = 'no model was asked, because the agent waits for your answer';
  return presentable(name, spec, { ...WAITS, summary }, gates[spec.kind] as Gate | undefined);
}

const WAITS = { outcome: 'unproven', waits: true, fingerprint: 'waits' } as const;

function quickWords(spec: GateSpec): string {
  return spec.kind === 'run' && spec.options.quick !== undefined
    ? `\`${spec.options.quick}\``
    : 'the quick form';
}

/** The gate with its quick command. None without an event: what is judged then is a baseline, or has to be whole. */
function quickForm(call: GateCall, evaluation: Evaluation): GateCall | undefined {
  const { name, spec } = call;
  if (spec.kind !== 'run' || spec.options.quick === undefined) return undefined;
  if (evaluation.knownVerdict(name) || !evaluation.contextFor(name).request.event) return undefined;
  const { quick: command, ...options } = spec.options;
  return { ...call, spec: { ...spec, options: { ...options, command }, repeat: 1 } };
}

/** The verdict of a gate that other gates come before. It holds the loop whatever the contract says of `unproven`. */
function waitsFor({ name, spec }: GateCall, names: readonly string[], { gates }: Evaluation): Verdict {
  const judgement: Judgement = {
    ...WAITS,
    summary: `it is judged when ${names.join(' and ')} ${names.length === 1 ? 'passes' : 'pass'}`,
  };
  return presentable(name, spec, judgement, gates[spec.kind] as Gate | undefined);
}

/** Judges one gate, as often as it asks for, each time within its own time limit. */
async function judgeGate(
  { name, spec }: GateCall,
  evaluation: Evaluation,
  underWay: Set<() => void>,
): Promise<Verdict> {
  const known = evaluation.knownVerdict(name);
  if (known) return known;
  const gate = evaluation.gates[spec.kind] as Gate | undefined;
  if (!gate) return { ...presentable(name, spec, unknownKind(spec), gate), ...unprovenRule(spec) };
  const times = spec.repeat ?? 1;
  let spentMs = 0;
  let judgement = noTimeLeft(evaluation);
  for (let time = 1; time <= times; time++) {
    // Node loads its clock for measuring when it is asked for the first time, which takes longer than a promise.
    const clock = gate.instant ? undefined : new GateClock(limitOf(spec));
    try {
      const context = evaluation.contextFor(name, clock);
      if (evaluation.over?.aborted) judgement = noTimeLeft(evaluation);
      else if (gate.instant) judgement = gate.judge(spec.options, context);
      else {
        const abort = new AbortController();
        const judging = gate.judge(spec.options, context, abort.signal);
        const isLater = judging instanceof Promise && clock !== undefined;
        judgement = isLater ? await inTime(judging, clock, abort, evaluation, underWay) : await judging;
      }
    } catch (error) {
      judgement = couldNotBeJudged(error as Error);
    }
    spentMs += clock?.stop() ?? 0;
    if (judgement.outcome !== 'pass' || time === times) judgement = afterRepeats(judgement, time, times);
    if (judgement.outcome !== 'pass') break;
  }
  if (!gate.instant) {
    judgement = (await evaluation.leave?.(name, judgement)) ?? judgement;
    const ms = Math.round(spentMs);
    evaluation.took?.(name, { at: Date.now() - ms, ms });
  }
  const verdict = { ...presentable(name, spec, judgement, gate), ...unprovenRule(spec) };
  evaluation.judged?.(verdict);
  return verdict;
}

/** What the last of several judgements says of all: `times` were asked for, and the first failure ends it. */
function afterRepeats(judgement: Judgement, time: number, times: number): Judgement {
  const { outcome, summary, proof } = judgement;
  if (times === 1 || (outcome !== 'pass' && time === 1)) return judgement;
  if (outcome === 'pass')
    return {
      ...judgement,
      summary: `${summary}, ${times} times in a row`,
      proof: { ...proof, repeats: times },
    };
  if (outcome !== 'fail') return judgement;
  const before = time === 2 ? 'once' : `${time - 1} times`;
  return {
    ...judgement,
    summary: `${summary} (flaky: it passed ${before} before on the same files)`,
    flaky: true,
  };
}

function couldNotBeJudged(error: Error): Judgement {
  const evidence = error instanceof Unmeasurable ? [...error.evidence] : undefined;
  return { outcome: 'unproven', summary: `could not be judged: ${error.message}`, evidence };
}

function unknownKind({ kind }: GateSpec): Judgement {
  return {
    outcome: 'unproven',
    summary: `this version of untildone does not know the kind of gate "${kind}"`,
  };
}

/** Makes a verdict of a judgement: bounded, without colours and secrets, because agents, journals and pages show it. */
function presentable(name: string, spec: GateSpec, judgement: Judgement, gate: Gate | undefined): Verdict {
  const { evidence, next, letGo, asks, asksIfRepeated, notes, exceptions, ...rest } = judgement;
  const clean = (text: string) => redact(stripAnsi(text));
  const kept = (list: string[] | undefined) =>
    list?.slice(0, EVIDENCE_LINES).map((line) => keepShort(clean(line), EVIDENCE_LINE_LIMIT));
  const lines = kept(evidence);
  const summary = oneLine(clean(judgement.summary), SUMMARY_LIMIT);
  return {
    gate: name,
    kind: spec.kind,
    class: gate?.class ?? 'claimed',
    ...rest,
    summary,
    fingerprint:
      judgement.fingerprint ?? fingerprint(withoutVolatileParts([summary, ...(lines ?? [])].join('\n'))),
    evidence: lines && lines.length > 0 ? lines : undefined,
    next: next ? keepShort(clean(next), 4000) : undefined,
    asks: asks ? oneLine(clean(asks), SUMMARY_LIMIT) : undefined,
    asksIfRepeated: asksIfRepeated ? oneLine(clean(asksIfRepeated), SUMMARY_LIMIT) : undefined,
    notes: notes && notes.length > 0 ? kept(notes) : undefined,
    exceptions: exceptions && exceptions.length > 0 ? kept(exceptions) : undefined,
    letGo: letGo ? oneLine(clean(letGo), SUMMARY_LIMIT) : undefined,
  };
}

/** The time limit of a gate. One that waits for something outside gets that time, and a last look. */
function limitOf(spec: GateSpec): number {
  const waits = traitsOf(spec.kind).waitMs?.(spec.options) ?? 0;
  const usual = waits === 0 ? DEFAULT_TIMEOUT_MS : Math.max(DEFAULT_TIMEOUT_MS, waits + LAST_LOOK_MS);
  return Math.min(spec.timeoutMs ?? usual, LONGEST_TIMER_MS);
}

function noTimeLeft({ overMs }: Evaluation): Judgement {
  const time = overMs === undefined ? 'time' : sayDuration(overMs);
  return { outcome: 'unproven', summary: `no answer within the ${time} that all gates have together` };
}

/** How long a gate may take to end its processes, before another one gets its place. */
const ENDING_MS = 3_000;

function lasting(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** Waits for a judgement until the gate's time is over, or that of all gates together. What comes later is ignored. */
async function inTime(
  judging: Promise<Judgement>,
  clock: GateClock,
  abort: AbortController,
  evaluation: Evaluation,
  underWay: Set<() => void>,
): Promise<Judgement> {
  let stopWaiting = () => {};
  const late = new Promise<Judgement>((resolve) => {
    const giveUp = (judgement: Judgement) => {
      // Resolves first: what a gate says after the abort is less exact than this.
      resolve(judgement);
      abort.abort();
    };
    const summary = `no answer within ${Math.round(clock.limitMs / 100) / 10} s`;
    clock.start(() => giveUp({ outcome: 'unproven', summary }));
    const endNow = () => giveUp(noTimeLeft(evaluation));
    underWay.add(endNow);
    stopWaiting = () => underWay.delete(endNow);
  });
  try {
    const judgement = await Promise.race([late, judging]);
    if (abort.signal.aborted && clock.hasWaited)
      await Promise.race([judging.catch(() => {}), lasting(ENDING_MS)]);
    return judgement;
  } finally {
    stopWaiting();
  }
}
