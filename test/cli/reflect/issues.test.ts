import { afterEach, describe, expect, test, vi } from 'vitest';
import { offerIssues } from '../../../src/cli/reflect/issues.ts';
import { printedBy } from '../../../src/engine/terminal/print.ts';
import { analyse } from '../../../src/read/reflect/findings/analyse.ts';
import type { Report } from '../../../src/read/reflect/findings/report.ts';
import { chosen, type GhCli } from '../../../src/read/reflect/issues/file-issues.ts';
import { fakeGh, ghOnPath } from '../../support/reflect/fake-gh.ts';
import { bash, fileOf, MadeTranscript, scratchFolder, T0 } from '../../support/reflect/made-transcript.ts';

afterEach(() => vi.unstubAllEnvs());

const SECRET = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';

/** A session with so many repeated commands. */
function report(...commands: string[]): Report {
  const made = new MadeTranscript().prompt('go');
  for (const command of commands) for (let i = 0; i < 3; i++) made.call(bash(command));
  return analyse({ transcript: fileOf(made) }, { now: T0 });
}

/** Answers in their order; after the last one, Ctrl-C. Without a `gh`, the one on PATH is called. */
async function offered(about: Report, answers: readonly string[] | 'nobody', gh?: GhCli) {
  const left = answers === 'nobody' ? [] : [...answers];
  const project = scratchFolder();
  let result: Awaited<ReturnType<typeof offerIssues>> = { issues: [], code: -1 };
  const lines = await printedBy(async () => {
    const asking = { asks: answers !== 'nobody', ask: async () => left.shift() };
    result = await offerIssues(about, project, gh ? { ...asking, gh } : asking);
  });
  return { ...result, text: lines.join('\n') };
}

