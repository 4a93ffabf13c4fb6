import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Script } from '../../../src/dev/simulator/script.ts';
import { contractScene, git } from '../../support/live/contract.ts';
import {
  branchOf,
  builds,
  familyOf,
  kinds,
  listOf,
  withRemote,
  worker,
} from '../../support/live/parallel.ts';
import { waitFor } from '../../support/live/processes.ts';
import { startRun } from '../../support/live/run.ts';
import type { Scene } from '../../support/live/scene.ts';
import { bash, journalOf, must } from '../../support/live/untildone.ts';
import { few, longTest } from '../../support/long.ts';
import { fakeGh } from '../../support/project/git-scene.ts';

const MODEL = ['--model', 'claude-sonnet-4-5', '--allow', 'Bash'];

const FEATURES = [
  { id: 1, description: 'the shared file speaks of one', passes: false, verify: 'grep -q one shared.txt' },
  { id: 2, description: 'the shared file speaks of two', passes: false, verify: 'grep -q two shared.txt' },
  { id: 3, description: 'there is a third file', passes: false, verify: 'test -f three' },
  { id: 4, description: 'there is a fourth file', passes: false, verify: 'test -f four', depends_on: [3] },
];

function project(): Promise<Scene> {
  return contractScene({
    'untildone.yaml':
      'gates:\n  whole: { run: test -f shared.txt }\n  features: { features: features.json }\n',
    'features.json': listOf(FEATURES),
    'shared.txt': 'nothing yet\n',
    '.gitignore': '.claude/\n',
  });
}

/** Whoever goes on alone is told of the branch that is left, and brings both together. */
const SETTLES = worker(
  'Others worked on parts',
  `printf 'one\\ntwo\\n' > shared.txt && touch four && sed -i 's/"passes":false/"passes":true/' features.json`,
);

const SCRIPT: Script = {
  rules: [
    ...builds(1, 'echo one > shared.txt'),
    ...builds(2, 'echo two > shared.txt'),
    ...builds(3, 'touch three'),
    ...builds(4, 'test -f three && touch four'),
    ...SETTLES,
  ],
};

function expectAllBuilt(scene: Scene, run: string): void {
  const branch = branchOf(scene, run);
  const at = (file: string) => git(scene, 'show', `${branch}:${file}`);
  expect(at('shared.txt')).toBe('one\ntwo\n');
  const passes = JSON.parse(at('features.json')).map((feature: { passes: boolean }) => feature.passes);
  expect(passes).toEqual(Array(4).fill(true));
}

test('--parallel builds features at the same time, merges what is verified and settles a conflict itself', async () => {
  const scene = await project();
  const before = git(scene, 'status', '--porcelain=v2', '--branch');
  const run = await startRun(scene, ['Build it all', '--parallel', '2', ...MODEL], SCRIPT).ended;
  expect({ code: run.code, stderr: run.stderr }, run.stdout).toEqual({ code: 0, stderr: '' });
  expect(git(scene, 'status', '--porcelain=v2', '--branch')).toBe(before);

  const { parent, children } = await familyOf(scene);
  expect(parent.status).toBe('verified_done');
  expect(children.map(({ status }) => status)).toEqual(Array(4).fill('verified_done'));

  const journal = await journalOf(scene, parent.id);
  const outcomes = kinds(journal, 'merge_ended').map(({ outcome, files }) => ({ outcome, files }));
  expect(outcomes.filter(({ outcome }) => outcome === 'merged')).toHaveLength(3);
  expect(outcomes.filter(({ outcome }) => outcome === 'conflict')).toEqual([
    { outcome: 'conflict', files: ['shared.txt'] },
  ]);
  expect(kinds(journal, 'intent')).toHaveLength(1);

  expectAllBuilt(scene, parent.id);
  const spent = children.reduce((sum, { tokens }) => sum + tokens, 0);
  expect(spent).toBeGreaterThan(0);
  expect(parent.tokens).toBeGreaterThan(spent);
});

const STEPS = ['split', 'child_begun', 'child_ended', 'merge_begun', 'merge_ended', 'children_over', 'stop'];

function journalsOf(scene: Scene): string[] {
  const projects = join(scene.untildoneHome, 'projects');
  return readdirSync(projects)
    .map((project) => join(projects, project, 'loops'))
    .filter((loops) => existsSync(loops))
    .flatMap((loops) => readdirSync(loops).map((loop) => join(loops, loop, 'journal.jsonl')))
    .filter((journal) => existsSync(journal));
}

