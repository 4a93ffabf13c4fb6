/** `phases`, `chunks` and `preset` of a contract: the order of the work. */
import * as z from 'zod';
import { type Contract, type GateSpec, type Phase, PRESETS } from '../core/contract/contract.ts';
import type { Chunk } from '../core/contract/gate-options.ts';
import { presetFor, REVIEW } from '../core/contract/presets.ts';
import { gateNames, nameOf, onlyTrue, pathOf, textOf, timeOf, wholeNumber } from '../schema/values.ts';
import { oneOf, say, strict } from '../schema/words.ts';

const PHASES = 'phases: { plan: { do: Write PLAN.md, checkpoint: true }, build: { exit: [tests] } }';
const CHECKPOINT = 'checkpoint: { ask: "Is the plan good?", file: PLAN.md }';
const CHUNKS = 'chunks: { model: { do: Write the data model, gates: [tests] } }';
const AFTER = 'after: [model]';
const YEAR = 365 * 86_400_000;

/** The name of the gate that asks you at the end of a phase. */
export function approvalOf(phase: string): string {
  return `${phase}_approved`;
}

/** The name of the gate that all chunks become. */
export const CHUNKS_GATE = 'chunks';

const checkpoint = z
  .union([
    onlyTrue(CHECKPOINT),
    textOf('a question', CHECKPOINT),
    strict(
      {
        ask: textOf('a question', CHECKPOINT).describe('The question that you are asked.'),
        file: pathOf('a file', CHECKPOINT)
          .describe('The file that you approve, with the text that it has then; ticks may still change.')
          .exactOptional(),
      },
      'true, a question, or { ask, file }',
      CHECKPOINT,
    ),
  ])
  .describe('The phase ends only when you approve it: untildone approve.');

const phaseWords = say('a phase with exit gates, or with a checkpoint', PHASES);

const phase = strict(
  {
    do: textOf('a text', PHASES).describe('What is to be done in this phase.').exactOptional(),
    entry: gateNames('entry: [plan]').describe('Gates that pass before it begins.').exactOptional(),
    exit: gateNames('exit: [tests]').describe('Gates that pass before the next one begins.').exactOptional(),
    checkpoint: checkpoint.exactOptional(),
    limits: strict(
      {
        iterations: wholeNumber('limits: { iterations: 10 }')
          .describe('How often the work may go on in this phase.')
          .exactOptional(),
        duration: timeOf('limits: { duration: 2h }', YEAR)
          .describe('Working time in this phase.')
          .exactOptional(),
      },
      'limits of the phase: iterations, duration',
      'limits: { iterations: 10, duration: 2h }',
    )
      .describe('What ends a loop that is stuck in this phase.')
      .exactOptional(),
  },
  'a phase',
  PHASES,
).refine((value) => value.exit !== undefined || value.checkpoint !== undefined, phaseWords);

export const phases = z
  .record(nameOf('a name', PHASES), phase, say('phases by name, in their order', PHASES))
  .refine((value) => Object.keys(value).length > 0, say('at least one phase', PHASES))
  .describe('The order of the work. A loop is held in a phase until its exit gates pass.');

const chunk = strict(
  {
    do: textOf('a text', CHUNKS).describe('What is to be done.'),
    gates: gateNames(CHUNKS).describe('The gates that show that it is done.'),
    after: z
      .array(z.string(say('the name of a chunk', AFTER)), say('a list of chunks', AFTER))
      .describe('The chunks that come first. Absent: the one before it. []: none.')
      .exactOptional(),
  },
  'a chunk',
  CHUNKS,
);

export const chunks = z
  .record(nameOf('a name', CHUNKS), chunk, say('chunks by name, in their order', CHUNKS))
  .refine((value) => Object.keys(value).length > 0, say('at least one chunk', CHUNKS))
  .describe('The pieces of a plan, each with its own gates. Together they are the gate "chunks".');

export const preset = oneOf(PRESETS, 'preset: verified-done').describe(
  'Ready-made phases with their gates; your own gate of the same name takes the place of one of them.',
);

export const complexity = z
  .int(say('a whole number from 1 to 10', 'complexity: 5'))
  .min(1, say('a whole number from 1 to 10', 'complexity: 5'))
  .max(10, say('a whole number from 1 to 10', 'complexity: 5'))
  .describe('Of preset verified-done: from 7 on, and when absent, there is an adversarial review.');

export interface WrittenPlan {
  gates?: Record<string, GateSpec>;
  phases?: z.output<typeof phases>;
  chunks?: z.output<typeof chunks>;
  preset?: z.output<typeof preset>;
  complexity?: number;
}

/** What the order of the work adds to a contract. */
export interface Plan {
  gates: Record<string, GateSpec>;
  phases: Phase[];
  /** Gates that are always part of `done`. */
  done: string[];
  preset?: NonNullable<Contract['preset']>;
}

export function planFrom(written: WrittenPlan): Plan {
  const own = written.gates ?? {};
  const preset = written.preset && presetFor(own, written.complexity);
  const pieces = written.chunks && chunksFrom(written.chunks);
  const chunkGates: Record<string, GateSpec> = pieces
    ? { [CHUNKS_GATE]: { kind: 'chunks', options: { chunks: pieces } } }
    : {};
  return {
    gates: { ...preset?.gates, ...approvalsFrom(written.phases ?? {}), ...chunkGates },
    phases: preset?.phases ?? phasesFrom(written.phases ?? {}),
    done: Object.keys(chunkGates),
    ...(written.preset === undefined
      ? {}
      : {
          preset: {
            name: written.preset,
            reviewUnlessSimple:
              written.complexity === undefined && preset?.gates[REVIEW] ? (true as const) : undefined,
          },
        }),
  };
}

function phasesFrom(written: z.output<typeof phases>): Phase[] {
  return Object.entries(written).map(([name, value]) => ({
    name,
    instruction: value.do,
    entry: [...new Set(value.entry ?? [])],
    exit: [...new Set([...(value.exit ?? []), ...(value.checkpoint ? [approvalOf(name)] : [])])],
    limits: value.limits === undefined ? undefined : limitsFrom(value.limits),
  }));
}

function limitsFrom({ iterations, duration }: { iterations?: number; duration?: number }) {
  return {
    iterations,
    durationMs: duration,
  };
}

/** The gates that ask you at the end of a phase. */
function approvalsFrom(written: z.output<typeof phases>): Record<string, GateSpec> {
  return Object.fromEntries(
    Object.entries(written).flatMap(([name, { checkpoint: at }]) => {
      if (at === undefined) return [];
      const otherwise = `Is the phase "${name}" good?`;
      const options = at === true ? { ask: otherwise } : typeof at === 'string' ? { ask: at } : at;
      return [[approvalOf(name), { kind: 'approve', options } satisfies GateSpec]];
    }),
  );
}

function chunksFrom(written: z.output<typeof chunks>): Chunk[] {
  const names = Object.keys(written);
  return Object.entries(written).map(([name, value], i) => ({
    name,
    instruction: value.do,
    gates: [...new Set(value.gates)],
    after: [...new Set(value.after ?? names.slice(Math.max(0, i - 1), i))],
  }));
}
