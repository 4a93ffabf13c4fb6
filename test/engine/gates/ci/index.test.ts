/** With a stand-in for gh that says what gh 2.23 says in each case. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ciGate } from '../../../../src/engine/gates/ci/index.ts';
import type { Judgement } from '../../../../src/engine/gates/gate.ts';
import { systemShell } from '../../../../src/engine/project/shell/shell.ts';
import type { Given } from '../../../support/gates/context.ts';
import { type JudgedProject, projectOfTest } from '../../../support/gates/judged-project.ts';

const FAKE_GH = `#!/bin/sh
echo "$*" >> "$FAKE_GH/asked"
asked=$(grep -c check-runs "$FAKE_GH/asked")
if [ -f "$FAKE_GH/stderr.$asked" ]; then cat "$FAKE_GH/stderr.$asked" >&2; exit 1; fi
if [ -f "$FAKE_GH/stderr" ]; then cat "$FAKE_GH/stderr" >&2; exit "$(cat "$FAKE_GH/code")"; fi
case "$*" in
  *check-runs*) cat "$FAKE_GH/runs.$asked" 2>/dev/null || cat "$FAKE_GH/runs" ;;
  */status*) cat "$FAKE_GH/statuses" ;;
  *) exit 9 ;;
esac
`;

interface Run {
  name: string;
  status: string;
  conclusion: string | null;
  url?: string;
}

const passed = (name: string): Run => ({ name, status: 'completed', conclusion: 'success' });
const failed = (name: string, conclusion = 'failure'): Run => ({
  name,
  status: 'completed',
  conclusion,
  url: `https://github.com/o/r/runs/${name}`,
});
const running = (name: string): Run => ({ name, status: 'in_progress', conclusion: null });

interface Pushed {
  project: JudgedProject;
  commit: string;
  /** Check runs from the n-th look on; all looks when absent. */
  reports(runs: Run[], look?: number): Promise<void>;
  reportsStatuses(statuses: { name: string; status: string; url?: string }[]): Promise<void>;
  ghFails(stderr: string, code?: number): Promise<void>;
  fake: string;
  judge(options?: { checks?: string[]; waitMs?: number }, more?: Given): Promise<Judgement>;
  asked(): Promise<string[]>;
}

/** A project whose work is committed and pushed. */
async function pushedProject(): Promise<Pushed> {
  const project = await projectOfTest();
  const fake = join(project.root, 'fake-gh');
  await mkdir(fake);
  await writeFile(join(fake, 'gh'), FAKE_GH);
  await chmod(join(fake, 'gh'), 0o755);
  const lines = (list: object[]) => list.map((item) => `${JSON.stringify(item)}\n`).join('');
  await writeFile(join(fake, 'runs'), '');
  await writeFile(join(fake, 'statuses'), '');
  await project.write('a.txt', 'one\n');
  project.git('init', '--quiet', '--bare', join(project.root, 'remote.git'));
  project.git('remote', 'add', 'origin', join(project.root, 'remote.git'));
  project.git('add', '.');
  project.git('commit', '--quiet', '-m', 'one');
  project.git('push', '--quiet', '-u', 'origin', 'main');
  const env = { ...project.environment, PATH: `${fake}:${project.environment.PATH}`, FAKE_GH: fake };
  return {
    project,
    fake,
    commit: project.git('rev-parse', 'HEAD').trim(),
    reports: (runs, look) => writeFile(join(fake, look === undefined ? 'runs' : `runs.${look}`), lines(runs)),
    reportsStatuses: (statuses) => writeFile(join(fake, 'statuses'), lines(statuses)),
    async ghFails(stderr, code = 1) {
      await writeFile(join(fake, 'stderr'), stderr);
      await writeFile(join(fake, 'code'), String(code));
    },
    judge: async (options = {}, more = {}) =>
      ciGate.judge(
        { provider: 'github', waitMs: 300, ...options },
        project.context({ shell: systemShell(env), ...more }),
        new AbortController().signal,
      ),
    asked: async () =>
      (await readFile(join(fake, 'asked'), 'utf8').catch(() => '')).split('\n').filter(Boolean),
  };
}

test('checks that all passed are a pass, measured, for exactly this commit', async () => {
  const { reports, reportsStatuses, judge, asked, commit } = await pushedProject();
  await reports([passed('build'), { ...passed('docs'), conclusion: 'skipped' }]);
  await reportsStatuses([{ name: 'legacy/ci', status: 'success' }]);
  expect(await judge()).toMatchObject({
    outcome: 'pass',
    summary: `checks of ${commit.slice(0, 10)} passed: build, docs, legacy/ci`,
    proof: { exitCode: 0, command: expect.stringContaining(`commits/${commit}/check-runs`) },
  });
  expect(ciGate.class).toBe('measured');
  expect((await asked()).every((line) => line.includes(commit))).toBe(true);
});