/** How far the run's own journal has come, while it is being written. */
function stepsSoFar(scene: Scene): number {
  const journals = journalsOf(scene).map((journal) => readFileSync(journal, 'utf8'));
  const lines = journals.find((text) => text.includes('"kind":"split"'))?.split('\n') ?? [];
  const entries = lines.slice(0, -1).map((line): { kind: string; child?: string } => JSON.parse(line).entry);
  // A step that was cut off is begun anew: it counts once.
  return new Set(entries.flatMap(({ kind, child }) => (STEPS.includes(kind) ? [`${kind} ${child}`] : [])))
    .size;
}

longTest(
  'a runner that is killed again and again goes on each time, and nothing is merged twice or lost',
  async () => {
    const scene = await project();
    let run = startRun(scene, ['Build it all', '--parallel', '2', ...MODEL], SCRIPT);
    let [kills, over] = [0, false];
    for (let steps = 2; !over; steps = stepsSoFar(scene) + 1) {
      const ended = run.ended.then(() => true);
      const reached = waitFor(() => stepsSoFar(scene) >= steps).then(() => false);
      over = await Promise.race([ended, reached]);
      reached.catch(() => undefined);
      if (over) break;
      run.child.kill('SIGKILL');
      await run.ended;
      kills++;
      run = startRun(scene, ['--resume', ...MODEL], SCRIPT);
    }
    const last = await run.ended;
    expect({ code: last.code, stderr: last.stderr }, last.stdout).toEqual({ code: 0, stderr: '' });
    expect(kills).toBeGreaterThan(4);
    const { parent, children } = await familyOf(scene);
    expect(parent.status).toBe('verified_done');
    expectAllBuilt(scene, parent.id);
    const journal = await journalOf(scene, parent.id);
    const begun = kinds(journal, 'child_begun');
    expect(begun.map(({ piece }) => piece).toSorted()).toEqual(['1', '2', '3', '4']);
    expect(children.map(({ id }) => id).toSorted()).toEqual(begun.map(({ child }) => child).toSorted());
    const merged = kinds(journal, 'merge_ended').map(({ child }) => child);
    expect(new Set(merged).size).toBe(merged.length);
    const branch = branchOf(scene, parent.id);
    const subjects = git(scene, 'log', '--merges', '--format=%s', `main..${branch}`).trim().split('\n');
    expect(new Set(subjects).size).toBe(3);
    expect(subjects).toHaveLength(3);
    const spent = children.reduce((sum, { tokens }) => sum + tokens, 0);
    const counted = new Map(kinds(journal, 'child_spent').map(({ child, tokens }) => [child, tokens]));
    expect([...counted.values()].reduce((a, b) => a + b, 0)).toBe(spent);
  },
);

longTest(
  'a runner that is killed before it has said that the work is divided divides it when it goes on',
  async () => {
    const scene = await project();
    const run = startRun(scene, ['Build it all', '--parallel', '2', ...MODEL], SCRIPT);
    await waitFor(() => stepsSoFar(scene) >= 1);
    run.child.kill('SIGKILL');
    await run.ended;
    const { parent } = await familyOf(scene);
    const [journal] = journalsOf(scene).filter((path) => path.includes(parent.id));
    if (!journal) throw new Error('there is no journal');
    writeFileSync(journal, `${readFileSync(journal, 'utf8').split('\n', 1)[0]}\n`);
    const again = await startRun(scene, ['--resume', parent.id, ...MODEL], SCRIPT).ended;
    expect({ code: again.code, stderr: again.stderr }, again.stdout).toEqual({ code: 0, stderr: '' });
    expect(kinds(await journalOf(scene, parent.id), 'child_begun')).toHaveLength(4);
    expectAllBuilt(scene, parent.id);
  },
);

