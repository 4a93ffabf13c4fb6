// Tier: world
import childProcess, { ChildProcess } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseHookEvent } from '../../../src/engine/client/hooks/parse.ts';
import { renderAnswer } from '../../../src/engine/client/hooks/render.ts';
import type { GateSpec } from '../../../src/engine/core/contract/contract.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { recordTrust } from '../../../src/engine/home/trust.ts';
import { handleHook } from '../../../src/engine/hook/handle-hook.ts';
import type { JudgeBundle } from '../../../src/engine/hook/wiring/load-bundles.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import * as formats from '../../../src/main/formats.ts';
import * as judge from '../../../src/main/judge.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { contractWith, run } from '../../support/hook/judging.ts';
import { initCommitted } from '../../support/repository.ts';

let started: string[] = [];

beforeEach(() => {
  started = [];
  const { spawn } = ChildProcess.prototype as unknown as { spawn(options: { args: string[] }): number };
  vi.spyOn(ChildProcess.prototype as unknown as { spawn: typeof spawn }, 'spawn').mockImplementation(
    function (this: ChildProcess, options) {
      started.push(nameOf(options.args));
      return spawn.call(this, options);
    },
  );
  const { spawnSync } = childProcess;
  vi.spyOn(childProcess, 'spawnSync').mockImplementation(((
    program: string,
    args: string[],
    options: object,
  ) => {
    started.push(nameOf([program, ...args]));
    return spawnSync(program, args, options);
  }) as typeof spawnSync);
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** `git add`, or the program. */
function nameOf([program = '', ...args]: readonly string[]): string {
  const command = args.find((arg, i) => !arg.startsWith('-') && args[i - 1] !== '-c') ?? '';
  return program === 'git' ? `git ${command}` : program;
}

/** A loop in a repository with these gates, besides a promise that is not kept. */
async function loopWith(gates: Record<string, GateSpec>) {
  const folder = realpathSync(temporaryFolder());
  const [project, userHome] = [join(folder, 'project'), join(folder, 'user')];
  for (const made of [project, userHome]) mkdirSync(made);
  initCommitted(project);
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  recordTrust(home, project, 'print', Date.now());
  const env = { PATH: process.env.PATH, HOME: userHome, CLAUDE_PROJECT_DIR: project };
  const bundle: JudgeBundle = {
    ...judge,
    openJudges: (at, variables, options) =>
      judge.openJudges(at, variables, { ...options, endWithSignals: false }),
  };
  const ports = () =>
    openPorts(
      home,
      env,
      async () => bundle,
      async () => formats,
    );
  const contract = contractWith({ ...gates, promise: { kind: 'promise', options: { text: 'DONE' } } });
  const baseTree = await (await bundle.openJudges(home, env, { contract })).workspace(project).tree();
  const frozen = { project, fingerprint: 'print', parts: {}, gates: {}, judgeMs: 60_000 };
  ports().store.create({
    loop: 'l1',
    session: 's1',
    project,
    dialect: 'native',
    task: 'a task',
    transcriptOffset: 0,
    baseTree,
    contract: { contract, frozen },
  });
  let said = 0;
  return {
    project,
    /** The programs that a held Stop starts, by name. */
    async stop(): Promise<string[]> {
      started = [];
      const input = { hook_event_name: 'Stop', session_id: 's1', cwd: project };
      const parsed = parseHookEvent(JSON.stringify({ ...input, last_assistant_message: `part ${++said}` }));
      if (!parsed.ok) throw new Error(parsed.problem);
      const answer = renderAnswer('Stop', await handleHook(parsed.event, ports()));
      expect(JSON.parse(answer.stdout)).toMatchObject({ decision: 'block' });
      return started.toSorted();
    },
  };
}

const COMMAND = { tests: run('true'), changed: { kind: 'changed', options: {} } } satisfies Record<
  string,
  GateSpec
>;
/** Two looks at the tree, and the difference to the start with the contents that it rests on. */
const LOOKS = ['git add', 'git add', 'git cat-file', 'git diff-tree'];

test('a Stop that asks for a promise starts no program', async () => {
  const { project, stop } = await loopWith({});
  expect(await stop()).toEqual([]);
  writeFileSync(join(project, 'a.txt'), 'two\n');
  expect(await stop()).toEqual([]);
});

test('a Stop with a command names the new tree once, and runs the command', async () => {
  const { project, stop } = await loopWith(COMMAND);
  await stop();
  writeFileSync(join(project, 'a.txt'), 'two\n');
  expect(await stop()).toEqual(['/bin/sh', ...LOOKS, 'git write-tree']);
  writeFileSync(join(project, 'notes.md'), 'a new file\n');
  expect(await stop()).toEqual(['/bin/sh', ...LOOKS, 'git write-tree']);
});

test('a Stop on the same tree looks, and uses the verdict again', async () => {
  const { project, stop } = await loopWith(COMMAND);
  writeFileSync(join(project, 'a.txt'), 'two\n');
  await stop();
  expect(await stop()).toEqual(LOOKS);
});

test('rules to ignore are asked for only when an ignore file changed', async () => {
  const { project, stop } = await loopWith({ tests: run('true') });
  await stop();
  writeFileSync(join(project, '.gitignore'), '*.log\n');
  expect(await stop()).toEqual([
    '/bin/sh',
    ...['git add', 'git add', 'git ls-files', 'git ls-files', 'git write-tree'],
  ]);
  writeFileSync(join(project, 'a.log'), 'ignored\n');
  expect(await stop()).toEqual(['git add', 'git add']);
});
