/** Which turn a request gets. Pure: counters come in, counters go out. */
import { isFields } from '../../engine/core/text/fields.ts';
import type { Rule, Script, Turn } from './simulator-script.ts';

export type { Script, Turn };

/** A request to the Messages API as far as a script looks at it. Every field comes from outside. */
export type RequestBody = Record<string, unknown>;

type Subject = keyof Rule['when'];

interface CompiledRule {
  patterns: [Subject, RegExp][];
  turns: readonly Turn[];
}

export interface CompiledScript {
  source: Script;
  rules: readonly CompiledRule[];
}

/** How many requests the main conversation and each rule have served. */
export interface Counters {
  main: number;
  rules: readonly number[];
}

export interface PickedTurn {
  turn: Turn;
  /** "turn 1" of the main conversation, "after", or "rule 2, turn 1"; counted from 1. */
  servedBy: string;
  counters: Counters;
}

const DEFAULT_TURN: Turn = {};

/** Throws when a pattern is no regular expression: at load, with its place, not in the middle of a session. */
export function compileScript(name: string, script: Script): CompiledScript {
  const rules = (script.rules ?? []).map((rule, i) => ({
    patterns: Object.entries(rule.when).flatMap(([subject, source]): [Subject, RegExp][] =>
      source === undefined ? [] : [[subject as Subject, compilePattern(name, i, subject, source)]],
    ),
    turns: rule.turns,
  }));
  return { source: script, rules };
}

function compilePattern(name: string, rule: number, subject: string, source: string): RegExp {
  try {
    return new RegExp(source, 's');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`script "${name}", rules[${rule}].when.${subject}: ${reason}`, { cause });
  }
}

export const NOTHING_SERVED: Counters = { main: 0, rules: [] };

export function pickTurn(script: CompiledScript, counters: Counters, body: RequestBody): PickedTurn {
  const subjects = subjectsOf(body);
  const index = script.rules.findIndex((rule) =>
    rule.patterns.every(([subject, pattern]) => pattern.test(subjects[subject]())),
  );
  const rule = script.rules[index];
  if (rule) {
    const served = counters.rules[index] ?? 0;
    const rules = script.rules.map((_, i) => (counters.rules[i] ?? 0) + (i === index ? 1 : 0));
    return {
      turn: turnAt(rule.turns, served) ?? rule.turns.at(-1) ?? DEFAULT_TURN,
      servedBy: `rule ${index + 1}, turn ${served + 1}`,
      counters: { ...counters, rules },
    };
  }
  const turn = turnAt(script.source.turns ?? [], counters.main);
  return {
    turn: turn ?? script.source.after ?? DEFAULT_TURN,
    servedBy: turn ? `turn ${counters.main + 1}` : 'after',
    counters: { ...counters, main: counters.main + 1 },
  };
}

/** The turn that serves request `index` (from 0) when each counts as often as it repeats. */
function turnAt(turns: readonly Turn[], index: number): Turn | undefined {
  let left = index;
  for (const turn of turns) {
    const serves = turn.repeat ?? 1;
    if (left < serves) return turn;
    left -= serves;
  }
  return undefined;
}

/** Lazy: the whole body of a long session is only turned into text for a rule that looks at it. */
function subjectsOf(body: RequestBody): Record<Subject, () => string> {
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  return {
    system: () => systemText(body.system),
    model: () => modelOf(body),
    first: () => JSON.stringify(messages[0] ?? ''),
    last: () => JSON.stringify(messages.at(-1) ?? ''),
    any: () => JSON.stringify(body),
  };
}

export function modelOf(body: RequestBody): string {
  return typeof body.model === 'string' ? body.model : '';
}

function systemText(system: unknown): string {
  if (typeof system === 'string') return system;
  if (!Array.isArray(system)) return '';
  return system
    .map((block) => (isFields(block) && typeof block.text === 'string' ? block.text : ''))
    .join('\n');
}

/** Puts the number of the request in place of every `{n}`, at any depth; keys stay as they are. */
export function numbered<Value>(value: Value, n: number): Value;
export function numbered(value: unknown, n: number): unknown {
  if (typeof value === 'string') return value.replaceAll('{n}', String(n));
  if (Array.isArray(value)) return value.map((item: unknown) => numbered(item, n));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, numbered(item, n)]));
}
