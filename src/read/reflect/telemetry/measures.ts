/** Counters and histograms that follow from the spans of loops. */
import type { FinishedSpan } from './spans.ts';

export interface Measure {
  name: string;
  kind: 'counter' | 'histogram';
  unit: string;
  value: number;
  attributes: Record<string, string | number | boolean>;
}

export function measuresOf({ name, attributes, startMs, endMs, error }: FinishedSpan): Measure[] {
  const pick = (...keys: string[]) =>
    Object.fromEntries(
      keys.flatMap((key) => (attributes[key] === undefined ? [] : [[key, attributes[key]]])),
    );
  const count = (of: string, unit: string, ...keys: string[]): Measure => ({
    name: of,
    kind: 'counter',
    unit,
    value: 1,
    attributes: pick(...keys),
  });
  const seconds = (of: string, ...keys: string[]): Measure => {
    const failed: Measure['attributes'] = error === undefined ? {} : { 'error.type': error };
    const value = (endMs - startMs) / 1000;
    return { name: of, kind: 'histogram', unit: 's', value, attributes: { ...pick(...keys), ...failed } };
  };
  const sum = (of: string, unit: string, key: string): Measure[] => {
    const value = Number(attributes[key] ?? 0);
    return value > 0 ? [{ name: of, kind: 'counter', unit, value, attributes: {} }] : [];
  };
  const gate = ['untildone.gate.name', 'untildone.gate.kind', 'untildone.gate.outcome'];
  if (name.startsWith('gate '))
    return [
      count('untildone.gate.verdicts', '{verdict}', ...gate, 'untildone.gate.reused'),
      ...(attributes['untildone.gate.reused'] === true ? [] : [seconds('untildone.gate.duration', ...gate)]),
    ];
  switch (name) {
    case 'untildone.iteration':
      return [
        count('untildone.stops', '{stop}', 'untildone.decision', 'untildone.decision.cause'),
        seconds('untildone.iteration.duration', 'untildone.decision'),
      ];
    case 'invoke_agent Claude Code':
      return [
        count('untildone.sessions', '{session}', 'untildone.session.end'),
        seconds('untildone.session.duration', 'gen_ai.operation.name', 'gen_ai.provider.name'),
      ];
    default:
      // A loop that is paused is counted when it ends.
      if (attributes['untildone.paused'] === true) return [];
      return [
        count('untildone.loops', '{loop}', 'untildone.ending', 'untildone.ending.cause'),
        seconds('untildone.loop.duration', 'untildone.ending'),
        ...sum('untildone.tokens', '{token}', 'untildone.tokens'),
        ...sum('untildone.cost', '{USD}', 'untildone.cost_usd'),
      ];
  }
}
