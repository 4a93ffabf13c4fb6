// Tier: world
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { setup } from '../../../src/cli/setup/setup.ts';
import type { SetupFlags } from '../../../src/cli/setup/setup-flags.ts';
import { contractFileOf } from '../../../src/engine/contract/read.ts';
import type { Contract } from '../../../src/engine/core/contract/contract.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { begin, planLoop } from '../../../src/engine/hook/start/start.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import type { ProjectPorts } from '../../../src/engine/hook/wiring/project-ports.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { initRepository } from '../../support/repository.ts';

let world: ProjectPorts;
let lines: string[];
let questions: string[];
/** What commands have done, a line each. */
let log: string;

beforeEach(() => {
  const folder = realpathSync(temporaryFolder());
  const home = homeAt(join(folder, 'user/.untildone'));
  createHome(home);
  const project = join(folder, 'project');
  mkdirSync(project);
  initRepository(project);
  log = join(folder, 'log');
  const own = { HOME: join(folder, 'user'), UNTILDONE_HOME: home.root, CLAUDECODE: '' };
  for (const [name, value] of Object.entries(own)) vi.stubEnv(name, value);
  vi.spyOn(process, 'cwd').mockReturnValue(project);
  const env = { PATH: process.env.PATH, ...own, LOG: log };
  world = { ...openPorts(home, env, async () => judgeBundle), home, project, env };
  [lines, questions] = [[], []];
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(world.project, path)), { recursive: true });
  writeFileSync(join(world.project, path), text);
}

/** The project as it would be cloned. */
function commit(): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: world.project });
  git('add', '-A');
  git('commit', '-qm', 'all');
}

/** Sets the project up. `answers`: by a part of the question, for a terminal; without any there is nobody to ask. */
async function run(answers: Record<string, boolean> = {}, more: Partial<SetupFlags> = {}): Promise<number> {
  lines = [];
  const flags: SetupFlags = {
    yes: false,
    json: false,
    gates: true,
    proof: false,
    show: false,
    scope: 'project',
    ...more,
  };
  const terminal = {
    isThere: Object.keys(answers).length > 0,
    ask: async (question: string) => {
      questions.push(question);
      const answer = Object.entries(answers).find(([part]) => question.includes(part));
      if (!answer) throw new Error(`nobody expected: ${question}`);
      return answer[1];
    },
    out: (line: string) => void lines.push(line),
  };
  return setup(flags, world, terminal);
}

const YES = { 'Write untildone.yaml': true };
const said = () => lines.join('\n');
const logged = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
const written = (): Contract =>
  contractFileOf(readFileSync(join(world.project, 'untildone.yaml'), 'utf8')).contract;
const script = (name: string, text: string) => write(`${name}.sh`, text);

/** The verdicts with which a loop begins, by gate. */
async function started(): Promise<Record<string, string>> {
  const options = { session: 's', project: world.project, task: 'a task' };
  const loop = await begin(
    planLoop(options, world, () => {}),
    world,
  );
  return Object.fromEntries(
    loop.baseline.map(({ gate, outcome, reused }) => [gate, reused ? `${outcome}, known` : outcome]),
  );
}

describe('time', () => {
  test('limits come from what was measured, and the first start judges nothing again', async () => {
    write('Makefile', 'test:\n\tsh t.sh\nlint:\n\t@echo lint >>$$LOG\n');
    script('t', 'echo tests >>$LOG\nsleep 0.3\n');
    commit();
    expect(await run(YES)).toBe(0);
    expect(said()).toMatch(/^ {2}pass +tests +0\.[3-9] s {2}`make test` succeeds$/m);
    const { gates } = written();
    expect([gates.tests?.timeoutMs, gates.lint?.timeoutMs]).toEqual([60_000, 60_000]);
    expect(logged().sort()).toEqual(['lint', 'tests']);
    expect(await started()).toMatchObject({ tests: 'pass, known', lint: 'pass, known' });
    expect(logged().sort()).toEqual(['lint', 'tests']);
  });

  test('a start judges again when something else was changed meanwhile', async () => {
    write('Makefile', 'test:\n\t@echo tests >>$$LOG\n');
    commit();
    await run(YES);
    write('more.txt', 'x');
    expect(await started()).toMatchObject({ tests: 'pass' });
    expect(logged()).toEqual(['tests', 'tests']);
  });

  test('what was agreed to by its fingerprint is what was shown, and is not run again', async () => {
    write('Makefile', 'test:\n\t@echo tests >>$$LOG\n');
    commit();
    expect(await run()).toBe(1);
    const accept = /--accept (\w+)/.exec(said())?.[1];
    expect(await run({}, { yes: true, ...(accept ? { accept } : {}) })).toBe(0);
    expect(logged()).toEqual(['tests']);
    expect(written().gates.tests?.timeoutMs).toBe(60_000);
    expect(await started()).toMatchObject({ tests: 'pass, known' });
  });

  test('Ctrl-C keeps what was learnt, and the rest is proposed unjudged', async () => {
    write('Makefile', 'test:\n\tsh slow.sh\nlint:\n\t@echo lint >>$$LOG\nbuild:\n\t@echo build >>$$LOG\n');
    script('slow', 'kill -INT $PARENT\nsleep 60\n');
    commit();
    (world.env as Record<string, string>).PARENT = String(process.pid);
    expect(await run(YES)).toBe(0);
    const judged = logged();
    const open = ['tests', 'lint', 'build'].filter((gate) => !judged.includes(gate));
    expect(open).toContain('tests');
    expect(said()).toContain(`Not judged yet: ${open.join(', ')}`);
    const { gates, done } = written();
    expect(done).toEqual(expect.arrayContaining(['tests', 'lint', 'build']));
    for (const gate of judged) expect(gates[gate]?.timeoutMs).toBe(60_000);
    expect(gates.tests?.timeoutMs).not.toBe(60_000);
    expect(readFileSync(join(world.project, 'untildone.yaml'), 'utf8')).toMatch(
      /^ {2}tests: .*; not judged at setup$/m,
    );
  });
});

