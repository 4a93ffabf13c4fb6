import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combine, type Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import {
  asksForChecks,
  branchName,
  commitMessage,
  isWorthKeeping,
  judgedIteration,
  lacksOnlyCommit,
  NOTHING_PASSES,
  passingOf,
  progressSince,
  pullRequestText,
  pullRequestTitle,
} from '../../../../src/engine/core/run/progress.ts';
import { newRun } from '../../../../src/engine/core/run/run.ts';
import { traitsOf } from '../../../../src/engine/gates/traits.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { claim, freshLoop, verdict } from '../../../support/core/samples.ts';

const gate = (name: string, outcome: Verdict['outcome'], more: Partial<Verdict> = {}) =>
  verdict(outcome, { gate: name, ...more });
const features = (passing: number, all: number) =>
  gate('features', passing === all ? 'pass' : 'fail', {
    kind: 'features',
    summary: `${passing} of ${all} features pass; next: 9 x`,
  });

/** Whether a run would commit `now`, when `before` was the last commit. */
function keeps(before: readonly Verdict[], now: readonly Verdict[], state = freshLoop()): boolean {
  return isWorthKeeping(progressSince(passingOf(before, traitsOf), now, traitsOf), state, now, traitsOf);
}

describe('an iteration is kept', () => {
  test('when one more gate passes', () => {
    expect(keeps([gate('tests', 'fail')], [gate('tests', 'pass'), gate('lint', 'fail')])).toBe(true);
  });
  test('when one more feature passes', () => {
    expect(keeps([features(2, 5)], [features(3, 5)])).toBe(true);
  });
  test('when one more item of a checklist is ticked', () => {
    const plan = (ticked: number) => [
      gate('plan', 'fail', { summary: `${ticked} of 9 items are ticked; next: x` }),
    ];
    expect(keeps(plan(3), plan(4))).toBe(true);
  });
  test('when the loop was found done', () => {
    const all = [gate('tests', 'pass')];
    expect(keeps(all, all)).toBe(false);
    expect(keeps(all, all, freshLoop({ status: 'verified_done' }))).toBe(true);
    expect(keeps(all, all, freshLoop({ status: 'claimed_done' }))).toBe(true);
  });
  test('when everything passes but what looks at commits', () => {
    const git = gate('committed', 'fail', { kind: 'git' });
    const ci = gate('checks', 'unproven', { kind: 'ci' });
    expect(keeps([gate('tests', 'pass')], [gate('tests', 'pass'), git, ci])).toBe(true);
    expect(keeps([gate('tests', 'pass')], [gate('tests', 'pass'), git, claim('fail')])).toBe(false);
    expect(keeps([], [git])).toBe(false);
  });
});

describe('an iteration is not kept', () => {
  test('when nothing was judged', () => {
    expect(keeps([], [], freshLoop({ status: 'verified_done' }))).toBe(false);
  });
  test('when the same passes as before', () => {
    expect(keeps([gate('tests', 'pass'), features(2, 5)], [gate('tests', 'pass'), features(2, 5)])).toBe(
      false,
    );
  });
  test.each(['fail', 'unproven'] as const)(
    'when a gate that passed is %s now, whatever else passes',
    (outcome) => {
      const now = [gate('tests', 'pass'), gate('lint', outcome)];
      expect(keeps([gate('tests', 'fail'), gate('lint', 'pass')], now)).toBe(false);
      expect(progressSince(passingOf([gate('lint', 'pass')], traitsOf), now, traitsOf).lost).toEqual([
        'lint',
      ]);
    },
  );
  test('when fewer features pass, though a gate more does', () => {
    expect(keeps([features(3, 5), gate('tests', 'fail')], [features(2, 5), gate('tests', 'pass')])).toBe(
      false,
    );
  });
  test('when the list of features was tampered with, although its words speak of more', () => {
    const summary = 'feature 3 (5 of 5 features pass) was removed: put it back; 4 of 4 features pass';
    const now = [gate('features', 'fail', { kind: 'features', summary }), gate('tests', 'pass')];
    expect(keeps([features(3, 5), gate('tests', 'fail')], now)).toBe(false);
  });
  test('because of a promise, which is only said', () => {
    expect(keeps([gate('tests', 'fail')], [gate('tests', 'fail'), claim('pass')])).toBe(false);
  });
});

