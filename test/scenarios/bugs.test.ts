import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HookUnderTest, probe, replay } from '../../src/dev/conformance/replay.ts';
import { permissionsCount, type RunCommand, runCommand } from '../../src/dev/conformance/run-command.ts';
import { FORMATS, type Scenario } from '../../src/dev/conformance/scenario.ts';
import { casesOf, loadScenarios } from '../../src/dev/conformance/suite.ts';
import { quoteForShell } from '../../src/engine/core/shell/words.ts';
import { loadProgram, runCli, runHook } from '../support/in-process.ts';
import { isLong } from '../support/long.ts';
import { PATIENCE } from '../support/patience.ts';

const cases = casesOf(loadScenarios(resolve(import.meta.dirname, 'bugs')), FORMATS).map(
  ({ scenario, format }) => [`${scenario.name}, ${format}`, scenario, format] as const,
);

/** What asks for a shell, for the bits of a file's mode or for a kill cannot be had in one process. */
function needsProcess({ steps }: Scenario): boolean {
  return steps.some(({ action }) => {
    if (action.kind === 'make') return ['unreadable', 'read-only', 'fifo'].includes(action.what.kind);
    if (action.kind === 'stop') return action.given.installed || action.given.fullDisk;
    return action.kind === 'client-killed';
  });
}

/** Stops without end say in one process what they say in hundreds. */
function isEndless({ steps }: Scenario): boolean {
  return steps.some(({ action }) => action.kind === 'stop' && (action.upTo ?? 1) > 20);
}

type Case = (typeof cases)[number];

/** One format a scenario, another one with each; in a long run, all. */
function inTurn(all: readonly Case[]): Case[] {
  const scenarios = [...new Set(all.map(([, scenario]) => scenario))];
  return all.filter(([, scenario, format]) => {
    if (isLong) return true;
    const formats = all.flatMap(([, of, its]) => (of === scenario ? [its] : []));
    return format === formats[scenarios.indexOf(scenario) % formats.length];
  });
}

/** What can be had without processes is replayed with them in long runs; else a few of them are. */
const without = cases.filter(([, scenario]) => !needsProcess(scenario));
const withProcesses = [
  ...inTurn(cases.filter(([, scenario]) => needsProcess(scenario))),
  ...without.filter(([, scenario], i) => isLong || (i % 120 === 0 && !isEndless(scenario))),
];

const PERMISSIONS_COUNT = permissionsCount();

let folder: string;
let program: string;
let hook: HookUnderTest;
let inProcess: RunCommand;

// A copy of its own: what is built meanwhile does not matter.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-bugs-'));
  cpSync(resolve(import.meta.dirname, '../../dist'), folder, { recursive: true });
  program = join(folder, 'untildone.cjs');
  hook = await probe([process.execPath, program, 'hook'].map(quoteForShell).join(' '), FORMATS, {
    patience: PATIENCE,
  });
  const loaded = await loadProgram();
  inProcess = (command) => {
    if (command.line === hook.line) return runHook(loaded, command);
    const plain = /^untildone((?: [\w.:=/-]+)+)$/.exec(command.line)?.[1];
    // What is installed is the program that was called.
    if (plain === undefined || plain.startsWith(' install')) return runCommand(command);
    return runCli(loaded, plain.trim().split(' '), command);
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function expectPassed(
  scenario: Scenario,
  format: (typeof FORMATS)[number],
  run?: RunCommand,
): Promise<void> {
  const untildone = [process.execPath, program];
  const bench = { untildone, permissionsCount: PERMISSIONS_COUNT, run, patience: PATIENCE };
  expect(await replay(scenario, format, hook, bench)).toEqual({ kind: 'passed' });
}

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

describe.concurrent("the field's bug list, with processes", () => {
  test.each(withProcesses)('%s', (_name, scenario, format) => expectPassed(scenario, format));
});

describe("the field's bug list, in this process", () => {
  test.each(inTurn(without))('%s', (_name, scenario, format) => expectPassed(scenario, format, inProcess));
});
