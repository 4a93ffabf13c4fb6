import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GateSpec } from '../../../src/engine/core/contract/contract.ts';
import type { Verdict } from '../../../src/engine/core/loop/verdict.ts';
import { pathMatcher } from '../../../src/engine/core/text/globs.ts';
import type { Judgement } from '../../../src/engine/gates/gate.ts';
import { judge } from '../../../src/engine/judging/judge.ts';
import type { JudgingRequest } from '../../../src/engine/ports/judging.ts';
import type { FileChange, Workspace } from '../../../src/engine/ports/ports.ts';
import {
  contractWith,
  FAIL,
  fakeJudges,
  memoryCache,
  PASS,
  run,
  workOn,
} from '../../support/hook/judging.ts';

const STOP = { name: 'Stop', session: 's' } as JudgingRequest['event'];

describe('flaky', () => {
  const proven = (judgement: Judgement, command = 'npm test'): Judgement => ({
    ...judgement,
    proof: { command },
  });

  /** Judges the same gate again and again, after tools that may have mended something. */
  async function timesOver(...said: { says: Judgement; tree?: string }[]): Promise<Verdict[]> {
    const cache = memoryCache();
    const found: Verdict[] = [];
    for (const { says, tree = 'tree 1' } of said) {
      const judges = fakeJudges({ tests: says });
      judges.tree = tree;
      const { verdicts } = await judge(
        workOn(contractWith({ tests: run() }), { event: STOP, cache, toolRan: true }),
        judges,
      );
      found.push(...verdicts);
    }
    return found;
  }

  test('the same command on the same tree with another outcome', async () => {
    const [first, second] = await timesOver({ says: proven(FAIL) }, { says: proven(PASS) });
    expect(first?.flaky).toBeUndefined();
    expect(second).toMatchObject({ outcome: 'pass', flaky: true });
    expect(second?.summary).toContain('(flaky: it failed before on the same files)');
  });

  test('the mark stays when the tree changes', async () => {
    const found = await timesOver(
      { says: proven(FAIL) },
      { says: proven(PASS) },
      { says: proven(PASS), tree: 'tree 2' },
    );
    expect(found[2]).toMatchObject({ flaky: true });
    expect(found[2]?.summary).toContain('it passed and failed on the same files before');
  });

  test.each<[string, { says: Judgement; tree?: string }, { says: Judgement; tree?: string }]>([
    ['another tree', { says: proven(FAIL) }, { says: proven(PASS), tree: 'tree 2' }],
    ['the same outcome', { says: proven(FAIL) }, { says: proven(FAIL) }],
    ['another command, such as the quick one', { says: proven(FAIL, 'quick') }, { says: proven(PASS) }],
    ['nothing that was run', { says: FAIL }, { says: PASS }],
    [
      'what could not be judged',
      { says: proven({ outcome: 'unproven', summary: 'x' }) },
      { says: proven(PASS) },
    ],
  ])('not %s', async (_, first, second) => {
    expect((await timesOver(first, second)).some((verdict) => verdict.flaky)).toBe(false);
  });
});

