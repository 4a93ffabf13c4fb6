import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { contractInputText, runSettingsText } from '../../../scripts/library-types.ts';
import { contractJsonSchema, contractJsonSchemaText } from '../../../src/engine/contract/json-schema.ts';
import { CONTRACT_FILE } from '../../../src/engine/core/contract/contract.ts';
import { SRC } from '../../house/files.ts';
import { gate, WHOLE_CONTRACT } from '../../support/contract/contract-samples.ts';

const FILE = join(import.meta.dirname, '../../../schema/untildone.schema.json');

type Node = Record<string, unknown>;

test('the schema in the repository is the one of this grammar (node scripts/run.mjs scripts/schema.ts)', () => {
  expect(readFileSync(FILE, 'utf8')).toBe(contractJsonSchemaText());
});

test('the types of the library are those of this grammar, and of the options of a run (the same script)', () => {
  const written = (name: string) => readFileSync(join(SRC, 'library', name), 'utf8');
  expect(written('contract-input.ts')).toBe(contractInputText());
  expect(written('run-settings.ts')).toBe(runSettingsText());
});

test('every type of value of the schema has a type in TypeScript', () => {
  expect(contractInputText()).not.toMatch(/undefined|null\b|\?: ;/);
  expect(contractInputText()).toContain("mode?: 'hybrid' | 'session' | 'fresh'");
});

describe('an editor that knows the schema', () => {
  const schema = z.fromJSONSchema(contractJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
  const accepts = (text: string) => schema.safeParse(parse(text)).success;

  test('accepts the example of the grammar', () => {
    expect(accepts(WHOLE_CONTRACT)).toBe(true);
  });

  test.each([
    '{ run: npm test, cwd: a, env: { A: 1 }, timeout: 1h30m, exclusive: true }',
    '{ run: { command: npm test, cwd: a } }',
    '{ git: clean }',
    '{ git: { branch: main } }',
    '{ forbid: [debug, { name: x, pattern: y }], paths: [src] }',
    '{ tests_intact: { paths: [x] } }',
    '{ custom: { file: x, with: { a: [1, { b: null }] } } }',
  ])('accepts the gate %s', (body) => {
    expect(accepts(gate(body))).toBe(true);
  });

  test.each([
    'gate: {}',
    gate('{ runn: x }'),
    gate('{ run: x, timout: 5m }'),
    gate('{ run: x, timeout: soon }'),
    gate('{ run: x, features: y }'),
    gate('{ git: claen }'),
    gate('{ forbid: [debgu] }'),
    'limits: { iterations: 0 }',
    'limits: { tokens: 20m }',
    'done: []',
    'on_context: stop',
  ])('refuses %j', (text) => {
    expect(accepts(text)).toBe(false);
  });
});

describe('the schema is ready for the schema store', () => {
  const root = join(import.meta.dirname, '../../..');
  const schema = contractJsonSchema();
  const entry = JSON.parse(readFileSync(join(root, 'schema/catalog-entry.json'), 'utf8'));

  test('its address is the one of the entry for the catalogue, which names the file of a contract', () => {
    expect(schema).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: entry.url,
      title: 'untildone.yaml',
    });
    expect(Object.keys(entry)).toEqual(['name', 'description', 'fileMatch', 'url']);
    expect(entry.fileMatch).toEqual([CONTRACT_FILE]);
  });

  const reader = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => basename(path) === CONTRACT_FILE && !path.includes('node_modules'),
  );
  test.each(examples)('it accepts examples/%s', (path) => {
    const read = reader.safeParse(parse(readFileSync(join(root, 'examples', path), 'utf8')));
    expect(read.error?.issues ?? []).toEqual([]);
  });

  test('and there are such examples', () => {
    expect(examples.length).toBeGreaterThan(2);
  });
});

test('every key of a contract and of a gate has words for the person who completes it', () => {
  const mute: string[] = [];
  const walk = (node: Node, path: string) => {
    for (const [key, value] of Object.entries((node.properties ?? {}) as Record<string, Node>)) {
      const place = `${path}.${key}`;
      if (typeof value.description !== 'string') mute.push(place);
      walk(value, place);
    }
    for (const branch of (node.anyOf ?? []) as Node[]) walk(branch, path);
    if (typeof node.additionalProperties === 'object') walk(node.additionalProperties as Node, `${path}.*`);
    if (node.items) walk(node.items as Node, `${path}[]`);
  };
  walk(contractJsonSchema(), '');
  expect(mute).toEqual([]);
});
