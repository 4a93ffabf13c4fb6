/** Changes of the limits of a fleet, as they are typed, and as a file names them. */

import { UsageError } from '../text/errors.ts';
import { isFields } from '../text/fields.ts';
import type { FleetLimits } from './limits.ts';
import { checkedLabels } from './terms.ts';

interface Kind {
  /** The flag without its dashes, which `--unset` takes, too. */
  flag: string;
  key: keyof FleetLimits;
  json: string;
  /** What a limit is about: one of each, by name. Absent: there is one such limit. */
  of?: 'repo' | 'label' | 'model';
  unit: 'runs' | 'iterations a minute' | 'USD a day';
  words: string;
}

export const LIMIT_KINDS: readonly Kind[] = [
  { flag: 'runs', key: 'runs', json: 'runs', unit: 'runs', words: 'at a time, in all' },
  {
    flag: 'per-repo',
    key: 'runsPerRepo',
    json: 'runs_per_repo',
    unit: 'runs',
    words: 'at a time, in each repository',
  },
  { flag: 'repo', key: 'runsOfRepo', json: 'runs_of_repo', of: 'repo', unit: 'runs', words: 'at a time, in' },
  {
    flag: 'label',
    key: 'runsOfLabel',
    json: 'runs_of_label',
    of: 'label',
    unit: 'runs',
    words: 'at a time, with label',
  },
  {
    flag: 'rate',
    key: 'iterationsPerMinute',
    json: 'iterations_per_minute',
    of: 'model',
    unit: 'iterations a minute',
    words: 'of model',
  },
  { flag: 'usd-per-day', key: 'usdPerDay', json: 'usd_per_day', unit: 'USD a day', words: 'in all' },
  {
    flag: 'usd-per-repo',
    key: 'usdPerRepoPerDay',
    json: 'usd_per_repo_per_day',
    unit: 'USD a day',
    words: 'in each repository',
  },
  {
    flag: 'usd-of-repo',
    key: 'usdOfRepoPerDay',
    json: 'usd_of_repo_per_day',
    of: 'repo',
    unit: 'USD a day',
    words: 'in',
  },
];

/** A repository's address as a fleet knows it. */
type RepoOf = (text: string) => string;

/** What was typed: the value of each flag, and what `--unset` names. */
export interface LimitChanges {
  set: { flag: string; value: string }[];
  unset: string[];
}

export function changedFleetLimits(
  before: FleetLimits,
  { set, unset }: LimitChanges,
  repoOf: RepoOf,
): FleetLimits {
  let limits = before;
  for (const what of unset) limits = withoutLimit(limits, what, repoOf);
  for (const { flag, value } of set) limits = withLimit(limits, kindOf(flag), value, repoOf);
  return limits;
}

function withLimit(limits: FleetLimits, kind: Kind, text: string, repoOf: RepoOf): FleetLimits {
  if (!kind.of) return { ...limits, [kind.key]: amountOf(text, kind) };
  const cut = text.lastIndexOf('=');
  if (cut < 1)
    throw new UsageError(
      `--${kind.flag} takes ${kind.of === 'repo' ? 'URL' : 'NAME'}=NUMBER, found "${text}"`,
    );
  const name = nameOf(kind, text.slice(0, cut), repoOf);
  return { ...limits, [kind.key]: { ...ofNames(limits, kind), [name]: amountOf(text.slice(cut + 1), kind) } };
}

/** `runs`, `label=gpu`, `label` (all of them), or `all`. */
function withoutLimit(limits: FleetLimits, what: string, repoOf: RepoOf): FleetLimits {
  if (what === 'all') return {};
  const cut = what.indexOf('=');
  const kind = kindOf(cut < 0 ? what : what.slice(0, cut));
  const { [kind.key]: _, ...rest } = limits;
  if (!kind.of || cut < 0) return rest;
  const { [nameOf(kind, what.slice(cut + 1), repoOf)]: __, ...others } = ofNames(limits, kind);
  return Object.keys(others).length === 0 ? rest : { ...rest, [kind.key]: others };
}

function kindOf(flag: string): Kind {
  const plain = flag.trim().replace(/^--/, '');
  const kind = LIMIT_KINDS.find((each) => each.flag === plain || each.json === plain);
  if (kind) return kind;
  throw new UsageError(
    `there is no limit called "${flag}"; there are: ${LIMIT_KINDS.map((each) => each.flag).join(', ')}, and all`,
  );
}

function nameOf({ of }: Kind, text: string, repoOf: RepoOf): string {
  if (of === 'repo') return repoOf(text);
  if (of === 'label') return checkedLabels([text])[0] ?? '';
  const model = text.trim();
  if (model !== '' && !/\p{Cc}/u.test(model)) return model;
  throw new UsageError('name the model, or * for every model that has no limit of its own: --rate "*=60"');
}

function ofNames(limits: FleetLimits, { key }: Kind): Record<string, number> {
  return (limits[key] ?? {}) as Record<string, number>;
}

function amountOf(text: string | number, { flag, unit }: Kind): number {
  const number = Number(text);
  const isMoney = unit === 'USD a day';
  const isFine = isMoney ? number >= 0 : Number.isSafeInteger(number) && number >= 0;
  if (/^\d+(\.\d+)?$/.test(String(text).trim()) && isFine) return number;
  throw new UsageError(
    `--${flag}: expected ${isMoney ? 'an amount in USD like 50' : 'a whole number from 0'}, found "${text}"; --unset ${flag} takes the limit away`,
  );
}

/** The limits as JSON: what `fleet limits --json` prints, and what `--from` reads. */
export function limitsJson(limits: FleetLimits): Record<string, unknown> {
  return Object.fromEntries(LIMIT_KINDS.map(({ key, json }) => [json, limits[key] ?? null]));
}

/** The limits of a file take the place of all others. */
export function limitsFromJson(text: string, file: string, repoOf: RepoOf): FleetLimits {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${file}: expected an object like {"runs": 40, "runs_of_label": {"gpu": 2}}`);
  let limits: FleetLimits = {};
  for (const [name, said] of Object.entries(value)) {
    if (said === null) continue;
    const kind = kindOf(name);
    const entries = kind.of ? Object.entries(mapIn(said, `${file}: ${name}`)) : [[undefined, said] as const];
    for (const [of, most] of entries)
      limits = withLimit(limits, kind, of === undefined ? String(most) : `${of}=${String(most)}`, repoOf);
  }
  return limits;
}

function mapIn(value: unknown, where: string): Record<string, unknown> {
  if (isFields(value)) return value;
  throw new UsageError(`${where}: expected an object with a number for each name`);
}