longTest('Ctrl-C pauses the run and its children, and a cancel of the run ends them all', async () => {
  const scene = await project();
  const run = startRun(scene, ['Build it all', '--parallel', '2', ...MODEL], {
    turns: [{ hang: true, repeat: 4 }],
  });
  await waitFor(() => run.requests().length >= 2);
  run.child.kill('SIGINT');
  await waitFor(() => run.said().includes('once more to stop at once'));
  run.child.kill('SIGINT');
  const { code, stdout } = await run.ended;
  expect(code, stdout).toBe(130);
  const paused = await familyOf(scene);
  expect([paused.parent, ...paused.children].map(({ status }) => status)).toEqual(Array(3).fill('paused'));
  expect(await must(scene, ['status'])).toMatch(/^20.*paused.*\n(?: {2}.*\n)*\n {2}child 20/);
  await must(scene, ['cancel']);
  const after = await familyOf(scene);
  expect([after.parent, ...after.children].map(({ status }) => status)).toEqual(Array(3).fill('cancelled'));
});

longTest(
  '--pr opens one pull request a feature, each from the branch of the person, with its receipt',
  async () => {
    const scene = await project();
    withRemote(scene);
    const calls = fakeGh(scene.root, [
      { to: 'pr create', stdout: 'https://github.com/someone/project/pull/7\n' },
      { to: '--version', stdout: 'gh version 2.0.0\n' },
    ]);
    const env = { PATH: `${join(scene.root, 'bin')}:${process.env.PATH}` };
    const flags = ['Build it all', '--parallel', '1', '--pr', ...MODEL];
    const run = await startRun(scene, flags, SCRIPT, env).ended;
    expect({ code: run.code, stderr: run.stderr }, run.stdout).toEqual({ code: 0, stderr: '' });
    const opened = calls().filter(({ args }) => args[1] === 'create');
    const titleOf = (args: string[]) => args[args.indexOf('--title') + 1] ?? '';
    expect(opened.map(({ args }) => titleOf(args))).toEqual([
      'Build feature 1: the shared file speaks of one',
      'Build feature 2: the shared file speaks of two',
      'Build feature 3: there is a third file',
      'Build it all',
    ]);
    expect(opened.every(({ args }) => args.includes('--base') && args.includes('main'))).toBe(true);
    expect(opened[0]?.stdin).toContain('### Verified: Build feature 1');
    const { parent, children } = await familyOf(scene);
    const third = children.find(({ task }) => task.startsWith('Build feature 3'))?.id;
    const files = git(scene, 'diff', '--name-only', `main...origin/${branchOf(scene, third ?? '')}`);
    expect(files.trim().split('\n')).toEqual(['features.json', 'three']);
    expect(git(scene, 'log', '-1', '--format=%s', 'origin/main')).toBe('begin\n');
    expectAllBuilt(scene, parent.id);
  },
);

longTest('several prompt files are the pieces of one run', async () => {
  const scene = await contractScene({
    'untildone.yaml': 'gates:\n  whole: { run: test -f README }\n',
    README: 'x\n',
    'one.md': 'Write the first page',
    'two.md': 'Write the second page',
    '.gitignore': '.claude/\n',
  });
  const KEPT = { text: '<promise>DONE</promise>' };
  const writes = (first: string, file: string) => [
    { when: { first, last: 'it is there now' }, turns: [KEPT] },
    { when: { first }, turns: [{ tools: [bash(`echo page > ${file} && echo it is there now`)] }] },
  ];
  const script = {
    rules: [
      { when: { first: 'Do all of the following' }, turns: [KEPT] },
      ...writes('Write the first page', 'first'),
      ...writes('Write the second page', 'second'),
    ],
  };
  const prompts = ['--prompt-file', 'one.md', '--prompt-file', 'two.md', '--promise', 'DONE'];
  const run = await startRun(scene, [...prompts, '--parallel', '2', '--json', ...MODEL], script).ended;
  expect({ code: run.code, stderr: run.stderr }, run.stdout).toEqual({ code: 0, stderr: '' });
  const { parent, children } = await familyOf(scene);
  expect(children.map(({ status }) => status)).toEqual(['verified_done', 'verified_done']);
  const files = git(scene, 'ls-tree', '--name-only', branchOf(scene, parent.id)).split('\n');
  expect(files).toEqual(expect.arrayContaining(['first', 'second']));
  const lines = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const told = lines.filter(({ type, child }) => type === 'session' && child).map(({ child }) => child.piece);
  expect(told.toSorted()).toEqual(['one.md', 'two.md']);
  expect(
    lines
      .filter(({ type }) => type === 'child')
      .map(({ change }) => change)
      .toSorted(),
  ).toEqual(['begun', 'begun', 'ended', 'ended', 'merged', 'merged']);
});

