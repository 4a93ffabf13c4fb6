import * as z from 'zod';
import { METRIC_NAMES, type MetricCondition, type MetricName } from '../../core/contract/gate-options.ts';
import { onlyTrue } from '../../schema/values.ts';
import { say } from '../../schema/words.ts';
import { gateKind } from '../kind-grammar.ts';

const METRICS = 'worked: { metrics: { tool_use: ">=5" } }';
const COMPARISON = /^\s*(>=|<=|==|=|>|<)\s*(\d+(?:\.\d+)?)\s*$/;
const words = say('a comparison like ">=5" or "<20", or a number, which is the least', METRICS);

const comparison = z.union([z.number(words).min(0, words), z.string(words).regex(COMPARISON, words)], words);

const counted = (what: string) => comparison.describe(`${what}, since the loop began.`).exactOptional();

export const metricsGrammar = gateKind({
  kind: 'metrics',
  about:
    'Counts of this loop are as large, or as small, as asked for. A claim: an agent can do anything as often as it is asked to.',
  example: METRICS,
  what: onlyTrue(METRICS),
  otherwise: true,
  options: {
    tool_use: counted('Calls of tools'),
    tool_usage: counted('The same as tool_use'),
    bash_commands: counted('Calls of Bash'),
    file_operations: counted('Calls of Read, Write, Edit and their kind'),
    search_operations: counted('Calls of Grep, Glob, WebSearch and their kind'),
    tool_errors: counted('Calls of tools that failed or were refused'),
    iterations: counted('Iterations'),
    lock_blocks: counted('Stops that were held'),
    tokens: counted('Tokens spent, as of the Stop before'),
    cost_usd: counted('US dollars spent, as of the Stop before'),
  },
  conflict: (_, options) =>
    Object.keys(options).length === 0 ? `at least one of ${METRIC_NAMES.join(', ')}` : undefined,
  build: (_, options) => ({
    conditions: Object.entries(options).flatMap(([name, asked]) =>
      asked === undefined ? [] : [conditionOf(name, asked)],
    ),
  }),
});

function conditionOf(name: string, asked: string | number): MetricCondition {
  const metric = (name === 'tool_usage' ? 'tool_use' : name) as MetricName;
  const [, op = '>=', value = String(asked)] = COMPARISON.exec(String(asked)) ?? [];
  return { metric, op: (op === '=' ? '==' : op) as MetricCondition['op'], value: Number(value) };
}
