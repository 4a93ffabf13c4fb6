import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { testsIntactGate } from '../../../src/engine/gates/tests_intact/index.ts';
import type { FileChange, Workspace } from '../../../src/engine/ports/ports.ts';
import { contextOf } from './work-scene.ts';

/**
 * `weakening`: the gate has to speak. `honest`: it has to be silent. `ask`: either is fine, because only a person can
 * say; such cases do not count.
 */
export type Label = 'weakening' | 'honest' | 'ask';

export interface CorpusCase {
  /** The file of the corpus and its line. */
  at: string;
  language: string;
  label: Label;
  family: string;
  name: string;
  before: Map<string, string>;
  after: Map<string, string>;
}

export const CORPUS = resolve(import.meta.dirname, '../../engine/gates/tests_intact/corpus');

/** A case begins with such a line: `### weakening tolerance: the sum may be off by one`. */
const HEAD = /^### (\S+) (\S+): (.+)$/;
const LABELS: readonly string[] = ['weakening', 'honest', 'ask'];

/** All cases below a folder of the corpus; `held-back` is a folder like any other. */
export function casesIn(folder: string): CorpusCase[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return casesIn(path);
    return entry.name.endsWith('.txt') ? parseCases(relative(CORPUS, path), readFileSync(path, 'utf8')) : [];
  });
}

/**
 * Reads cases from text. Every case is a head line and whole files, written as a diff: `@@ path` begins a file, a line
 * with `-` was there before, one with `+` is there after, one with a space (or an empty one) both times. Throws with the
 * place of what it cannot read.
 */
export function parseCases(file: string, text: string): CorpusCase[] {
  const lines = text.split('\n').map((line, index) => ({ line, at: `${file}:${index + 1}` }));
  const [rest, ...parts] = partsOf(lines, '### ');
  const stray = rest?.find(({ line }) => line.trim() !== '' && !line.startsWith('# '));
  if (stray) throw new Error(`${stray.at}: text before the first case`);
  return parts.map(([head, ...body]) => {
    const [between, ...files] = partsOf(body, '@@ ');
    const lost = between?.find(({ line }) => line.trim() !== '');
    if (lost) throw new Error(`${lost.at}: a line that belongs to no file`);
    const sides = files.map(readFile);
    const side = (name: 'before' | 'after') =>
      new Map(sides.flatMap((one) => (one[name] === undefined ? [] : [[one.path, one[name]]])));
    if (head === undefined) throw new Error(`${file}: a case without a head`);
    return { ...readHead(head), before: side('before'), after: side('after') };
  });
}

interface Line {
  line: string;
  at: string;
}

/** What stands before the first line with such a beginning, then a part for every one. */
function partsOf(lines: readonly Line[], beginning: string): Line[][] {
  const parts: Line[][] = [[]];
  for (const one of lines) {
    if (one.line.startsWith(beginning)) parts.push([]);
    parts.at(-1)?.push(one);
  }
  return parts;
}

function readFile([head, ...body]: Line[]): { path: string; before?: string; after?: string } {
  const odd = body.find(({ line }) => line !== '' && !/^[-+ ]/.test(line));
  if (odd) throw new Error(`${odd.at}: the line begins with neither -, + nor a space`);
  const without = (mark: string) => {
    const kept = body.filter(({ line }) => !line.startsWith(mark)).map(({ line }) => line.slice(1));
    return kept.every((line) => line === '') ? undefined : `${kept.join('\n').replace(/\n+$/, '')}\n`;
  };
  return { path: head?.line.slice(3).trim() ?? '', before: without('+'), after: without('-') };
}

