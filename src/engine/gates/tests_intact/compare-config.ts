/** Finds what became weaker in the settings of runners, coverage, continuous integration and compilers. */

import { ci, compareScripts } from './config/commands.ts';
import type { ConfigPair, ConfigReader, Guard } from './config/config.ts';
import { compareSelections, runners } from './config/runners.ts';
import { coverage, strictness } from './config/strictness.ts';
import type { Finding } from './model.ts';

const READERS: readonly ConfigReader[] = [runners, coverage, ci, strictness];

export function isConfig(path: string): boolean {
  return READERS.some((reader) => reader.reads(path));
}

const LONGEST_FILE = 256 * 1024;
const LONGEST_LINE = 1_000;

/** Cuts long files and leaves out long lines, because searching them could take very long. */
function bounded({ path, before, after }: ConfigPair): ConfigPair {
  const cut = (text: string) =>
    text
      .slice(0, LONGEST_FILE)
      .split('\n')
      .map((line) => (line.length > LONGEST_LINE ? '' : line))
      .join('\n');
  return {
    path,
    before: before === undefined ? undefined : cut(before),
    after: after === undefined ? undefined : cut(after),
  };
}

export function compareConfig(given: readonly ConfigPair[]): Finding[] {
  const pairs = given.map(bounded);
  const settings = READERS.flatMap((reader) => {
    const read = pairs.filter(({ path }) => reader.reads(path));
    return [...newLoosenings(reader, read), ...lostGuards(reader, read)];
  });
  const scripts = given.flatMap(({ path, before, after }) =>
    /(^|\/)package\.json$/.test(path) && before !== undefined && after !== undefined
      ? compareScripts(path, before, after)
      : [],
  );
  return [...settings, ...compareSelections(pairs), ...scripts];
}

/** Loosenings that no file had before. One that only moved to another file is not new. */
function newLoosenings(reader: ConfigReader, pairs: readonly ConfigPair[]): Finding[] {
  const loosenings = reader.loosenings;
  if (!loosenings) return [];
  const known = new Set(
    pairs.flatMap(({ path, before }) =>
      before === undefined ? [] : loosenings(before, path).map(({ key }) => key),
    ),
  );
  return pairs
    .filter(({ before }) => before !== undefined || reader.newFilesToo)
    .flatMap(({ path, after }) =>
      (after === undefined ? [] : loosenings(after, path))
        .filter(({ key }) => !known.has(key))
        .map(({ key, text, line }) => ({
          id: `${reader.id}:${path}:${key}`,
          path,
          line,
          text,
          weight: isNewRule(key, text, pairs) ? 'suspicion' : 'loss',
        })),
    );
}

function lostGuards(reader: ConfigReader, pairs: readonly ConfigPair[]): Finding[] {
  const guards = reader.guards;
  if (!guards) return [];
  const files = pairs.map(({ path, before, after }) => ({
    path,
    old: before === undefined ? [] : guards(before, path),
    present: after === undefined ? [] : guards(after, path),
  }));
  return files.flatMap(({ path, old, present }) =>
    old.flatMap((guard): Finding[] => {
      const same = present.find(({ key }) => key === guard.key);
      if (same && (same.value ?? 0) >= (guard.value ?? 0)) return [];
      if (isKeptElsewhere(reader, guard, files)) return [];
      return [
        {
          id: `${reader.id}:${path}:${guard.key}`,
          path,
          text: wordsFor(reader, guard, same),
          weight: isRearranged(reader, guard, pairs, files) ? 'suspicion' : 'loss',
        },
      ];
    }),
  );
}

/** A rule that nobody had named before, or that still warns. */
function isNewRule(rule: string, text: string, pairs: readonly ConfigPair[]): boolean {
  if (!text.startsWith('set the rule ')) return false;
  return text.endsWith('to a warning') || !pairs.some(({ before }) => before?.includes(rule));
}

/** Whether the file itself is gone, or steps that run tests are fewer, but not all gone, or in a new file, which may say it otherwise. */
function isRearranged(
  reader: ConfigReader,
  { key }: Guard,
  pairs: readonly ConfigPair[],
  files: readonly GuardedFile[],
): boolean {
  if (!reader.movesByNumber) return reader.id === 'strict' && pairs.every(({ after }) => after === undefined);
  return (
    key !== 'tests' ||
    pairs.some(({ before }) => before === undefined) ||
    files.some(({ present }) => present.some((one) => one.key === key))
  );
}

interface GuardedFile {
  old: readonly Guard[];
  present: readonly Guard[];
}

function isKeptElsewhere(
  reader: ConfigReader,
  { key, value = 0 }: Guard,
  files: readonly GuardedFile[],
): boolean {
  const valueIn = (guards: readonly Guard[]) => guards.find((guard) => guard.key === key)?.value ?? 0;
  const sum = (side: keyof GuardedFile) => files.reduce((total, file) => total + valueIn(file[side]), 0);
  if (reader.movesByNumber) return sum('present') >= sum('old');
  return files.some(({ old, present }) => {
    const now = present.find((guard) => guard.key === key);
    return now !== undefined && (now.value ?? 0) >= value && !old.some((guard) => guard.key === key);
  });
}

function wordsFor(reader: ConfigReader, guard: Guard, now: Guard | undefined): string {
  if (guard.value === undefined) return `${guard.text} is gone`;
  if (now?.value !== undefined) return `${guard.text} fell from ${guard.value} to ${now.value}`;
  return reader.movesByNumber
    ? `${guard.text} fell from ${guard.value} to 0`
    : `${guard.text} (${guard.value}) is gone`;
}