longTest('a person is asked once, about the whole, and the children work before that', async () => {
  const scene = await contractScene({
    'untildone.yaml': 'gates:\n  whole: { run: test -f README }\n  ok: { approve: Is it good? }\n',
    README: 'x\n',
    'one.md': 'Write the first page',
    'two.md': 'Write the second page',
    '.gitignore': '.claude/\n',
  });
  const writes = (first: string, file: string) => [
    { when: { first, last: 'it is there now' }, turns: [{ text: '<promise>DONE</promise>' }] },
    { when: { first }, turns: [{ tools: [bash(`echo page > ${file} && echo it is there now`)] }] },
  ];
  const script = {
    rules: [...writes('Write the first page', 'first'), ...writes('Write the second page', 'second')],
  };
  const prompts = ['--prompt-file', 'one.md', '--prompt-file', 'two.md'];
  const run = startRun(scene, [...prompts, '--parallel', '2', ...MODEL], script);
  await waitFor(() => run.said().includes('waiting for you'));
  await must(scene, ['approve']);
  const { code, stdout } = await run.ended;
  expect(code, stdout).toBe(0);
  const { parent, children } = await familyOf(scene);
  expect(children.map(({ iteration }) => iteration)).toEqual([1, 1]);
  const files = git(scene, 'ls-tree', '--name-only', branchOf(scene, parent.id)).split('\n');
  expect(files).toEqual(expect.arrayContaining(['first', 'second']));
});

const REFUSED: [flags: string[], said: string][] = [
  [['--parallel', '0'], 'Type a whole number from 1 to 16'],
  [['--parallel', '17'], 'Type a whole number from 1 to 16'],
  [['--parallel', '2', '--branch'], 'leave --branch out'],
  [['--parallel', '2', '--mode', 'session'], 'name another mode'],
  [['--parallel', '2', '--resume'], 'cannot be given with --resume'],
  [['--prompt-file', 'a', '--prompt-file', 'b'], 'several of them are for --parallel'],
  [['--parallel', '2', '--prompt-file', 'features.json', '--prompt-file', '-'], 'name files instead of -'],
];
test.each(few(REFUSED, 1))('%j is refused in one line', async (flags, said) => {
  const scene = await project();
  await must(scene, ['start', 'Build', '--session', 'some-session', '--promise', 'DONE']);
  const words = flags.includes('--resume') ? [] : ['Build it'];
  const run = await startRun(scene, [...words, ...flags], {}).ended;
  expect({ code: run.code, lines: run.stderr.trim().split('\n').length }, run.stderr).toEqual({
    code: 2,
    lines: 1,
  });
  expect(run.stderr).toContain(said);
  expect(run.requests).toEqual([]);
});

const PHASED = `gates:
  plan: { run: test -f PLAN.md }
  features: { features: features.json }
phases:
  plan: { do: Write PLAN.md, exit: [plan], checkpoint: { ask: Is it good?, file: PLAN.md } }
  build: { exit: [features] }
`;
const APPROVED = 'gates:\n  features: { features: features.json }\n  ok: { approve: Is it good? }\n';

test.each(
  few(
    [
      ['a phase that comes first', PHASED, [], 'phase plan of the contract comes before the work'],
      ['a person who is asked after the merge', APPROVED, ['--pr', '--merge'], 'leave --merge out'],
    ],
    1,
  ),
)('%s is not got round', async (_, contract, flags, said) => {
  const scene = await contractScene({ 'untildone.yaml': contract, 'features.json': listOf(FEATURES) });
  const run = await startRun(scene, ['Build it', '--parallel', '2', ...flags, ...MODEL], {}).ended;
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(said), requests: [] });
  expect(git(scene, 'branch', '--list').trim()).toBe('* main');
});

test('a feature list that is not committed as it is now is not begun with an older one', async () => {
  const scene = await project();
  writeFileSync(join(scene.project, 'features.json'), listOf(FEATURES.slice(0, 2)));
  const run = await startRun(scene, ['Build it', '--parallel', '2', ...MODEL], {}).ended;
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('features.json is not committed') });
});

test('work that cannot be divided is refused before anything has begun', async () => {
  const scene = await contractScene({ 'untildone.yaml': 'gates:\n  whole: { run: test -f it }\n' });
  const run = await startRun(scene, ['Build it', '--parallel', '2', ...MODEL], {}).ended;
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('--parallel divides a run by') });
  expect(git(scene, 'branch', '--list').trim()).toBe('* main');
});
