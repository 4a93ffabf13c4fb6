import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as all from '../../../../src/engine/core/chains/all.ts';
import type { ToolChain } from '../../../../src/engine/core/chains/chain.ts';
import * as template from '../../../../src/engine/core/chains/template.ts';
import { pathMatcher } from '../../../../src/engine/core/text/globs.ts';
import { SRC } from '../../../house/files.ts';

const FOLDER = `${SRC}/engine/core/chains`;
const NO_CHAINS = ['all.ts', 'chain.ts'];
const names = readdirSync(FOLDER).filter((name) => !NO_CHAINS.includes(name));

const chains = await Promise.all(
  names.map(async (name) => [name, (await import(`${FOLDER}/${name}`)) as Record<string, unknown>] as const),
);

function listed(fact: string): readonly unknown[] {
  return Object.entries(all).find(([key]) => key === fact)?.[1] ?? [];
}

describe.each(chains)('%s keeps the contract of a chain', (name, exports) => {
  const chain: ToolChain = exports;

  test('it has something to tell, and only what a chain may tell', () => {
    expect(Object.keys(exports).length).toBeGreaterThan(0);
    expect(Object.keys(exports).filter((fact) => !Object.hasOwn(all, fact))).toEqual([]);
  });

  test('all its facts are listed, but those of the template', () => {
    const told = Object.entries(exports).map(([fact, value]) => [fact, listed(fact).includes(value)]);
    expect(told).toEqual(Object.keys(exports).map((fact) => [fact, name !== 'template.ts']));
  });

  test('its expressions take paths as they come, and keep no state', () => {
    const { tests = [], runnerSettings = [], sharedSettings = [], dependencyFiles = [] } = chain;
    for (const pattern of [tests, runnerSettings, sharedSettings, dependencyFiles].flat()) {
      expect(pattern.flags).toMatch(/^i?$/);
      expect(pattern.test('')).toBe(false);
      expect(pattern.test('src/product.x')).toBe(false);
    }
  });

  test('the endings of its sources are whole endings', () => {
    expect(chain.sources?.source ?? '^$').toMatch(/^\^.*\$$/);
    expect(chain.sources?.test('md') ?? false).toBe(false);
  });

  test('remarks that mute its tools have a name for contracts, and mute nothing in a plain comment', () => {
    for (const { name: said, expression, languages } of chain.mutes ?? []) {
      expect(said).toMatch(/^[a-z][a-z\d-]*$/);
      expect(expression.test('// a remark # about /* nothing */')).toBe(false);
      expect(languages?.length).not.toBe(0);
    }
  });

  test('settings and what tools leave behind are names below a folder, not paths of one machine', () => {
    const { settings = [], homeSettings = [], leaves = [] } = chain;
    for (const path of [settings, homeSettings, leaves].flat())
      expect(path).toMatch(/^[^/~!\s]+(?:\/[^/~!\s]*)*$/);
    for (const command of chain.installCommands ?? []) expect(command.trim()).not.toBe('');
  });

  test('its programs have names, and reading a call of one never fails', () => {
    const { checks = {}, otherOptions = {}, narrows = {}, weakCalls = {} } = chain;
    for (const programs of [checks, otherOptions, narrows, weakCalls].flatMap((fact) => Object.keys(fact)))
      expect(programs).toMatch(/^[\w.+-]+(?: [\w.+-]+)*$/);
    const calls = [[], ['--help'], ['test'], ['run', '-x'], ['-m'], ['node_modules/']];
    for (const read of Object.values(checks))
      if (typeof read === 'function') for (const args of calls) expect(() => read(args)).not.toThrow();
  });

  test('what its package managers read lies in the project, and is no source', () => {
    for (const glob of chain.inputs ?? []) {
      expect(glob).toMatch(/^[^/~!]/);
      expect(pathMatcher([glob])('src/product.x')).toBe(false);
    }
  });
});

test('every program belongs to one chain', () => {
  const programs = all.checks.flatMap((checks) => Object.keys(checks).flatMap((names) => names.split(' ')));
  expect(programs.filter((program, i) => programs.indexOf(program) !== i)).toEqual([]);
});

test('the template shows every fact that a chain may have', () => {
  expect(Object.keys(template).sort()).toEqual(Object.keys(all).sort());
});

test('every list of facts is a part of the contract, and holds nothing twice', () => {
  for (const list of Object.values(all)) expect(new Set<unknown>(list).size).toBe(list.length);
});
