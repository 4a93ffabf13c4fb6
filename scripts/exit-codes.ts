/** Writes the tables of docs/reference/exit-codes.md: node scripts/run.mjs scripts/exit-codes.ts */
import { readFileSync, writeFileSync } from 'node:fs';
import { CATALOGUE } from '../src/cli/help/catalogue.ts';
import { EXIT, EXIT_MEANINGS } from '../src/core/words/exit-codes.ts';

const PAGE = 'docs/reference/exit-codes.md';
const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
const tables = [
  names.map((name) => `| \`${EXIT[name]}\` | ${EXIT_MEANINGS[name]} |`),
  Object.entries(CATALOGUE).flatMap(([command, { exits = {} }]) =>
    Object.entries(exits).map(([code, says]) => `| \`untildone ${command}\` | ${code} | ${says} |`),
  ),
];
const page = readFileSync(PAGE, 'utf8').replace(
  /(?<=^\|(?:---\|)+\n)(?:\|.*\n)+/gm,
  () => `${tables.shift()?.join('\n')}\n`,
);
writeFileSync(PAGE, page);
