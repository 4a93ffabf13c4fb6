import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { addHoldout, checkHoldout, listHoldout, removeHoldout } from '../../../src/cli/contract/holdout.ts';
import { readContract } from '../../../src/engine/contract/read.ts';
import { callsFor } from '../../../src/engine/core/loop/plan-gates.ts';
import { personOnlyCommand } from '../../../src/engine/core/tools/person-only-commands.ts';
import { createHome, homeAt, projectFolder } from '../../../src/engine/home/layout.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import type { ProjectPorts } from '../../../src/engine/hook/wiring/project-ports.ts';
import { freeze } from '../../../src/engine/judging/freeze-contract.ts';
import { judge } from '../../../src/engine/judging/judge.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { commitAll, initRepository } from '../../support/repository.ts';

const RIGHT = 'exports.add = (a, b) => a + b;\n';
const WRONG = 'exports.add = (a, b) => a - b;\n';
const ACCEPTANCE = `const test = require('node:test');
const assert = require('node:assert');
const { add } = require('../lib/add.js');
test('adds secret numbers', () => assert.equal(add(1234, 4321), 5555));
test('adds nothing', () => assert.equal(add(0, 0), 0));
`;

let folder: string;
let world: ProjectPorts;
beforeEach(() => {
  folder = temporaryFolder();
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const project = join(folder, 'project');
  mkdirSync(project);
  initRepository(project);
  const env = { PATH: process.env.PATH, HOME: folder };
  const ports = openPorts(home, env, async () => judgeBundle);
  world = { ...ports, home, project, env, judges: ports.judges };
  contract('count');
  write('project/lib/add.js', WRONG);
  commitAll(project);
  write('outside/acceptance/a.test.js', ACCEPTANCE);
});

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function contract(reveal: string): void {
  write(
    'project/untildone.yaml',
    `gates:\n  held: { holdout: node --test acceptance/*.test.js, reveal: ${reveal} }\n`,
  );
}

async function add(paths: string[], as?: string): Promise<string[]> {
  const lines: string[] = [];
  await addHoldout(
    paths.map((path) => join(folder, path)),
    { as },
    world,
    (line) => lines.push(line),
  );
  return lines;
}

async function check(): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  return { code: await checkHoldout(world, (line) => lines.push(line)), lines };
}

/** Judges as at a Stop. `between`: what happens after the start. */
async function judged(between: () => unknown = () => undefined) {
  const read = readContract(world.project);
  if (!read) throw new Error('no contract');
  const judges = await world.judges(read.contract);
  const { frozen } = await freeze(read.contract, world.project, judges);
  await between();
  const { verdicts } = await judge(
    {
      calls: callsFor(['held'], read.contract),
      contract: read.contract,
      frozen: { ...frozen, judgeMs: 120_000 },
      session: 's',
      task: 'x',
      outputDir: join(folder, 'output'),
      base: {},
      allowed: [],
      toolRan: true,
    },
    judges,
  );
  return verdicts[0];
}