test('a failing check fails at once, with its name and link, while others still run', async () => {
  const { reports, judge, asked, commit } = await pushedProject();
  await reports([running('build'), failed('test'), failed('deploy', 'timed_out')]);
  expect(await judge({ waitMs: 60_000 })).toMatchObject({
    outcome: 'fail',
    summary: `checks of ${commit.slice(0, 10)} failed: test, deploy`,
    evidence: [
      'test: failure (https://github.com/o/r/runs/test)',
      expect.stringContaining('deploy: timed_out'),
    ],
  });
  expect(await asked()).toHaveLength(2);
});

test('a failing status of an older service fails too', async () => {
  const { reports, reportsStatuses, judge } = await pushedProject();
  await reports([passed('build')]);
  await reportsStatuses([{ name: 'legacy/ci', status: 'error', url: 'https://ci' }]);
  expect(await judge()).toMatchObject({ outcome: 'fail', evidence: ['legacy/ci: error (https://ci)'] });
});

test('the same failure of another commit has the same fingerprint', async () => {
  const { reports, judge, project } = await pushedProject();
  await reports([failed('test')]);
  const first = await judge();
  await project.write('a.txt', 'two\n');
  project.git('commit', '--quiet', '-am', 'two');
  const second = await judge();
  expect(second.summary).not.toBe(first.summary);
  expect(second.fingerprint).toBe(first.fingerprint);
});

test('a word for an outcome that is not known is no success', async () => {
  const { reports, judge } = await pushedProject();
  await reports([failed('test', 'exploded')]);
  expect(await judge()).toMatchObject({ outcome: 'fail' });
});

test('open checks are waited for', async () => {
  const { reports, judge, asked } = await pushedProject();
  await reports([running('test')], 1);
  await reports([running('test')], 2);
  await reports([passed('test')]);
  expect(await judge({ waitMs: 20_000 })).toMatchObject({ outcome: 'pass' });
  expect((await asked()).filter((line) => line.includes('check-runs'))).toHaveLength(3);
});

test('checks that are open at the end of the wait prove nothing', async () => {
  const { reports, judge } = await pushedProject();
  await reports([running('test'), passed('build')]);
  expect(await judge()).toMatchObject({ outcome: 'unproven', evidence: ['test (in_progress)'] });
});

test('a commit without any check proves nothing', async () => {
  const { judge } = await pushedProject();
  expect(await judge()).toMatchObject({ outcome: 'unproven', evidence: ['any check (none is reported)'] });
});

test('with named checks only those count, and each has to be there', async () => {
  const { reports, judge } = await pushedProject();
  await reports([passed('test'), failed('flaky')]);
  expect(await judge({ checks: ['test'] })).toMatchObject({ outcome: 'pass' });
  expect(await judge({ checks: ['test', 'deploy'] })).toMatchObject({
    outcome: 'unproven',
    evidence: ['deploy (not reported)'],
  });
});

test('work that is not committed fails before anybody is asked', async () => {
  const { judge, asked, project } = await pushedProject();
  await project.write('a.txt', 'changed\n');
  await project.write('new.txt', 'new\n');
  expect(await judge()).toMatchObject({
    outcome: 'fail',
    summary: 'no check has seen what is not committed: 2 changes',
    evidence: [' M a.txt', '?? new.txt', 'Commit the work and push it.'],
  });
  expect(await asked()).toEqual([]);
});

test('a repository without a commit fails', async () => {
  const project = await projectOfTest();
  const judgement = await ciGate.judge(
    { provider: 'github' },
    project.context(),
    new AbortController().signal,
  );
  expect(judgement).toMatchObject({ outcome: 'fail', evidence: ['Commit the work and push it.'] });
});

const UNKNOWN_COMMIT = '{"message":"No commit found for SHA: x"}gh: No commit found for SHA: x (HTTP 422)\n';

test('a commit that was not pushed fails at once', async () => {
  const { judge, asked, project, ghFails } = await pushedProject();
  await project.write('a.txt', 'two\n');
  project.git('commit', '--quiet', '-am', 'two');
  await ghFails(UNKNOWN_COMMIT);
  expect(await judge({ waitMs: 60_000 })).toMatchObject({ outcome: 'fail', evidence: ['Push it: git push'] });
  expect(await asked()).toHaveLength(1);
});

test('a pushed commit that GitHub does not know yet is waited for', async () => {
  const { judge, reports, fake } = await pushedProject();
  await writeFile(join(fake, 'stderr.1'), UNKNOWN_COMMIT);
  await reports([passed('test')]);
  expect(await judge({ waitMs: 20_000 })).toMatchObject({ outcome: 'pass' });
});

