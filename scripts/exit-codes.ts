/** Writes the table of docs/reference/exit-codes.md: node scripts/run.mjs scripts/exit-codes.ts */
import { readFileSync, writeFileSync } from 'node:fs';
import { EXIT, EXIT_MEANINGS } from '../src/engine/core/words/exit-codes.ts';

const PAGE = 'docs/reference/exit-codes.md';
const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
const rows = names.map((name) => `| \`${EXIT[name]}\` | ${EXIT_MEANINGS[name]} |`);
const page = readFileSync(PAGE, 'utf8').replace(
  /(?<=^\|(?:---\|)+\n)(?:\|.*\n)+/m,
  () => `${rows.join('\n')}\n`,
);
writeFileSync(PAGE, page);
