// Tier: world
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { contractFileOf } from '../../../src/engine/contract/read.ts';
import type { Verdict } from '../../../src/engine/core/loop/verdict.ts';
import { createHome, homeFrom } from '../../../src/engine/home/layout.ts';
import { openJudges } from '../../../src/engine/hook/wiring/judges.ts';
import { verify } from '../../../src/engine/judging/verify.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { initRepository } from '../../support/repository.ts';

let root: string;
let project: string;
/** Outside of everything: what the commands of a test have done, a line each. */
let log: string;

beforeEach(() => {
  root = temporaryFolder();
  project = join(root, 'project');
  log = join(root, 'log');
  mkdirSync(project);
  mkdirSync(join(root, 'home'));
  initRepository(project);
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

const logged = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);

async function judged(contract: string): Promise<Verdict[]> {
  const env = { PATH: process.env.PATH, HOME: join(root, 'home'), LOG: log, UNTILDONE_HOME: join(root, 'u') };
  const home = homeFrom(env);
  createHome(home);
  const file = contractFileOf(contract);
  const judges = await openJudges(home, env, { endWithSignals: false, contract: file.contract });
  const plan = { contract: file.contract, project, task: '', base: {}, outputDir: join(root, 'output') };
  return (await verify(plan, judges)).verdicts;
}

const shown = (verdicts: readonly Verdict[]) => verdicts.map(({ gate, outcome }) => `${gate} ${outcome}`);

describe('gates in clean rooms', () => {
  beforeEach(() => write('deps.txt', 'one\n'));

  test('share one installation, and run one after the other', async () => {
    const says = (name: string) =>
      `'echo begin >>$LOG; test -f made; sleep 0.2; echo end >>$LOG; exit ${name}'`;
    const verdicts = await judged(`
room: clean
setup: { run: 'cp deps.txt made; echo install >>$LOG', inputs: [deps.txt] }
gates: { tests: { run: ${says('0')} }, lint: { run: ${says('1')} }, types: { run: ${says('0')} } }
`);
    expect(shown(verdicts)).toEqual(['tests pass', 'lint fail', 'types pass']);
    expect(logged()).toEqual(['install', ...['begin', 'end'], ...['begin', 'end'], ...['begin', 'end']]);
  });

  test('waiting for others and installing are none of their time', async () => {
    const verdicts = await judged(`
room: clean
setup: { run: 'sleep 1.2; cp deps.txt made', inputs: [deps.txt] }
gates:
  slow:  { run: sleep 0.8, timeout: 1s }
  slow2: { run: sleep 0.8, timeout: 1s }
  late:  { run: sleep 9, timeout: 300ms }
  quick: { run: 'true', timeout: 1s }
`);
    expect(shown(verdicts)).toEqual(['slow pass', 'slow2 pass', 'late unproven', 'quick pass']);
    expect(verdicts[2]?.summary).toBe('no answer within 0.3 s');
  });

  test('an installation that fails is tried once, and its first error stands first', async () => {
    const verdicts = await judged(`
room: clean
setup: { run: 'echo install >>$LOG; echo "error: deps.lock is out of step"; exit 4', inputs: [deps.txt] }
gates: { tests: { run: 'true' }, lint: { run: 'true' } }
`);
    expect(shown(verdicts)).toEqual(['tests unproven', 'lint unproven']);
    expect(logged()).toEqual(['install']);
    expect(verdicts[1]?.summary).toContain('fails with exit code 4: error: deps.lock is out of step');
  });
});

describe('a gate that comes after another one', () => {
  test('finds what that one made, and the files of the tree as they were', async () => {
    write('deps.txt', 'one\n');
    write('a.txt', 'one\n');
    const verdicts = await judged(`
room: clean
setup: { run: 'cp deps.txt made; echo install >>$LOG', inputs: [deps.txt] }
gates:
  tests: { run: 'test -f out/a && test "$(cat a.txt)" = one', after: [build] }
  build: { run: 'mkdir out; echo x >out/a; echo two >a.txt' }
  other: { run: 'test ! -e out' }
`);
    expect(shown(verdicts)).toEqual(['tests pass', 'build pass', 'other pass']);
    expect(logged()).toEqual(['install']);
  });
});

describe('what a gate writes', () => {
  test('no other gate judges it: source and tests that a build rewrites stay as they were', async () => {
    write('add.sh', 'echo 3\n');
    write('test.sh', 'test "$(sh add.sh)" = 2\n');
    const verdicts = await judged(`
room: clean
gates:
  build: { run: 'echo "echo 2" >add.sh; echo true >test.sh; mkdir -p out; echo x >out/a' }
  tests: { run: sh test.sh }
  none:  { run: 'test ! -e out' }
`);
    expect(shown(verdicts)).toEqual(['build unproven', 'tests fail', 'none pass']);
  });

  test.each<[string, string, Partial<Verdict>]>([
    ['a page that is always written', 'date >README.md', { outcome: 'pass' }],
    ['a file with the same content', 'cp src/a.js b; cat b >src/a.js', { outcome: 'pass' }],
    ['a list of versions, and a new file', 'echo 2 >versions.json; echo x >src/new.js', { outcome: 'pass' }],
    [
      'source that is put right before it is looked at',
      'echo 2 >src/a.js; git add -A; test "$(cat src/a.js)" = 2',
      { outcome: 'pass', notes: ['it changed src/a.js before it passed'] },
    ],
    [
      'what is expected',
      'echo 2 >test/__snapshots__/a.js.snap',
      {
        outcome: 'unproven',
        summary: 'passed, but it rewrote what it expects: test/__snapshots__/a.js.snap',
      },
    ],
    ['a test', 'echo 2 >test/a.test.js', { outcome: 'unproven' }],
    ['what is expected, and fails', 'echo 2 >test/a.test.js; exit 1', { outcome: 'fail' }],
  ])('%s', async (_, command, expected) => {
    for (const path of [
      'README.md',
      'versions.json',
      'src/a.js',
      'test/a.test.js',
      'test/__snapshots__/a.js.snap',
    ])
      write(path, '1\n');
    execFileSync('git', ['add', '-A'], { cwd: project });
    const [verdict] = await judged(`room: clean\ngates: { tests: { run: ${JSON.stringify(command)} } }\n`);
    expect(verdict).toMatchObject(expected);
    if (!expected.notes) expect(verdict?.notes).toBeUndefined();
  });
});

test('in the project, too, gates run one after the other', async () => {
  const says = `'echo begin >>$LOG; sleep 0.2; echo end >>$LOG'`;
  expect(shown(await judged(`gates: { a: { run: ${says} }, b: { run: ${says} } }`))).toEqual([
    'a pass',
    'b pass',
  ]);
  expect(logged()).toEqual(['begin', 'end', 'begin', 'end']);
});