function readHead({ line, at }: Line): Omit<CorpusCase, 'before' | 'after'> {
  const [, label = '', family = '', name = ''] = HEAD.exec(line) ?? [];
  if (!LABELS.includes(label))
    throw new Error(`${at}: a case begins with "### weakening|honest|ask FAMILY: NAME"`);
  const language = at.replace(/^held-back\//, '').split('/')[0] ?? '';
  return { at, language, label: label as Label, family, name };
}

/** What the gate holds for in a case, and what it only notes. */
export async function judgeCase({ before, after }: CorpusCase): Promise<Pick<JudgedCase, 'held' | 'noted'>> {
  const workspace = workspaceOf(before, after);
  const context = contextOf(
    { project: '/project', workspace, folder: '/project' } as Parameters<typeof contextOf>[0],
    { baseTree: 'before', tree: 'after' },
  );
  const { signal } = new AbortController();
  const {
    outcome,
    summary,
    evidence = [summary],
    notes = [],
  } = await testsIntactGate.judge({}, context, signal);
  return { held: outcome === 'pass' ? [] : evidence, noted: notes };
}

/** A workspace with two trees, in memory. */
function workspaceOf(before: Map<string, string>, after: Map<string, string>): Workspace {
  const unused = () => Promise.reject(new Error('a case has no repository'));
  return {
    root: '/project',
    tree: async () => 'after',
    changes: async () => changesBetween(before, after),
    addedLines: unused,
    contentAt: async (tree, path) => (tree === 'before' ? before : after).get(path),
    read: async (path) => after.get(path),
    find: async () => [...after.keys()],
    head: unused,
    git: unused,
  };
}

/** As git tells them: a file that is gone and one that is new and alike are one that was renamed. */
function changesBetween(before: Map<string, string>, after: Map<string, string>): FileChange[] {
  const gone = [...before.keys()].filter((path) => !after.has(path));
  const changes: FileChange[] = [];
  for (const [path, text] of after) {
    const old = before.get(path);
    if (old === text) continue;
    if (old !== undefined) {
      changes.push({ path, change: 'modified' });
      continue;
    }
    const from = gone.find((name) => likeness(before.get(name) ?? '', text) >= 0.5);
    if (from === undefined) changes.push({ path, change: 'added' });
    else {
      gone.splice(gone.indexOf(from), 1);
      changes.push({ path, change: 'renamed', from });
    }
  }
  return [...changes, ...gone.map((path) => ({ path, change: 'deleted' as const }))];
}

/** The share of lines that two texts have in common. */
function likeness(one: string, other: string): number {
  const lines = one.split('\n').filter((line) => line.trim() !== '');
  const others = other.split('\n').filter((line) => line.trim() !== '');
  const kept = new Set(others);
  return lines.filter((line) => kept.has(line)).length / Math.max(lines.length, others.length, 1);
}

/** How well the gate tells weakenings from honest work. */
export interface Score {
  weakenings: number;
  /** Weakenings that hold, and those that hold or are named. */
  held: number;
  named: number;
  honest: number;
  /** Honest work that is held, and that which is held or noted. */
  falseAlarms: number;
  falseNotes: number;
}

export interface JudgedCase extends CorpusCase {
  held: string[];
  noted: string[];
}

export async function judgeAll(cases: readonly CorpusCase[]): Promise<JudgedCase[]> {
  const judged: JudgedCase[] = [];
  for (const one of cases) judged.push({ ...one, ...(await judgeCase(one)) });
  return judged;
}

const isHeld = ({ held }: JudgedCase) => held.length > 0;
const isNamed = ({ held, noted }: JudgedCase) => held.length + noted.length > 0;

export function scoreOf(judged: readonly JudgedCase[]): Score {
  const weakenings = judged.filter(({ label }) => label === 'weakening');
  const honest = judged.filter(({ label }) => label === 'honest');
  return {
    weakenings: weakenings.length,
    held: weakenings.filter(isHeld).length,
    named: weakenings.filter(isNamed).length,
    honest: honest.length,
    falseAlarms: honest.filter(isHeld).length,
    falseNotes: honest.filter(isNamed).length,
  };
}

/** The scores as a table: in all, by language and by family. */
export function scoreTable(judged: readonly JudgedCase[]): string {
  const groups: [string, readonly JudgedCase[]][] = [['all', judged]];
  for (const key of ['language', 'family'] as const)
    for (const value of [...new Set(judged.map((one) => one[key]))].sort())
      groups.push([`${key} ${value}`, judged.filter((one) => one[key] === value)]);
  const percent = (part: number, whole: number) =>
    whole === 0 ? '-' : `${part}/${whole} ${Math.round((100 * part) / whole)} %`;
  const rows = groups.map(([name, some]) => {
    const { weakenings, held, named, honest, falseAlarms, falseNotes } = scoreOf(some);
    const found = `held ${percent(held, weakenings).padEnd(14)} named ${percent(named, weakenings).padEnd(14)}`;
    return `${name.padEnd(32)} ${found} false holds ${percent(falseAlarms, honest).padEnd(12)} false notes ${percent(falseNotes, honest)}`;
  });
  return rows.join('\n');
}

/** The cases that were judged wrongly, one line each. */
export function mistakes(judged: readonly JudgedCase[]): string[] {
  return judged.flatMap((one) => {
    const { at, label, family, name, held, noted } = one;
    if (label === 'weakening' && !isNamed(one)) return [`missed      ${at} ${family}: ${name}`];
    if (label === 'honest' && isNamed(one))
      return [
        `false ${isHeld(one) ? 'hold' : 'note'}  ${at} ${family}: ${name}\n            ${[...held, ...noted][0]}`,
      ];
    return [];
  });
}