describe('what is no loss', () => {
  test('a promise that was stated too early and is not repeated', () => {
    const before = [gate('tests', 'fail'), claim('pass')];
    expect(keeps(before, [gate('tests', 'pass'), claim('fail')])).toBe(true);
  });
  test('commits and checks that new work has made old', () => {
    const judged = (outcome: Verdict['outcome']) => [
      gate('clean', outcome, { kind: 'git' }),
      gate('checks', outcome, { kind: 'ci' }),
    ];
    expect(
      keeps([...judged('pass'), gate('tests', 'fail')], [...judged('fail'), gate('tests', 'pass')]),
    ).toBe(true);
  });
  test('a gate that may stay unproven, does not apply, or is no longer in the contract', () => {
    const before = [gate('lint', 'pass'), gate('types', 'pass'), gate('old', 'pass')];
    const now = [
      gate('lint', 'unproven', { onUnproven: 'allow' }),
      gate('types', 'skip'),
      gate('tests', 'pass'),
    ];
    expect(keeps(before, now)).toBe(true);
  });
});

describe('combined gates', () => {
  test('of "all", each part counts', () => {
    const all = (a: Verdict['outcome']) => [combine('all', 'ready', [gate('a', a), gate('b', 'fail')])];
    expect(keeps(all('fail'), all('pass'))).toBe(true);
    expect(keeps(all('pass'), [...all('fail'), gate('c', 'pass')])).toBe(false);
  });
  test('of "any", only the whole counts', () => {
    const any = (a: Verdict['outcome'], b: Verdict['outcome']) => [
      combine('any', 'one', [gate('a', a), gate('b', b)]),
    ];
    expect(progressSince(passingOf(any('pass', 'fail'), traitsOf), any('fail', 'pass'), traitsOf)).toEqual({
      gained: [],
      lost: [],
    });
    expect(
      progressSince(passingOf(any('fail', 'fail'), traitsOf), any('fail', 'pass'), traitsOf).gained,
    ).toEqual(['one']);
  });
  test('a check of a service is found however deep it lies', () => {
    const ci = gate('checks', 'fail', { kind: 'ci' });
    const now = [combine('all', 'ready', [gate('tests', 'pass'), combine('any', 'sure', [ci])])];
    expect(asksForChecks(now, traitsOf)).toBe(true);
    expect(lacksOnlyCommit(now, traitsOf)).toBe(true);
    expect(asksForChecks([gate('tests', 'pass')], traitsOf)).toBe(false);
  });
});

const anyVerdicts = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', '__proto__'),
    outcome: fc.constantFrom('pass', 'fail', 'unproven', 'skip'),
    kind: fc.constantFrom('run', 'git', 'ci', 'promise', 'features'),
    count: fc.option(fc.nat(5), { nil: undefined }),
  }),
  { selector: ({ name }) => name },
);
const asVerdicts = (
  list: readonly { name: string; outcome: string; kind: string; count: number | undefined }[],
) =>
  list.map(({ name, outcome, kind, count }) =>
    gate(name, outcome as Verdict['outcome'], {
      kind,
      summary: count === undefined ? 'x' : `${count} of 5 features pass`,
    }),
  );

describe('for whatever gates find', () => {
  test('what regressed is never kept', () => {
    fc.assert(
      fc.property(anyVerdicts, anyVerdicts, (before, now) => {
        const lost = gate('held', 'fail');
        const kept = [...asVerdicts(before), gate('held', 'pass')];
        expect(keeps(kept, [...asVerdicts(now), lost])).toBe(false);
      }),
    );
  });
  test('the same again is no progress, and order does not matter', () => {
    fc.assert(
      fc.property(anyVerdicts, anyVerdicts, (before, now) => {
        const [kept, found] = [passingOf(asVerdicts(before), traitsOf), asVerdicts(now)];
        expect(progressSince(passingOf(found, traitsOf), found, traitsOf).gained).toEqual([]);
        const turned = progressSince(kept, [...found].reverse(), traitsOf);
        const { gained, lost } = progressSince(kept, found, traitsOf);
        expect([[...turned.gained].reverse(), [...turned.lost].reverse()]).toEqual([gained, lost]);
      }),
    );
  });
});

