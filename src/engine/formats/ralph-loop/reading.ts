import { DEFAULT_LIMITS, type GateSpec, type Limits } from '../../core/contract/contract.ts';
import { keepsPromise, renderPromise } from '../../core/loop/promise.ts';
import type { LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import type { Limit } from '../../core/run/option-values.ts';
import { keepShort } from '../../core/text/clip.ts';
import { describeEnding } from '../../core/words/endings.ts';
import { DIFFERENT_APPROACH, failuresOf, howToFinish, REASON_LIMIT } from '../../core/words/reason.ts';
import type { ForeignFiles } from '../../ports/ports.ts';
import type { Held, Words } from '../../ports/session-loop.ts';
import type { ForeignLoop, Reading } from '../format.ts';
import { parseState, type RalphState, withIteration } from './state-file.ts';

/** Ends a loop with `max_iterations: 0`, which means unlimited. `safety_stop: off` in the file switches this off. */
export const SAFETY_STOP = 200;

/** What the text of a state means. */
export function readingOf(path: string, text: string, files: ForeignFiles): Reading {
  const state = parseState(text);
  if (!state) return { kind: 'unusable', problem: `${path} has no front matter between two --- lines` };
  if (/^(false|no|off)$/i.test(state.fields.get('active') ?? '')) return { kind: 'none' };
  if (state.prompt === '')
    return { kind: 'unusable', problem: `${path} holds no prompt below its front matter` };
  return { kind: 'loop', loop: loopOf(path, state, files) };
}

function loopOf(path: string, state: RalphState, files: ForeignFiles): ForeignLoop {
  const { fields, prompt } = state;
  const owner = fields.get('session_id') ?? '';
  const startedAt = fields.get('started_at') ?? '';
  const identity = identityOf(state, files);
  const promise = promiseOf(fields);
  const iteration = countIn(fields, 'iteration');
  const limit = limitOf(fields);
  const isSame = (text: string) => {
    const now = parseState(text);
    return now !== undefined && identityOf(now, files) === identity;
  };
  return {
    identity,
    owner: owner === '' ? undefined : owner,
    claimedBy: 'person',
    task: prompt,
    iteration: iteration.value,
    firstIteration: 1,
    maxIterations: limit.iterations,
    limits: limit.safety,
    gates: promise.gates,
    notes: [...iteration.notes, ...limit.notes, ...promise.notes].map((note) => `${path}: ${note}`),
    judge: ({ hasGates }) => (promise.text === undefined && !hasGates ? [NO_PROMISE] : []),
    renews: (ended) =>
      startedAt === '' &&
      !['cancelled', 'released', 'failed'].includes(ended.status) &&
      (iteration.value ?? 1) <= 1,
    instruct: (held) => instruct(prompt, promise.text, { ...held, taskFile: path }),
    writeBack: (decision, after) => {
      if (decision.kind === 'end') return [{ kind: 'remove', path, when: isSame }];
      if (decision.kind !== 'block') return [];
      const edit = (text = '') => (isSame(text) ? withIteration(text, after.iteration) : undefined);
      return [{ kind: 'edit', path, edit }];
    },
    output: (after) => outputOf(after, promise.text),
  };
}

/** The identity: session, start time and prompt. */
function identityOf({ fields, prompt }: RalphState, files: ForeignFiles): string {
  return files.sha256([fields.get('session_id') ?? '', fields.get('started_at') ?? '', prompt].join('\n'));
}

const NO_PROMISE: Verdict = {
  gate: 'promise',
  kind: 'ralph-loop',
  class: 'claimed',
  outcome: 'fail',
  summary: 'no completion promise is set: only a limit ends this loop',
};

interface PromiseField {
  text?: string;
  gates: Record<string, GateSpec>;
  notes: string[];
}

function promiseOf(fields: RalphState['fields']): PromiseField {
  const text = fields.get('completion_promise') ?? '';
  if (text === '' || text === 'null') return { gates: {}, notes: [] };
  if (!keepsPromise(renderPromise(text), text)) {
    return { gates: {}, notes: ['its completion_promise could never be kept; only a limit ends this loop'] };
  }
  return { text, gates: { promise: { kind: 'promise', options: { text } } }, notes: [] };
}

function countIn(fields: RalphState['fields'], name: string): { value?: number; notes: string[] } {
  const text = fields.get(name);
  if (text === undefined) return { notes: [] };
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return { value, notes: [] };
  return { notes: [`"${name}: ${text.slice(0, 40)}" is no count; untildone counts by itself`] };
}

function limitOf(fields: RalphState['fields']): {
  iterations: Limit;
  safety: Partial<Limits>;
  notes: string[];
} {
  const { value = 0, notes } = countIn(fields, 'max_iterations');
  if (notes.length > 0) {
    const iterations = DEFAULT_LIMITS.iterations;
    return {
      iterations,
      safety: {},
      notes: [`its max_iterations is no count: ${iterations} is taken instead`],
    };
  }
  if (value > 0) return { iterations: value, safety: {}, notes };
  if (/^(off|false|no)$/i.test(fields.get('safety_stop') ?? '')) {
    const none = { durationMs: 'unlimited', costUsd: 'unlimited', tokens: 'unlimited' } as const;
    return { iterations: 'unlimited', safety: none, notes };
  }
  return { iterations: 'unlimited', safety: { iterations: SAFETY_STOP }, notes };
}

const PROMPT_LIMIT = 6000;
const BREAK = '\n\n';

/** The prompt, as the ralph-loop plugin words it, followed by what fails and how to finish. */
export function instruct(prompt: string, promise: string | undefined, held: Held): Words {
  const fails = failuresOf(held.verdicts.filter((v) => v.gate !== 'promise'));
  const after = [
    ...(held.notes ?? []),
    ...(held.instruction === 'different_approach' ? [DIFFERENT_APPROACH] : []),
    ...(fails === '' ? [] : [keepShort(fails, REASON_LIMIT / 4)]),
    ...(promise === undefined ? [] : [howToFinish(promise)]),
  ];
  const reason = [promptOf(prompt, held.taskFile), ...after].join(BREAK);
  return { reason: keepShort(reason, REASON_LIMIT), message: messageOf(promise, held) };
}

function promptOf(prompt: string, taskFile: string): string {
  if (prompt.length <= PROMPT_LIMIT) return prompt;
  return `${keepShort(prompt, PROMPT_LIMIT)}\n(The whole prompt is in ${taskFile}: read it.)`;
}

function messageOf(promise: string | undefined, { iteration, maxIterations }: Held): string {
  if (promise !== undefined)
    return `Ralph iteration ${iteration} | To stop: output ${renderPromise(promise)}`;
  const end =
    maxIterations === 'unlimited' ? 'untildone cancel-ralph ends it' : `it ends at ${maxIterations}`;
  return `Ralph iteration ${iteration} | No completion promise is set: ${end}`;
}

export function outputOf(after: LoopState, promise: string | undefined): Record<string, string> {
  switch (after.status) {
    case 'verified_done':
    case 'claimed_done':
      return promise === undefined ? {} : { message: `Ralph loop: Detected ${renderPromise(promise)}` };
    case 'reached_limit':
      return { message: `Ralph loop: ${limitWords(after)}` };
    default:
      return { message: `Ralph loop: ${describeEnding(after)}` };
  }
}

function limitWords({ ending, maxIterations, iteration }: LoopState): string {
  if (ending?.cause !== 'iterations') return `stopped at the limit of ${ending?.cause ?? 'the loop'}.`;
  if (maxIterations !== 'unlimited') return `Max iterations (${maxIterations}) reached.`;
  return `safety stop after ${iteration} iterations, although max_iterations is 0; "safety_stop: off" in its file takes it away.`;
}
