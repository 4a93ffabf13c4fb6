import { type GateSpec, isCombination } from '../core/contract/contract.ts';
import { asChunk, combineChunks, isDue, notDueYet } from '../core/loop/phases.ts';
import type { GateCall } from '../core/loop/plan-gates.ts';
import { blocks, combine, fingerprint, type Verdict, withoutVolatileParts } from '../core/loop/verdict.ts';
import { waitsForCommit } from '../core/run/progress.ts';
import { stripAnsi } from '../core/text/ansi.ts';
import { keepShort, oneLine } from '../core/text/clip.ts';
import { LONGEST_TIMER_MS } from '../core/text/duration.ts';
import { Unmeasurable } from '../core/text/errors.ts';
import { redact } from '../core/text/redact.ts';
import type { Gate, GateContext, Gates, Judgement, TimedGate } from '../gates/gate.ts';
import { traitsOf } from '../gates/traits.ts';

const DEFAULT_TIMEOUT_MS = 10 * 60_000;
const LAST_LOOK_MS = 2 * 60_000;
const SUMMARY_LIMIT = 300;
const EVIDENCE_LINES = 40;
const EVIDENCE_LINE_LIMIT = 400;

export interface Evaluation {
  gates: Gates;
  /** What a gate of this name may look at. */
  contextFor(name: string): GateContext;
  /** A verdict that is known without judging: found earlier and still true, or a refusal to run the gate. */
  knownVerdict(name: string): Verdict | undefined;
  /** Aborts when the time of all gates together is over; absent: that time has no limit. */
  over?: AbortSignal;
}

/**
 * Judges all gates at the same time, each within its own time limit. `exclusive` gates come after the others, one by one.
 * Late gates and gates that ask a model come last, in this order, and only if everything else may pass. Every gate is judged once, however many lists
 * and combinations name it. The verdicts come in the order of the calls.
 */
export async function evaluateGates(calls: readonly GateCall[], evaluation: Evaluation): Promise<Verdict[]> {
  const verdicts = new Map<string, Verdict>();
  // All gates share one listener: Node warns of a leak when a signal has many.
  const underWay = new Set<() => void>();
  const endAll = () => {
    for (const end of underWay) end();
  };
  const judge = async (call: GateCall) => {
    verdicts.set(call.name, await judgeOne(call, evaluation, underWay));
  };
  evaluation.over?.addEventListener('abort', endAll);
  try {
    // A chunk that passes may make further chunks due.
    for (let due = dueLeaves(calls, verdicts); due.length > 0; due = dueLeaves(calls, verdicts)) {
      const stage = Math.min(...due.map((call) => stageOf(call, evaluation)));
      if (stage === FREE || mayAllPass(calls, verdicts)) {
        const now = due.filter((call) => stageOf(call, evaluation) === stage);
        await Promise.all(now.filter((call) => !call.spec.exclusive).map(judge));
        for (const call of now.filter((c) => c.spec.exclusive)) await judge(call);
      } else for (const call of due) verdicts.set(call.name, notJudged(call, evaluation));
    }
  } finally {
    evaluation.over?.removeEventListener('abort', endAll);
  }
  return calls.map((call) => verdictOf(call, verdicts));
}

const FREE = 0;
const LATE = 1;
const MODELS = 2;