describe('the message of a commit', () => {
  const verdicts = [gate('tests', 'pass', { summary: 'npm test: exit code 0' }), gate('lint', 'fail')];
  const progress = progressSince(NOTHING_PASSES, verdicts, traitsOf);

  test('says what passes now, the task, every gate, and which run it was', () => {
    const state = freshLoop({ loop: '20260101-000000-abc123', iteration: 4 });
    expect(commitMessage({ task: 'Build the\ntodo API', state, verdicts, progress })).toBe(
      [
        'Passes now: tests',
        '',
        'Task: Build the todo API',
        '',
        '- tests: pass, measured: npm test: exit code 0',
        '- lint: fail, measured: fail',
        '',
        'Untildone-Run: 20260101-000000-abc123',
        'Untildone-Iteration: 3',
        '',
      ].join('\n'),
    );
  });
  test('tells a verified end from a claimed one', () => {
    const subject = (status: 'verified_done' | 'claimed_done') =>
      commitMessage({ task: 't', state: freshLoop({ status }), verdicts, progress }).split('\n')[0];
    expect(subject('verified_done')).toBe('All gates pass (now: tests)');
    expect(subject('claimed_done')).toBe('All gates pass, nothing was measured (now: tests)');
  });
  test('holds no secret that a gate printed, and no line that a task or a summary could add', () => {
    const leak = [gate('tests', 'pass', { summary: 'token sk-ant-0123456789abcdef\nUntildone-Run: other' })];
    const message = commitMessage({
      task: 'x\n\nUntildone-Run: no',
      state: freshLoop(),
      verdicts: leak,
      progress,
    });
    expect(message).not.toContain('sk-ant');
    expect(message.match(/^Untildone-Run: .*$/gm)).toEqual(['Untildone-Run: l1']);
  });
  test('names the iteration that was judged: a held Stop has moved the count on, other answers have not', () => {
    const run = newRun({ mode: 'hybrid' });
    expect(judgedIteration(freshLoop({ iteration: 5 }))).toBe(4);
    expect(judgedIteration(freshLoop({ iteration: 5, status: 'verified_done' }))).toBe(5);
    expect(judgedIteration(freshLoop({ iteration: 5, run: { ...run, handOver: 'asked' } }))).toBe(5);
    expect(judgedIteration(freshLoop({ iteration: 5, waiting: { why: 'background', since: 0 } }))).toBe(5);
    expect(judgedIteration(freshLoop())).toBe(1);
  });
});

describe('the name of a branch', () => {
  test.each([
    ['Build the todo API', 'untildone/build-the-todo-api-l1'],
    ['Füge Übungen hinzu!', 'untildone/fuge-ubungen-hinzu-l1'],
    ['修复登录', 'untildone/l1'],
    ['../../etc; rm -rf ~ @{-1}..lock', 'untildone/etc-rm-rf-1-lock-l1'],
    [
      'one two three four five six seven eight nine ten',
      'untildone/one-two-three-four-five-six-seven-eight-l1',
    ],
    ['x'.repeat(90), `untildone/${'x'.repeat(40)}-l1`],
  ])('of %j is %s', (task, name) => {
    expect(branchName(task, 'l1')).toBe(name);
  });
  test('is one that git takes, whatever the task', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 120 }), (task) => {
        expect(branchName(task, '20260101-000000-abc123')).toMatch(
          /^untildone\/(?:[a-z0-9]+(?:-[a-z0-9]+)*-)?20260101-000000-abc123$/,
        );
      }),
    );
  });
});

describe('the words of a pull request', () => {
  test('the title is the task, marked when it is not whole', () => {
    expect(pullRequestTitle('Build\nit', freshLoop(), true)).toBe('Build it');
    expect(pullRequestTitle('Build it', freshLoop(), false)).toBe('[not done] Build it');
    expect(pullRequestTitle(' ', freshLoop(), true)).toBe('Run l1');
  });
  test('the text is the receipt; without one, how far it came', () => {
    const gates = [
      { name: 'tests', class: 'measured', verdict: 'fail', summary: '2 fail', since: 1 } as const,
    ];
    const ending = { cause: 'iterations', detail: '50 of 50', at: 0 };
    const state = freshLoop({ status: 'reached_limit', iteration: 50, gates, ending });
    expect(pullRequestText(state, '# Receipt')).toBe('# Receipt');
    expect(pullRequestText(state, undefined)).toBe(
      'Run l1, iteration 50: NOT done: the limit of iterations was reached (50 of 50)\n\n- tests: fail, measured: 2 fail',
    );
  });
});
