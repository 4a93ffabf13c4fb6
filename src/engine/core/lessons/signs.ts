/**
 * What the evidence of a verdict names again and again: rules of checkers, and files.
 *
 * Evidence is output of the project, and lessons become instructions for a model. So nothing of it is kept but names of a
 * strict shape: never a sentence, a message or the name of a test.
 */

import type { Verdict } from '../loop/verdict.ts';

export interface Signs {
  rules: string[];
  files: string[];
}

const MOST_LINES = 60;
const LONGEST_LINE = 400;
const LONGEST_RULE = 48;
const LONGEST_FILE = 160;

/** TS2345, E501, SC2086, RUF100, E0382: letters, then digits. */
const CODE = /(?<![\w./-])[A-Z]{1,5}\d{3,5}(?![\w-])/g;
/** Names of standards look like codes of rules. */
const NO_RULE = /^(?:SHA|ISO|UTF|HTTP|RFC|CVE|AES|RSA|IPV|GMT|UTC)\d/;

/** A name of lower-case words with dashes, perhaps of a plugin, where linters write it: in brackets, or last in its line. */
const IN_BRACKETS =
  /[([]((?:@[a-z0-9][a-z0-9-]{0,20}\/)?(?:[a-z][a-z0-9-]{0,20}\/)?[a-z][a-z0-9]*(?:-[a-z0-9]+){1,4})[)\]]/g;
const LAST_IN_LINE =
  /\s((?:@[a-z0-9][a-z0-9-]{0,20}\/)?(?:[a-z][a-z0-9-]{0,20}\/)?[a-z][a-z0-9]*(?:-[a-z0-9]+){1,4})\s*$/;

/** biome, clippy and rubocop write their rules in ways of their own. */
const SPELLED = [
  /\blint\/[a-z0-9]{2,20}\/[a-z][A-Za-z0-9]{2,40}\b/g,
  /\bclippy::[a-z_]{3,40}\b/g,
  /\b(?:Layout|Lint|Metrics|Naming|Style|Security|Performance|Rails|RSpec)\/[A-Z][A-Za-z]{2,40}\b/g,
];

/** A path with the ending of a file, before a place in it or a blank. Whether it exists is asked later. */
const FILE =
  /(?<![\w./@:+-])\/?(?:[\w@+-][\w@.+-]*\/)*[\w@+-][\w@.+-]*\.[A-Za-z][A-Za-z0-9]{0,7}(?=[:(\s,"'`]|$)/g;

/** The rules and files that the evidence of a verdict names, each once. */
export function signsIn({ summary, evidence = [] }: Pick<Verdict, 'summary' | 'evidence'>): Signs {
  const rules = new Set<string>();
  const files = new Set<string>();
  for (const text of [summary, ...evidence].flatMap((part) => part.split('\n')).slice(0, MOST_LINES)) {
    const line = text.slice(0, LONGEST_LINE);
    for (const rule of rulesIn(line)) if (rule.length <= LONGEST_RULE) rules.add(rule);
    for (const [file] of line.matchAll(FILE)) if (isPlainPath(file)) files.add(file);
  }
  return { rules: [...rules], files: [...files] };
}

function rulesIn(line: string): string[] {
  const codes = [...line.matchAll(CODE)].map(([code]) => code).filter((code) => !NO_RULE.test(code));
  const bracketed = [...line.matchAll(IN_BRACKETS)].map(([, name = '']) => name);
  const last = LAST_IN_LINE.exec(line)?.[1];
  const spelled = SPELLED.flatMap((pattern) => [...line.matchAll(pattern)].map(([name]) => name));
  return [...codes, ...bracketed, ...(last === undefined ? [] : [last]), ...spelled];
}

function isPlainPath(path: string): boolean {
  return path.length <= LONGEST_FILE && !path.split('/').includes('..');
}
