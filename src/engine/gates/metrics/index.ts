import type { MetricCondition, MetricName } from '../../core/contract/gate-options.ts';
import { categoryOf } from '../../core/tools/tool-categories.ts';
import type { Gate, GateContext, Judgement, Judges } from '../gate.ts';
import { keptBy } from '../shared/asks.ts';
import { conditionWords, metricsTraits } from './traits.ts';

/** Counts of a loop. Tools are counted in the transcript of the session, on from where the last Stop stopped counting. */
export const metricsGate: Gate<'metrics'> = {
  ...metricsTraits,
  judge({ conditions }, context) {
    const { loop } = context.request;
    if (!loop) return { outcome: 'skip', summary: 'these counts are kept in loops only' };
    const needsTools = conditions.some(({ metric }) => isToolCount(metric));
    const tools = needsTools ? toolCounts(context, loop.startedAt) : NOTHING;
    if (!tools)
      return {
        outcome: 'unproven',
        summary: 'the calls of tools cannot be counted: Claude Code named no transcript that can be read',
      };
    const counts: Record<MetricName, number> = {
      ...tools,
      iterations: loop.iteration,
      lock_blocks: loop.iteration - 1,
      tokens: loop.tokens,
      cost_usd: loop.costUsd,
    };
    return judgement(conditions, counts);
  },
};

const TOOL_COUNTS = [
  'tool_use',
  'bash_commands',
  'file_operations',
  'search_operations',
  'tool_errors',
] as const;
type ToolCounts = Record<(typeof TOOL_COUNTS)[number], number>;

const NOTHING: ToolCounts = {
  tool_use: 0,
  bash_commands: 0,
  file_operations: 0,
  search_operations: 0,
  tool_errors: 0,
};

function isToolCount(metric: MetricName): boolean {
  return (TOOL_COUNTS as readonly string[]).includes(metric);
}

function judgement(conditions: readonly MetricCondition[], counts: Record<MetricName, number>): Judgement {
  const said = (condition: MetricCondition) =>
    `${condition.metric} is ${shown(counts[condition.metric])}, asked for is ${condition.op} ${condition.value}`;
  const open = conditions.filter(({ metric, op, value }) => !HOLDS[op](counts[metric], value));
  if (open.length === 0)
    return {
      outcome: 'pass',
      summary: conditions.map((each) => `${each.metric} is ${shown(counts[each.metric])}`).join(', '),
    };
  const tooLarge = open.filter(
    ({ metric, op, value }) => op !== '>=' && op !== '>' && counts[metric] >= value,
  );
  return {
    outcome: 'fail',
    summary: open.map(said).join('; '),
    next:
      tooLarge.length > 0
        ? `Tell the user that ${tooLarge.map(({ metric }) => metric).join(' and ')} cannot become smaller again: they can change the contract, or end the loop with untildone release.`
        : 'Go on with the task: look for what is still open, and verify what you did. Calls that serve nothing but this count help nobody.',
    // Growing counts are no new failure.
    fingerprint: open.map(conditionWords).join('\n'),
  };
}

const HOLDS: Record<MetricCondition['op'], (is: number, asked: number) => boolean> = {
  '>=': (is, asked) => is >= asked,
  '>': (is, asked) => is > asked,
  '<=': (is, asked) => is <= asked,
  '<': (is, asked) => is < asked,
  '==': (is, asked) => is === asked,
};

function shown(count: number): string {
  return String(Math.round(count * 100) / 100);
}

/** How far a transcript was counted. */
interface Counted extends ToolCounts {
  offset: number;
}

const KEPT = 'metrics';
const MOST_TRANSCRIPTS = 100;

/** The counts over all sessions of the loop. Undefined: the transcript cannot be read. */
function toolCounts(context: GateContext, since: number): ToolCounts | undefined {
  const { transcript } = context.request;
  const { toolCalls } = context.judges;
  const kept = keptBy(context);
  if (transcript === undefined || !toolCalls) return undefined;
  const known = parseKept(kept?.read(KEPT));
  const counted = counting(known.get(transcript) ?? { ...NOTHING, offset: 0 }, transcript, toolCalls, since);
  if (counted.offset === 0) return undefined;
  known.set(transcript, counted);
  kept?.write(KEPT, Object.fromEntries([...known].slice(-MOST_TRANSCRIPTS)));
  const sums = { ...NOTHING };
  for (const each of known.values()) for (const name of TOOL_COUNTS) sums[name] += each[name];
  return sums;
}

/** Counts to the end of the transcript, a bounded piece at a time. */
function counting(
  before: Counted,
  transcript: string,
  toolCalls: NonNullable<Judges['toolCalls']>,
  since: number,
): Counted {
  let counts = before;
  for (;;) {
    const { offset, calls, failed } = toolCalls(transcript, counts.offset);
    // A transcript that became shorter is a new one.
    const from = offset < counts.offset ? { ...NOTHING, offset: 0 } : counts;
    if (offset === counts.offset) return counts;
    const ours = calls.filter(({ at = since }) => at >= since);
    const categories = ours.map(({ tool }) => categoryOf(tool));
    const of = (name: string) => categories.filter((category) => category === name).length;
    counts = {
      offset,
      tool_use: from.tool_use + ours.length,
      bash_commands: from.bash_commands + of('bash_commands'),
      file_operations: from.file_operations + of('file_operations'),
      search_operations: from.search_operations + of('search_operations'),
      tool_errors: from.tool_errors + failed.filter(({ at = since }) => at >= since).length,
    };
  }
}

function parseKept(value: unknown): Map<string, Counted> {
  const isCounted = (each: unknown): each is Counted =>
    typeof each === 'object' &&
    each !== null &&
    ['offset', ...TOOL_COUNTS].every((name) => Number.isSafeInteger((each as Record<string, unknown>)[name]));
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return new Map(entries.filter((entry): entry is [string, Counted] => isCounted(entry[1])));
}