/** When a gate is judged: what costs many runs or money is judged only if everything before it may pass. */
function stageOf({ name, spec }: GateCall, evaluation: Evaluation): number {
  const { late, modelQuestion } = traitsOf(spec.kind);
  if (!late && modelQuestion === undefined) return FREE;
  if (evaluation.knownVerdict(name) !== undefined) return FREE;
  return late ? LATE : MODELS;
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

/** The verdict of a gate that is not judged: while another one fails, it would cost money or many runs for nothing. */
function notJudged({ name, spec }: GateCall, { gates }: Evaluation): Verdict {
  const judgement: Judgement = {
    outcome: 'unproven',
    summary: traitsOf(spec.kind).late
      ? 'not measured yet, because another gate does not pass'
      : 'no model was asked, because another gate does not pass yet',
  };
  return {
    ...presentable(name, spec, judgement, gates[spec.kind] as Gate | undefined),
    ...unprovenRule(spec),
  };
}

/** The gates to judge now: not judged yet, and not in a chunk that is not due. */
function dueLeaves(calls: readonly GateCall[], verdicts: ReadonlyMap<string, Verdict>): GateCall[] {
  const found = new Map<string, GateCall>();
  const visit = (call: GateCall) => {
    if (!call.children) {
      if (!verdicts.has(call.name)) found.set(call.name, call);
    } else if (call.spec.kind === 'chunks') {
      const chunks = call.spec.options.chunks;
      for (const child of call.children) {
        const chunk = chunks.find(({ name }) => name === child.name);
        if (!chunk || isDue(chunk, chunkPasses(call, verdicts))) visit(child);
      }
    } else call.children.forEach(visit);
  };
  calls.forEach(visit);
  return [...found.values()];
}

/** Tells whether a chunk holds nobody up. One that is not part of this judging does not. */
function chunkPasses(call: GateCall, verdicts: ReadonlyMap<string, Verdict>): (name: string) => boolean {
  return (name) => {
    const child = call.children?.find((c) => c.name === name);
    return child === undefined || (isJudged(child, verdicts) && !blocks(asChunk(verdictOf(child, verdicts))));
  };
}

function isJudged(call: GateCall, verdicts: ReadonlyMap<string, Verdict>): boolean {
  return call.children ? call.children.every((c) => isJudged(c, verdicts)) : verdicts.has(call.name);
}

function verdictOf(call: GateCall, verdicts: ReadonlyMap<string, Verdict>): Verdict {
  const { name, spec, children } = call;
  if (children && spec.kind === 'chunks') {
    return { ...combineChunks(name, spec.options.chunks, partsOf(call, verdicts)), ...unprovenRule(spec) };
  }
  if (children && isCombination(spec)) {
    const parts = children.map((child) => verdictOf(child, verdicts));
    return { ...combine(spec.kind, name, parts), ...unprovenRule(spec) };
  }
  const verdict = verdicts.get(name);
  if (!verdict) throw new Error(`gate ${name} was not judged`);
  return verdict;
}

function partsOf(call: GateCall, verdicts: ReadonlyMap<string, Verdict>): Verdict[] {
  const chunks = call.spec.kind === 'chunks' ? call.spec.options.chunks : [];
  const passes = chunkPasses(call, verdicts);
  return (call.children ?? []).map((child) => {
    const chunk = chunks.find(({ name }) => name === child.name);
    return chunk && !isDue(chunk, passes) ? notDueYet(chunk, passes) : asChunk(verdictOf(child, verdicts));
  });
}

async function judgeOne(call: GateCall, evaluation: Evaluation, underWay: Set<() => void>): Promise<Verdict> {
  const { name, spec } = call;
  const known = evaluation.knownVerdict(name);
  if (known) return known;
  const gate = evaluation.gates[spec.kind] as Gate | undefined;
  const judgement = gate ? await judgeNow(gate) : unknownKind(spec);
  return { ...presentable(name, spec, judgement, gate), ...unprovenRule(spec) };

  async function judgeNow(by: Gate): Promise<Judgement> {
    if (evaluation.over?.aborted) return NO_TIME_LEFT;
    const context = evaluation.contextFor(name);
    try {
      return by.instant ? by.judge(spec.options, context) : await withinTime(by, spec, context, underWay);
    } catch (error) {
      return couldNotBeJudged(error as Error);
    }
  }
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

function unprovenRule(spec: GateSpec): { onUnproven?: 'block' | 'allow' } {
  return spec.onUnproven ? { onUnproven: spec.onUnproven } : {};
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
function defaultTimeout(spec: GateSpec): number {
  const waits = traitsOf(spec.kind).waitMs?.(spec.options);
  return waits === undefined ? DEFAULT_TIMEOUT_MS : Math.max(DEFAULT_TIMEOUT_MS, waits + LAST_LOOK_MS);
}

const NO_TIME_LEFT: Judgement = {
  outcome: 'unproven',
  summary: 'no answer within the time that all gates have together',
};

async function withinTime(
  gate: TimedGate,
  spec: GateSpec,
  context: GateContext,
  underWay: Set<() => void>,
): Promise<Judgement> {
  const limit = Math.min(spec.timeoutMs ?? defaultTimeout(spec), LONGEST_TIMER_MS);
  const abort = new AbortController();
  let stopWaiting = () => {};
  try {
    const judging = gate.judge(spec.options, context, abort.signal);
    if (!(judging instanceof Promise)) return judging;
    const late = new Promise<Judgement>((resolve) => {
      const giveUp = (judgement: Judgement) => {
        // Resolves first: what a gate says after the abort is less exact than this.
        resolve(judgement);
        abort.abort();
      };
      const summary = `no answer within ${Math.round(limit / 100) / 10} s`;
      const timer = setTimeout(() => giveUp({ outcome: 'unproven', summary }), limit);
      const noTimeLeft = () => giveUp(NO_TIME_LEFT);
      underWay.add(noTimeLeft);
      stopWaiting = () => {
        clearTimeout(timer);
        underWay.delete(noTimeLeft);
      };
    });
    return await Promise.race([late, judging]);
  } finally {
    stopWaiting();
  }
}