test.each([
  [
    'not logged in',
    'To get started with GitHub CLI, please run:  gh auth login\n',
    4,
    'gh is not logged in',
    'gh auth login',
  ],
  [
    'an old login',
    '{"message":"Bad credentials"}gh: Bad credentials (HTTP 401)\n',
    1,
    'gh is not logged in',
    'gh auth login',
  ],
  [
    'no right to see it',
    'gh: Not Found (HTTP 404)\n',
    1,
    'GitHub does not show the repository: Not Found (HTTP 404)',
    'rights',
  ],
  [
    'no remote',
    'unable to expand placeholder in path: no git remotes found\n',
    1,
    'no git remotes found',
    'remote',
  ],
])('%s proves nothing, and says what to do', async (_, stderr, code, summary, toDo) => {
  const { judge, ghFails, asked } = await pushedProject();
  await ghFails(stderr, code);
  expect(await judge({ waitMs: 60_000 })).toMatchObject({
    outcome: 'unproven',
    summary: expect.stringContaining(summary),
    evidence: [expect.stringContaining(toDo)],
  });
  expect(await asked()).toHaveLength(1);
});

test('no gh proves nothing, and says what to install', async () => {
  const { judge } = await pushedProject();
  expect(await judge({}, { shell: systemShell({ PATH: '/nonexistent' }) })).toMatchObject({
    outcome: 'unproven',
    summary: 'gh is not installed',
    evidence: [expect.stringContaining('https://cli.github.com')],
  });
});

test.each([
  [
    'no network',
    'error connecting to api.github.com\ncheck your internet connection or https://githubstatus.com\n',
  ],
  ['a rate limit', 'gh: API rate limit exceeded for user ID 1. (HTTP 403)\n'],
  ['a broken service', 'gh: oops (HTTP 502)\n'],
])('%s is tried three times and proves nothing', async (_, stderr) => {
  const { judge, ghFails, asked } = await pushedProject();
  await ghFails(stderr);
  expect(await judge({ waitMs: 20_000 })).toMatchObject({
    outcome: 'unproven',
    summary: expect.stringContaining('GitHub cannot be reached'),
  });
  expect(await asked()).toHaveLength(3);
});

test('a short outage is waited out', async () => {
  const { judge, reports, fake } = await pushedProject();
  await writeFile(join(fake, 'stderr.1'), 'gh: oops (HTTP 502)\n');
  await reports([passed('test')]);
  expect(await judge({ waitMs: 20_000 })).toMatchObject({ outcome: 'pass' });
});

test('an answer that cannot be read proves nothing', async () => {
  const { judge, fake } = await pushedProject();
  await writeFile(join(fake, 'runs'), '<html>\n');
  expect(await judge()).toMatchObject({ outcome: 'unproven', summary: 'the answer of gh cannot be read' });
});

test('a remote that was put in the place of the one at the start fails', async () => {
  const { judge, reports, project, asked } = await pushedProject();
  await reports([passed('test')]);
  const frozen = await ciGate.freeze?.(
    { provider: 'github' },
    { project: project.dir, workspace: project.workspace },
  );
  expect(await judge({}, { frozen })).toMatchObject({ outcome: 'pass' });
  const before = (await asked()).length;
  project.git('remote', 'set-url', 'origin', 'https://github.com/agent/own.git');
  expect(await judge({}, { frozen })).toMatchObject({
    outcome: 'fail',
    summary: expect.stringContaining('remotes'),
  });
  expect(await asked()).toHaveLength(before);
});

test('a password in the address of a remote is not kept', async () => {
  const { project } = await pushedProject();
  project.git('remote', 'set-url', 'origin', 'https://somebody:secret@github.com/o/r.git');
  const frozen = await ciGate.freeze?.(
    { provider: 'github' },
    { project: project.dir, workspace: project.workspace },
  );
  expect(frozen).toEqual({ remotes: 'remote.origin.url https://github.com/o/r.git' });
});

test('a gate that is stopped while it waits ends at once', async () => {
  const { reports, project, fake } = await pushedProject();
  await reports([running('test')]);
  const abort = new AbortController();
  const shell = systemShell({
    ...project.environment,
    PATH: `${fake}:${project.environment.PATH}`,
    FAKE_GH: fake,
  });
  let looks = 0;
  const counting: typeof shell = {
    async run(command) {
      const result = await shell.run(command);
      looks += 1;
      // The first look is two commands; after it the gate pauses for seconds.
      if (looks === 2) setTimeout(() => abort.abort(), 0);
      return result;
    },
  };
  const judgement = await ciGate.judge(
    { provider: 'github', waitMs: 3_600_000 },
    project.context({ shell: counting }),
    abort.signal,
  );
  expect(judgement).toMatchObject({ outcome: 'unproven', summary: expect.stringContaining('stopped') });
  expect(looks).toBeLessThan(4);
});

test('the commands that a person approves are those that run', async () => {
  const { reports, judge, commit, asked } = await pushedProject();
  await reports([passed('test')]);
  await judge();
  const approved = ciGate.commands?.({ provider: 'github' }, undefined) ?? [];
  const unquoted = approved.map((line) =>
    line.replace(/^gh /, '').replaceAll("'", '').replace('COMMIT', commit),
  );
  expect(await asked()).toEqual(unquoted);
});
