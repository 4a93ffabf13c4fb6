// Tier: world
import { beforeEach, describe, expect, test } from 'vitest';
import type { ImportOptions } from '../../../src/cli/import/report.ts';
import { ContractError, UsageError } from '../../../src/engine/core/text/errors.ts';
import {
  answering,
  contract,
  imported as importedFrom,
  path,
  read,
  said,
  undo,
  useImportScene,
  write,
} from '../../support/cli/import-scene.ts';

useImportScene();
beforeEach(() => {
  write(PLAN, PLAN_TEXT);
  write(BUILD, BUILD_TEXT);
});

const PLAN = 'commands/plan.md';
const BUILD = 'commands/build.md';
const PLAN_TEXT =
  '# /plan\n\n## Phase 1: Plan\nWrite PLAN.md.\n\n<checkpoint>\nIs the plan good?\n</checkpoint>\n';
const BUILD_TEXT = '## Stage 1 - Build\nWrite the code.\n\n## Stage 2 - Wrap up\nUpdate MEMORY.md.\n';
const CONTRACT = '# mine\ngates:\n  tests: { run: npm test }   # all of them\n';

const imported = (names: readonly string[] = [PLAN, BUILD], more: Partial<ImportOptions> = {}) =>
  importedFrom('command', { ...more, files: names.map(path) });

describe('command files', () => {
  test('become phases behind what the contract has, and stay as they are', async () => {
    write('untildone.yaml', CONTRACT);
    expect(await imported()).toEqual({ exitCode: 0, contractWritten: true });
    expect(read('untildone.yaml')).toBe(`${CONTRACT}
phases:
  plan:
    do: Write PLAN.md.
    checkpoint: Is the plan good?
  wrap-up:
    do: |-
      Build:
      Write the code.

      Wrap up:
      Update MEMORY.md.
    exit: [tests]
`);
    expect(contract().phases).toMatchObject([
      { name: 'plan', exit: ['plan_approved'] },
      { name: 'wrap-up', exit: ['tests'] },
    ]);
    expect(said()).toContain(
      'commands/build.md:1: Build\n  commands/build.md:4: Wrap up\n    -> phase "wrap-up"\n       it asks you nothing at its end',
    );
    expect([read(PLAN), read(BUILD)]).toEqual([PLAN_TEXT, BUILD_TEXT]);
  });

  test('without a contract come behind the gates that fit the project', async () => {
    write('package.json', '{ "scripts": { "test": "node --test" } }');
    await imported([PLAN]);
    expect(contract()).toMatchObject({
      gates: { tests: { kind: 'run', options: { command: 'npm test' } } },
      phases: [{ name: 'plan' }],
    });
  });

  test('a second time change nothing; phases of the contract are never replaced', async () => {
    write('untildone.yaml', CONTRACT);
    await imported();
    const before = read('untildone.yaml');
    expect(await imported()).toEqual({ exitCode: 0 });
    expect(said()).toContain('untildone.yaml has phases of these names already.');
    write(PLAN, PLAN_TEXT.replace('Is the plan good?', 'Shall it be built?'));
    expect(await imported()).toEqual({ exitCode: 0 });
    expect(said()).toContain('the contract has a phase "plan" of its own, which stays as it is');
    expect(read('untildone.yaml')).toBe(before);
  });

  test.each([
    ['phases:\n  think: { do: Think, exit: [tests] }\nlimits: { iterations: 9 }\n'],
    ['phases: { think: { do: Think, exit: [tests] } }\n'],
  ])('come behind phases that are there: %j', async (phases) => {
    write('untildone.yaml', CONTRACT + phases);
    await imported([PLAN]);
    expect(read('untildone.yaml')).toContain('# all of them');
    expect(contract().phases?.map(({ name }) => name)).toEqual(['think', 'plan']);
  });

  test('that ask somebody are listed with what to type', async () => {
    write('.claude/commands/go on.md', 'STOP: shall it go on?');
    await importedFrom(undefined);
    expect(said()).toContain(
      "untildone import --from command --dry-run '.claude/commands/go on.md' commands/plan.md",
    );
    expect(said()).not.toContain(BUILD);
  });

  test('--undo puts the contract back, byte for byte', async () => {
    write('untildone.yaml', CONTRACT);
    await imported();
    expect(await undo()).toBe(0);
    expect(read('untildone.yaml')).toBe(CONTRACT);
    expect(said()).not.toContain('holds a session');
  });
});

describe('nothing is written', () => {
  test.each<[string, Partial<ImportOptions>, number, string]>([
    ['with --dry-run', { dryRun: true }, 0, 'Dry run: nothing was written.'],
    ['without a terminal', { terminal: false }, 2, 'untildone import --from command --yes FILE...'],
    ['when the person says no', {}, 0, 'Nothing was written.'],
  ])('%s', async (_, more, exitCode, words) => {
    write('untildone.yaml', CONTRACT);
    answering({ 'Write this': false });
    expect(await imported([PLAN, BUILD], more)).toEqual({ exitCode });
    expect(said()).toContain(words);
    expect(said()).toContain('+    checkpoint: Is the plan good?');
    expect(read('untildone.yaml')).toBe(CONTRACT);
  });

  test('where nobody is asked', async () => {
    write('untildone.yaml', CONTRACT);
    expect(await imported([BUILD])).toEqual({ exitCode: 0 });
    expect(said()).toContain('Nothing of this can be imported.');
    expect(read('untildone.yaml')).toBe(CONTRACT);
  });

  test('where the contract has a preset, or mistakes', async () => {
    const preset =
      'preset: verified-done\ngates: { correctness_passed: { run: a }, quality_passed: { run: b } }\n';
    write('untildone.yaml', preset);
    await expect(imported()).rejects.toThrow(/preset verified-done.*take it out first/);
    write('untildone.yaml', 'gates: { tests: { runs: a } }\n');
    await expect(imported()).rejects.toThrow(ContractError);
  });

  test('where the result would be no contract', async () => {
    write(PLAN, Array.from({ length: 101 }, (_, i) => `## Phase ${i}: P\ndo ${i}\nSTOP\n`).join(''));
    await expect(imported([PLAN])).rejects.toThrow(/at most 100 phases/);
    expect(() => read('untildone.yaml')).toThrow(/ENOENT/);
  });

  test('without files, with one that is not there, with a folder, with files for something else', async () => {
    await expect(imported([])).rejects.toThrow(/name the files/);
    await expect(imported(['no.md'])).rejects.toThrow(/no\.md does not exist/);
    await expect(imported(['commands'])).rejects.toThrow(UsageError);
    await expect(imported([PLAN], { from: 'harness' })).rejects.toThrow(/only named with/);
  });
});