describe('issues', () => {
  test('are filed after a yes: title, labels that are made, a body with a fingerprint, no secret', async () => {
    const onPath = ghOnPath({ labels: ['improvement'] });
    const { issues, code, text } = await offered(report(`curl -u me:${SECRET} https://x`), ['y']);
    const state = onPath.state();
    expect(code).toBe(0);
    expect(state.labels).toEqual(['improvement', 'automation', 'reflection']);
    expect(state.issues.map(({ title, labels }) => [title.slice(0, 50), labels])).toEqual([
      ['Improvement: Put a repeated command into a script:', ['improvement', 'automation', 'reflection']],
      ['Improvement: Consider creating script for repeated', ['improvement', 'automation', 'reflection']],
    ]);
    expect(state.issues[0]?.body).toMatch(/<!-- untildone-reflection: [0-9a-f]{16} -->/);
    expect(JSON.stringify(state)).not.toContain(SECRET);
    expect(issues).toMatchObject([
      { number: 1, url: 'https://github.com/octo/shop/issues/1', updated: false },
      { number: 2, updated: false },
    ]);
    expect(text).toContain('Create GitHub issues for these improvements? (y/n/select)');
    expect(text).toContain('Filed: #1 Improvement:');
  });

  test('that are open already are brought up to date, and closed ones are filed anew', async () => {
    const { gh, state } = fakeGh();
    const about = report('npm run lint');
    await offered(about, ['y'], gh);
    const again = await offered(about, ['y'], gh);
    expect(again.issues.map(({ number, updated }) => [number, updated])).toEqual([
      [1, true],
      [2, true],
    ]);
    expect(again.text).toContain('Brought up to date: #1');
    expect(state.issues.map(({ comments }) => comments.length)).toEqual([1, 1]);
    for (const issue of state.issues) issue.open = false;
    expect((await offered(about, ['y'], gh)).issues.map(({ number }) => number)).toEqual([3, 4]);
  });

  test('are at most three, the worst first, or those that you select', async () => {
    const about = report('make a', 'make b', 'make c', 'make d');
    expect(about.findings).toHaveLength(5);
    expect((await offered(about, ['y'], fakeGh().gh)).issues).toHaveLength(3);
    const answers = ['what?', 'select', '9', '1 2 3 4', '5, 2'];
    const { issues, text } = await offered(about, answers, fakeGh().gh);
    expect(text).toContain('Type y, n or select.');
    expect(text).toContain('Type numbers from 1 to 5.');
    expect(text).toContain('Choose at most 3.');
    expect(issues.map(({ title }) => title.includes('repeated bash'))).toEqual([true, false]);
  });

  test.each([
    [['n'], 0],
    [[''], 0],
    [['select', ''], 0],
    [[], 130],
  ])('are not filed after %j', async (answers, code) => {
    const { gh, state } = fakeGh();
    expect(await offered(report('make a'), answers, gh)).toMatchObject({ issues: [], code });
    expect(state.issues).toEqual([]);
  });

  test.each([
    ['nobody can be asked', 'nobody' as const, {}, 'Nobody can be asked here'],
    [
      'gh is not logged in',
      ['y'],
      { 'repo view': { text: 'To get started with GitHub CLI, please run:  gh auth login', code: 4 } },
      'gh is not logged in: gh auth login',
    ],
    [
      'there is no remote',
      ['y'],
      { 'repo view': { text: 'no git remotes found' } },
      'gh says: no git remotes found',
    ],
  ])('are printed where %s', async (_, answers, broken, why) => {
    const onPath = ghOnPath({ broken });
    const { text, code, issues } = await offered(report('make a'), answers);
    expect(text).toContain(why);
    expect(text).toContain('# Improvement: Put a repeated command into a script: make a');
    expect(text).toContain('gh issue create --title');
    expect([code, issues, onPath.state().issues]).toEqual([0, [], []]);
  });

  test('are printed where gh is missing, and where the repository has none', async () => {
    vi.stubEnv('PATH', scratchFolder());
    expect((await offered(report('make a'), ['y'])).text).toContain('gh is not installed');
    const { gh } = fakeGh({ enabled: false });
    expect((await offered(report('make a'), ['y'], gh)).text).toContain('octo/shop has no issues');
  });

  test('that cannot be filed are printed, with what was filed and why the rest was not', async () => {
    const broken = { 'issue create': { text: 'HTTP 403: Resource not accessible by personal access token' } };
    const { text, code, issues } = await offered(report('make a'), ['y'], fakeGh({ broken }).gh);
    expect(text).toContain('2 of 2 issues were not filed: gh says: HTTP 403');
    expect(text).toContain('# Improvement: Put a repeated command into a script: make a');
    expect([code, issues]).toEqual([2, []]);
    // Without the list of open ones each could be a double: nothing is filed.
    const { gh, state } = fakeGh({ broken: { 'issue list': { text: 'HTTP 502' } } });
    expect((await offered(report('make a'), ['y'], gh)).code).toBe(2);
    expect(state.calls.map(([a, b]) => `${a} ${b}`)).toEqual(['repo view', 'issue list']);
  });

  test('are filed without labels that cannot be made', async () => {
    const { gh, state } = fakeGh({
      labels: ['reflection'],
      broken: { 'label create': { text: 'HTTP 403: Forbidden' } },
    });
    const { text, issues } = await offered(report('make a'), ['y'], gh);
    expect(text).toContain('The label automation is missing and could not be made');
    expect(issues).toHaveLength(2);
    expect(state.issues[0]?.labels).toEqual(['reflection']);
  });

  test('reach gh as they are: no word of a transcript is read by a shell', async () => {
    const onPath = ghOnPath();
    await offered(report('echo $(touch owned) `touch owned` "; rm -rf / #" --label x'), ['y']);
    expect(onPath.state().issues[0]?.title).toContain(
      'echo $(touch owned) `touch owned` "; rm -rf / #" --label x',
    );
    expect(onPath.state().issues[0]?.labels).toEqual(['improvement', 'automation', 'reflection']);
  });
});

test.each([
  ['1,3', [0, 2]],
  ['2 2', [1]],
  ['0', undefined],
  ['4', undefined],
  ['one', undefined],
  ['', undefined],
])('%j of three is %j', (answer, meant) => {
  expect(chosen(answer, 3)).toEqual(meant);
});
