import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { contractJsonSchema } from '../../../src/engine/contract/json-schema.ts';
import { parseContract, renderProblem } from '../../../src/engine/contract/read.ts';

const REFERENCE = readFileSync(join(import.meta.dirname, '../../../docs/reference/contract.md'), 'utf8');
const EXAMPLES = [...REFERENCE.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);

describe('the reference for people', () => {
  test.each(EXAMPLES)('is right with %j', (text) => {
    const result = parseContract(text, 'untildone.yaml');
    expect(result.ok ? [] : result.problems.map(renderProblem)).toEqual([]);
    const editor = z.fromJSONSchema(contractJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
    expect(editor.safeParse(parse(text)).success).toBe(true);
  });

  test('names every key, kind and option that the grammar has', () => {
    const missing = [...keysOf(contractJsonSchema())].filter(
      (key) => !REFERENCE.includes(`\`${key}\``) && !isTitle(key),
    );
    expect(missing).toEqual([]);
  });

  test('shows a mistake as it is shown', () => {
    const [line = ''] = /untildone\.yaml:3:20: .*/.exec(REFERENCE) ?? [];
    const result = parseContract('\ngates:\n  tests: { run: x, timout: 5m }\n', 'untildone.yaml');
    expect(result.ok ? [] : result.problems.map(renderProblem)).toEqual([line]);
  });
});

function isTitle(key: string): boolean {
  return new RegExp(`^### (.* )?${key}( .*)?$`, 'm').test(REFERENCE);
}

function keysOf(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return found;
  const { properties } = node as { properties?: object };
  for (const key of Object.keys(properties ?? {})) found.add(key);
  for (const child of Object.values(node)) keysOf(child, found);
  return found;
}