describe('what cannot be judged is not asked for, and it is said what is missing', () => {
  test('a program that is not there', async () => {
    write('Makefile', 'test:\n\t@true\nlint:\n\tno-such-linter .\n');
    write('package.json', '{"scripts": {"lint": "no-such-linter ."}}');
    commit();
    expect(await run(YES)).toBe(0);
    expect(said()).toContain(
      'Left out: lint: no-such-linter is not installed here; install it, and run setup again\n',
    );
    const contract = written();
    expect(contract.done).toEqual(expect.arrayContaining(['tests']));
    expect(contract.gates.lint).toBeUndefined();
    expect(readFileSync(join(world.project, 'untildone.yaml'), 'utf8')).toContain(
      '  # lint:   { run: npm run lint',
    );
  });

  test('a lock file that is out of step: its first error stands first, and the next best room is taken', async () => {
    write(
      'package.json',
      '{"name": "a", "version": "1.0.0", "scripts": {"test": "echo tests >>$LOG"}, "dependencies": {"b": "1.0.0"}}',
    );
    write(
      'package-lock.json',
      '{"name": "a", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {"name": "a"}}}',
    );
    commit();
    expect(await run(YES)).toBe(0);
    expect(said()).toMatch(/^ {2}failed +install .*npm ci.*fails with exit code 1: .*in sync/m);
    expect(said()).toContain('Note: There is no clean installation here: ');
    expect(said()).toMatch(/^ {2}pass +tests /m);
    expect(written().done).toContain('tests');
    expect(logged()).toEqual(['tests']);
  });
});

const NODE_TESTS = `
const test = require('node:test'); const assert = require('node:assert');
test('adds', () => assert.equal(1 + 1, 2));
test('knows the zone', () => assert.equal(process.env.ZONE, 'Mars'));
`;
const PY_TESTS = `
def test_adds():
    assert 1 + 1 == 2
def test_zone():
    import os
    assert os.environ.get('ZONE') == 'Mars'
`;
const GO_TESTS = `package a
import ("os"; "testing")
func TestAdds(t *testing.T) {}
func TestZone(t *testing.T) { if os.Getenv("ZONE") != "Mars" { t.Fatal("not there") } }
`;
const SHAPES: [string, () => void, string][] = [
  [
    'node:test',
    () => {
      write('package.json', '{"scripts": {"test": "node --test"}}');
      write('a.test.js', NODE_TESTS);
    },
    'a.test.js > knows the zone',
  ],
  [
    'pytest',
    () => {
      write('pyproject.toml', '[project]\nname = "a"\nversion = "1"\n[tool.pytest.ini_options]\n');
      write('test_a.py', PY_TESTS);
    },
    'test_a > test_zone',
  ],
  [
    'go',
    () => {
      write('go.mod', 'module example.com/a\n');
      write('a_test.go', GO_TESTS);
    },
    'example.com/a > TestZone',
  ],
];

describe.each(SHAPES)('a test of %s that fails before any work', (_, make, name) => {
  beforeEach(() => {
    make();
    write('.gitignore', '__pycache__\n.pytest_cache\n');
    commit();
  });

  test('is known when it is not the work, and the start is green', async () => {
    expect(await run({ ...YES, 'the work': false })).toBe(0);
    expect(questions).toHaveLength(2);
    expect(said()).toContain(`Fails before any work: tests, in one test\n  ${name}\n`);
    expect(said()).toContain('Known failures: 1 test of tests.');
    const day = new Date(world.clock.now()).toISOString().slice(0, 10);
    expect(written().knownFailures).toEqual([
      { gate: 'tests', test: name, since: day, reason: 'it failed before any work' },
    ]);
    expect(await started()).toMatchObject({ tests: 'pass, known' });
  });

  test('holds when it is the work', async () => {
    expect(await run({ ...YES, 'the work': true })).toBe(0);
    expect(said()).toContain('Not green now: tests. A Stop is held until they pass.');
    expect(written().knownFailures).toBeUndefined();
    expect(await started()).toMatchObject({ tests: 'fail, known' });
  });
});

test('without names the whole command is known, and what it would compare is left out', async () => {
  write('Makefile', 'test:\n\t@echo boom; exit 1\n');
  commit();
  expect(await run()).toBe(1);
  expect(said()).toContain('Known failures: tests. They hold nobody until they have passed once.');
  expect(await run({}, { failing: 'work' })).toBe(1);
  expect(said()).toContain('Not green now: tests.');
});

test('a build that writes what it always writes is green', async () => {
  write('Makefile', 'test:\n\t@grep -q old README.md\nbuild:\n\tdate >README.md\n');
  write('README.md', 'old\n');
  commit();
  expect(await run(YES)).toBe(0);
  expect(said()).toMatch(/^ {2}pass +tests /m);
  expect(said()).toMatch(/^ {2}pass +build /m);
  expect(said()).not.toContain('Left out');
});