describe('held-out tests', () => {
  test('fail, and then pass, on the work as it is; you see all of them', async () => {
    expect(await add(['outside/acceptance'])).toEqual([
      'Held out: acceptance/a.test.js',
      '1 file is held out for this project.',
    ]);
    const failing = await check();
    expect(failing.code).toBe(1);
    expect(failing.lines.join('\n')).toContain('adds secret numbers');
    write('project/lib/add.js', RIGHT);
    expect(await check()).toEqual({ code: 0, lines: ['pass held: 2 held-out tests pass'] });
    expect(readdirSync(world.project).sort()).toEqual(['.git', 'lib', 'untildone.yaml']);
  });

  test.each([
    ['count', undefined],
    ['names', ['fails: a.test.js > adds secret numbers']],
  ])('of which the agent is told no more than you chose: %s', async (reveal, evidence) => {
    contract(reveal);
    await add(['outside/acceptance']);
    const verdict = await judged();
    expect(verdict).toMatchObject({
      outcome: 'fail',
      summary: '1 of 2 held-out tests fail',
      proof: { room: 'clean', tests: { passed: 1, failed: 1, skipped: 0 } },
    });
    expect(verdict?.evidence).toEqual(evidence?.map((line) => expect.stringContaining(line.slice(-19))));
    expect(JSON.stringify(verdict)).not.toContain('5555');
    if (reveal === 'count') expect(JSON.stringify(verdict)).not.toContain('secret');
    expect(readdirSync(join(folder, 'output'))).toEqual(['kept']);
  });

  test.each<[string, string, (() => unknown) | undefined, (() => unknown) | undefined]>([
    ['that were never added', 'no held-out tests are kept for this project', undefined, undefined],
    [
      'that were changed after the start',
      'the held-out tests are not those of the start',
      () => add(['outside/acceptance']),
      () => {
        write('outside/acceptance/a.test.js', '// easy\n');
        return add(['outside/acceptance']);
      },
    ],
    [
      'that were added after the start',
      'the held-out tests are not those of the start',
      undefined,
      () => add(['outside/acceptance']),
    ],
    [
      'whose content was changed in the home',
      'a held-out test is missing or was damaged',
      () => add(['outside/acceptance']),
      () => overwrite('files'),
    ],
    [
      'whose list was changed in the home',
      'the list of held-out tests was damaged',
      () => add(['outside/acceptance']),
      () => overwrite('list'),
    ],
  ])('%s prove nothing', async (_, summary, before, between) => {
    write('project/lib/add.js', RIGHT);
    await before?.();
    expect(await judged(between)).toMatchObject({
      outcome: 'unproven',
      summary: expect.stringContaining(summary),
      evidence: [expect.stringContaining('untildone ')],
    });
  });

  test('of which fewer run than you saw prove nothing: a program may end the run early', async () => {
    await add(['outside/acceptance']);
    await check();
    write('project/lib/add.js', `process.exit(0);\n${RIGHT}`);
    expect(await judged()).toMatchObject({
      outcome: 'unproven',
      summary: expect.stringMatching(/^\d held-out tests ran, and 2 ran before$/),
    });
  });

  test('lie in the home, for you alone', async () => {
    await add(['outside/acceptance']);
    const files = join(projectFolder(world.home, world.project), 'holdout', 'files');
    for (const name of readdirSync(files)) expect(statSync(join(files, name)).mode & 0o777).toBe(0o600);
    expect(personOnlyCommand('cd x && npx untildone holdout list')).toBe('holdout');
    expect(personOnlyCommand('untildone holdout check')).toBe('holdout');
  });

  test('are listed and removed', async () => {
    await add(['outside/acceptance']);
    await add(['outside/acceptance/a.test.js'], 'more/b.test.js');
    const lines: string[] = [];
    const out = (line: string) => lines.push(line);
    listHoldout({ json: false }, world, out);
    removeHoldout(['more'], { all: false }, world, out);
    removeHoldout([], { all: true }, world, out);
    listHoldout({ json: false }, world, out);
    expect(lines).toEqual([
      expect.stringMatching(/^acceptance\/a\.test\.js {2}\d+ bytes$/),
      expect.stringMatching(/^more\/b\.test\.js {2}\d+ bytes$/),
      'No longer held out: more/b.test.js',
      'Nothing is held out for this project any more.',
      'Nothing is held out for this project. Add tests with: untildone holdout add PATH',
    ]);
    expect(() => removeHoldout(['none'], { all: false }, world, out)).toThrow('nothing like that');
  });
});

describe('what is added', () => {
  test('from inside of the project, or known to git, can be seen by the agent: you are told', async () => {
    write('project/acceptance/seen.js', 'x');
    expect((await add(['project/acceptance'])).join('\n')).toContain(
      'acceptance/seen.js is in the project, where the agent can read it: remove it there.',
    );
    commitAll(world.project);
    rmSync(join(world.project, 'acceptance'), { recursive: true });
    commitAll(world.project);
    write('outside/seen.js', 'x');
    expect((await add(['outside/seen.js'], 'acceptance/seen.js')).join('\n')).toContain(
      'acceptance/seen.js is in the history of git',
    );
  });

  test.each<[string, string, string | undefined, string]>([
    ['outside/none', '', undefined, 'there is no file or folder'],
    ['outside/acceptance', '', '../x', 'cannot be a place in the project'],
    ['outside/acceptance', '', '.git/hooks', 'cannot be a place in the project'],
    ['outside/empty', 'folder', undefined, 'there are no files in it'],
    ['outside/link', 'link', undefined, 'is a symbolic link'],
    ['outside/large', 'large', undefined, 'is larger than 5 MiB'],
  ])('%s %s as %s is refused with what is wrong', async (path, make, as, message) => {
    if (make === 'folder') mkdirSync(join(folder, path));
    if (make === 'link') symlinkSync('/etc/passwd', join(folder, path));
    if (make === 'large') write(path, new Uint8Array(6 * 1024 * 1024));
    await expect(add([path], as)).rejects.toThrow(message);
  });

  test('may be no text', async () => {
    const bytes = new Uint8Array([0, 255, 10, 13, 0]);
    write('outside/data.bin', bytes);
    await add(['outside/data.bin'], 'acceptance/data.bin');
    const judges = await world.judges(readContract(world.project)?.contract as never);
    expect(judges.holdout?.(world.project).files()).toEqual({ 'acceptance/data.bin': Buffer.from(bytes) });
  });
});

/** Changes what is kept in the home, as an agent with a shell could. */
function overwrite(what: 'files' | 'list'): void {
  const kept = join(projectFolder(world.home, world.project), 'holdout');
  const paths =
    what === 'list' ? [join(kept, what)] : readdirSync(join(kept, what)).map((n) => join(kept, what, n));
  for (const path of paths) {
    chmodSync(path, 0o600);
    writeFileSync(path, 'x\ny\n');
  }
}
