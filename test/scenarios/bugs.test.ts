import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quoteForShell } from '../../src/core/shell-quote.ts';
import { probe } from '../../src/dev/conformance/probe.ts';
import { type HookUnderTest, replay } from '../../src/dev/conformance/replay.ts';
import { permissionsCount } from '../../src/dev/conformance/run-command.ts';
import { FORMATS, type Scenario } from '../../src/dev/conformance/scenario.ts';
import { casesOf, loadScenarios } from '../../src/dev/conformance/suite.ts';

const scenarios = loadScenarios(resolve(import.meta.dirname, 'bugs'));
const cases = casesOf(scenarios, FORMATS).map(
  ({ scenario, format }) => [`${scenario.name}, ${format}`, scenario, format] as const,
);

let folder: string;
let program: string;
let hook: HookUnderTest;

// A copy of its own: what is built meanwhile does not matter.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-bugs-'));
  cpSync(resolve(import.meta.dirname, '../../dist'), folder, { recursive: true });
  program = join(folder, 'untildone.cjs');
  hook = await probe([process.execPath, program, 'hook'].map(quoteForShell).join(' '), FORMATS);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('our own hook is known as such, and reads every format', () => {
  expect(hook).toMatchObject({
    isUntildone: true,
    reads: {
      'ralph-loop': ['ralph-loop.local.md'],
      'feature-list': ['feature_list.json'],
      'verified-done': ['loop.json', 'orchestrator.json'],
      lock: ['.lock_active'],
    },
  });
});

describe.concurrent("the field's bug list", () => {
  test.each(cases)('%s', async (_name, scenario: Scenario, format) => {
    const bench = { untildone: [process.execPath, program], permissionsCount: permissionsCount() };
    expect(await replay(scenario, format, hook, bench)).toEqual({ kind: 'passed' });
  });
});