describe('inputs', () => {
  const NAMED = run('npm test', { inputs: ['src/**', '!src/**/*.md', 'package.json'] });

  /** Judges twice, with these files changed in between. */
  async function twice(
    changes: FileChange[] | Error,
    {
      first = PASS,
      spec = NAMED,
      again = spec,
    }: { first?: Judgement; spec?: GateSpec; again?: GateSpec } = {},
    more: Partial<JudgingRequest> = {},
  ) {
    const cache = memoryCache();
    const judges = fakeJudges({ tests: first });
    const workspace = judges.workspace('/project');
    const known: Workspace = {
      ...workspace,
      changes: async () => {
        if (changes instanceof Error) throw changes;
        return changes;
      },
    };
    judges.workspace = () => known;
    await judge(workOn(contractWith({ tests: spec }), { event: STOP, cache }), judges);
    judges.tree = 'tree 2';
    const contract = contractWith({ tests: again });
    const { verdicts } = await judge(
      workOn(contract, { event: STOP, cache, toolRan: true, ...more }),
      judges,
    );
    return { times: judges.judged.length, verdict: verdicts[0] };
  }
  const modified = (...paths: string[]): FileChange[] => paths.map((path) => ({ path, change: 'modified' }));

  test('a pass counts while no file changes that they name, and says where it is from', async () => {
    const { times, verdict } = await twice(modified('README.md', 'src/a/notes.md', 'docs/x.js'));
    expect(times).toBe(1);
    expect(verdict).toMatchObject({ outcome: 'pass', reused: true, reusedFrom: 'tree 1' });
  });

  test.each<[string, FileChange[] | Error]>([
    ['a file that they name', modified('README.md', 'src/a.js')],
    ['a new file that fits', [{ path: 'src/new.js', change: 'added' }]],
    ['a file that is gone', [{ path: 'src/old.js', change: 'deleted' }]],
    ['a file that moved away', [{ path: 'lib/a.js', from: 'src/a.js', change: 'renamed' }]],
    ['a file that moved in', [{ path: 'src/a.js', from: 'lib/a.js', change: 'renamed' }]],
    ['a tree that is lost', new Error('lost')],
  ])('it is judged again after %s', async (_, changes) => {
    expect((await twice(changes)).times).toBe(2);
  });

  test('a failure is judged again', async () => {
    expect((await twice(modified('README.md'), { first: FAIL })).times).toBe(2);
  });

  test.each<[string, GateSpec]>([
    ['another command', run('npm run other', { inputs: NAMED.inputs })],
    ['other inputs', run('npm test', { inputs: ['test/**'] })],
    ['no inputs', run('npm test')],
  ])('%s: another question', async (_, again) => {
    expect((await twice(modified('README.md'), { again })).times).toBe(2);
  });

  test('another task, or another exception that you allowed, is another question', async () => {
    expect((await twice(modified('README.md'), {}, { task: 'other' })).times).toBe(2);
    expect((await twice(modified('README.md'), {}, { allowed: ['x'] })).times).toBe(2);
  });

  test('without inputs every change counts', async () => {
    expect((await twice(modified('README.md'), { spec: run('npm test') })).times).toBe(2);
  });

  test('a chain of harmless changes is compared with the tree that was judged', async () => {
    const cache = memoryCache();
    const judges = fakeJudges();
    const asked: string[] = [];
    const workspace = judges.workspace('/project');
    judges.workspace = () => ({
      ...workspace,
      changes: async (from, to) => {
        asked.push(`${from} to ${to}`);
        return modified('README.md');
      },
    });
    for (const tree of ['tree 1', 'tree 2', 'tree 3']) {
      judges.tree = tree;
      await judge(workOn(contractWith({ tests: NAMED }), { event: STOP, cache, toolRan: true }), judges);
    }
    expect(judges.judged).toHaveLength(1);
    expect(asked).toEqual(['tree 1 to tree 2', 'tree 1 to tree 3']);
  });

  test('a verdict is used again if and only if no file changed that the globs fit', async () => {
    const path = fc.constantFrom(
      'src/a.js',
      'src/b/c.ts',
      'test/a.js',
      'README.md',
      'src/x.md',
      'package.json',
      'a',
    );
    const glob = fc.constantFrom('src/**', '**/*.js', '!**/*.md', 'test', 'package.json', '!src/b', '*.ts');
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { minLength: 1, maxLength: 4 }),
        fc.array(glob, { minLength: 1, maxLength: 3 }),
        async (paths, inputs) => {
          const { times } = await twice(modified(...paths), { spec: run('npm test', { inputs }) });
          expect(times).toBe(paths.some(pathMatcher(inputs)) ? 2 : 1);
        },
      ),
    );
  });

  test('what a gate runs and was changed is refused as before', async () => {
    const cache = memoryCache();
    const judges = fakeJudges();
    judges.partsNow = { 'package.json scripts.test': 'one' };
    const parts = { tests: { 'package.json scripts.test': 'one' } };
    const work = () =>
      workOn(contractWith({ tests: NAMED }), { event: STOP, cache, toolRan: true }, { parts });
    await judge(work(), judges);
    judges.partsNow = { 'package.json scripts.test': 'two' };
    const { verdicts } = await judge(work(), judges);
    expect(verdicts[0]).toMatchObject({ outcome: 'fail' });
    expect(verdicts[0]?.summary).toContain('was changed since the loop began');
  });
});
