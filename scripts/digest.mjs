#!/usr/bin/env node
// Assembles src/adapters/digest.wat into src/adapters/digest-code.ts; a test holds the two together.
import { readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';

const { parseWat } = await wabt();
const module = parseWat('digest.wat', readFileSync('src/adapters/digest.wat', 'utf8'));
const { buffer } = module.toBinary({});
const lines =
  Buffer.from(buffer)
    .toString('base64')
    .match(/.{1,100}/g) ?? [];
writeFileSync(
  'src/adapters/digest-code.ts',
  `/** Made from digest.wat by scripts/digest.mjs: do not edit. */
export const DIGEST_CODE =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`,
);
