import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isRunning } from '../../src/engine/files/process-id.ts';
import { ACTION_FILE, type Job, type Played, playAction, readAction } from '../support/cli/action.ts';
import { sarifProblems } from '../support/core/sarif.ts';
import { temporaryFolder } from '../support/files/workers.ts';
import { longTest } from '../support/long.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { initRepository } from '../support/repository.ts';

/** The GitHub Action, run step by step with bash and the variables of a runner, on pull requests of a small project. */

const ROOT = resolve(import.meta.dirname, '../..');
const CONTRACT = 'gates:\n  tests: { run: node --test }\n  intact: { tests_intact: true }\n';
const HEAD = "const test = require('node:test');\nconst { equal } = require('node:assert');\n";
const TEST = `${HEAD}test('sums', () => equal(require('./sum.js')(1, 2), 3));\n`;

let temp: string;
let workspace: string;
let job: Job;

beforeAll(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-action-')));
  const first = playAction(
    { workspace: temp, temp, inputs: { package: ROOT }, env: environment(temp), event: {} },
    ({ name }) => name === 'Install untildone',
  );
  expect(first).toMatchObject({ ok: true, exitCodes: [0] });
});

afterAll(() => rmSync(temp, { recursive: true, force: true }));

function environment(home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_BASE_REF: 'main',
    npm_config_offline: 'true',
  };
}

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
    cwd: workspace,
    encoding: 'utf8',
  }).trim();
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
};
const commit = (message: string) => {
  git('add', '--all');
  git('commit', '--quiet', '-m', message);
};

/** A clone as actions/checkout makes it for a pull request: no branch, and the branches of the origin. */
beforeEach(() => {
  workspace = join(temporaryFolder(), 'a project');
  mkdirSync(workspace);
  initRepository(workspace);
  write('untildone.yaml', CONTRACT);
  write('sum.js', 'module.exports = (a, b) => a - b;\n');
  write('sum.test.js', TEST);
  commit('start');
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  git('checkout', '--quiet', '--detach');
  const event = { pull_request: { base: { sha: git('rev-parse', 'HEAD') } } };
  job = { workspace, temp, inputs: { package: ROOT }, env: environment(temp), event };
});

function play(inputs: Record<string, string> = {}, env: Record<string, string> = {}): Played {
  const given = { ...job, inputs: { ...job.inputs, ...inputs }, env: { ...job.env, ...env } };
  return playAction(given, ({ name }) => name !== 'Install untildone');
}

/** A summary as people see it. */
const seen = (summary: string) =>
  summary.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

describe('a pull request', () => {
  test('that is done passes, and its statement is kept', () => {
    write('sum.js', 'module.exports = (a, b) => a + b;\n');
    commit('work');
    const { ok, log, summary, outputs, used } = play({ 'upload-sarif': 'true' });
    expect({ ok, log }).toEqual({
      ok: true,
      log: expect.stringContaining('untildone: done, and verified\n'),
    });
    expect(log).not.toMatch(/^::/m);
    expect(summary).toMatch(/^## ✅ untildone: done\n/);
    expect(seen(summary)).toContain('Judged by untildone.yaml of origin/main (');
    expect(outputs).toEqual({ result: 'done', reports: join(temp, 'untildone-reports') });
    expect(readdirSync(outputs.reports ?? '').sort()).toEqual([
      'untildone.dsse.json',
      'untildone.predicate.json',
      'untildone.sarif',
    ]);
    expect(used.map(({ uses }) => uses)).toEqual([
      'actions/upload-artifact@v4',
      'github/codeql-action/upload-sarif@v3',
    ]);
    expect(used[0]?.with).toMatchObject({ name: 'untildone', path: outputs.reports });
  });

  test('that is not done fails, with annotations where it fails', () => {
    write('README.md', 'Sums.\n');
    commit('work');
    const { ok, exitCodes, log, summary, outputs, used } = play();
    expect({ ok, exitCodes, result: outputs.result }).toEqual({
      ok: false,
      exitCodes: [1],
      result: 'not_done',
    });
    expect(log).toMatch(/^::error file=untildone.yaml,line=2,title=tests::`node --test` fails/m);
    expect(log).toMatch(/^::error file=sum.test.js,line=3,col=\d+,title=tests::/m);
    expect(summary).toMatch(/^## ❌ untildone: NOT done\n/);
    // The reports of an earlier run are gone: nothing says that this is done.
    expect(readdirSync(outputs.reports ?? '')).toEqual(['untildone.sarif']);
    const log2 = JSON.parse(readFileSync(join(outputs.reports ?? '', 'untildone.sarif'), 'utf8')) as unknown;
    expect(sarifProblems(log2)).toEqual([]);
    expect(used.map(({ uses }) => uses)).toEqual(['actions/upload-artifact@v4']);
  });

  test('that weakens its own contract and its tests is judged by the contract of its base', () => {
    write('untildone.yaml', 'gates:\n  tests: { run: "true" }\n');
    write('sum.test.js', `${HEAD}test.skip('sums', () => equal(1, 1));\n`);
    commit('work');
    const { exitCodes, log, summary } = play();
    expect(exitCodes).toEqual([1]);
    expect(log).toMatch(/^::error file=sum.test.js,(?:line=\d+,)?title=intact::/m);
    expect(log).toMatch(
      /^::warning title=untildone::untildone.yaml is changed here. The work was judged by/m,
    );
    expect(seen(summary)).toContain('The work was judged by the contract of origin/main');
    expect(summary).toContain('<pre>@@ -1,3 +1,2 @@\n gates:\n-  tests: { run: node --test }');
    // Only when a workflow says so, the contract of the work counts.
    expect(play({ 'contract-from': 'work', base: 'HEAD~1' }).exitCodes).toEqual([0]);
  });

  longTest('that changes the contract can be refused for that alone', () => {
    write('untildone.yaml', `${CONTRACT}  more: { run: "true" }\n`);
    write('sum.js', 'module.exports = (a, b) => a + b;\n');
    commit('work');
    const { exitCodes, log } = play({ 'on-contract-change': 'fail' });
    expect(exitCodes).toEqual([1]);
    expect(log).toContain(
      'untildone: NOT done: the contract, or what it runs, is changed here: untildone.yaml',
    );
  });

  test('that cannot be judged fails, and says why', () => {
    git('update-ref', '-d', 'refs/remotes/origin/main');
    const missing = 'f'.repeat(40);
    job.event = { pull_request: { base: { sha: missing } } };
    const { exitCodes, log, summary, outputs, used } = play({ 'upload-sarif': 'true' });
    expect({ exitCodes, result: outputs.result }).toEqual({ exitCodes: [2], result: 'not_judged' });
    expect(log).toContain(`::error file=untildone.yaml,line=1,title=untildone::"${missing}" is no commit`);
    expect(summary).toContain('## ⚠️ untildone: could not be judged\n');
    expect(used.map(({ uses }) => uses)).toEqual(['actions/upload-artifact@v4']);
  });

  test('gets no secrets: pull_request_target is refused, and nothing runs', () => {
    write('untildone.yaml', 'gates:\n  t: { run: touch ran }\n');
    const { exitCodes, log } = play({}, { GITHUB_EVENT_NAME: 'pull_request_target' });
    expect(exitCodes).toEqual([2]);
    expect(log).toContain('::error title=untildone::');
    expect(existsSync(join(workspace, 'ran'))).toBe(false);
  });
});

test('a push is compared with the commit before it, and its gates cannot speak for the job', () => {
  write('untildone.yaml', 'gates:\n  t: { run: "env > ../env.txt" }\n  tidy: { forbid: [todo] }\n');
  write('odd.js', '// TODO later\n');
  commit('pushed');
  job.event = { before: git('rev-parse', 'HEAD~1') };
  const secrets = { GITHUB_TOKEN: 'secret', ACTIONS_RUNTIME_TOKEN: 'secret' };
  const { exitCodes, log } = play({}, { GITHUB_EVENT_NAME: 'push', GITHUB_BASE_REF: '', ...secrets });
  expect(exitCodes).toEqual([1]);
  expect(log).toMatch(/^::error file=odd.js,line=1,title=tidy::/m);
  expect(readFileSync(join(workspace, '../env.txt'), 'utf8')).not.toMatch(
    /secret|^GITHUB_(?:OUTPUT|ENV|PATH|STEP_SUMMARY)=/m,
  );
});

test('code of the work reaches neither what the job says nor what is reported', async () => {
  const found = 'for f in "$HOME"/GITHUB_*';
  const tries = [
    'reports="$HOME/untildone-reports"; ln -s "$HOME" "$reports" || { rm -rf "$reports"; mkdir "$reports"; echo planted >"$reports/planted"; }',
    `${found}; do echo "planted=yes" >>"$f"; done`,
    'rm -f "$HOME/GITHUB_ENV"; ln -s "$HOME/bait" "$HOME/GITHUB_ENV"',
    'for d in "$HOME"/untildone-judging.*; do echo planted >"$d/untildone.sarif"; ln -s "$HOME/bait" "$d/untildone.dsse.json"; ln -s "$HOME/bait" "$d/summary.md"; done',
    // What goes on in the background waits for the reports, and writes them again.
    `(setsid sh -c 'echo $$ >"$HOME/left.pid"; while :; do for f in "$HOME"/untildone-judging.*/*.sarif "$HOME"/untildone-reports/*.sarif "$HOME"/GITHUB_OUTPUT; do echo planted=yes >>"$f"; done; done' >/dev/null 2>&1 &)`,
    'while ! test -s "$HOME/left.pid"; do sleep 0.02; done',
    'env | sort >"$HOME/env.txt"',
    'exit 1',
  ].join('\n');
  write('try.sh', tries);
  write('untildone.yaml', 'gates:\n  t: { run: sh try.sh }\n');
  commit('pushed');
  job.event = { before: git('rev-parse', 'HEAD~1') };
  writeFileSync(join(temp, 'bait'), 'bait');
  const { exitCodes, summary, outputs } = play(
    {},
    {
      GITHUB_EVENT_NAME: 'push',
      GITHUB_BASE_REF: '',
      GITHUB_WORKSPACE: workspace,
      RUNNER_OS: 'Linux',
      GITHUB_TOKEN: 'secret',
      GH_TOKEN: 'secret',
      ACTIONS_ID_TOKEN_REQUEST_URL: 'secret',
      ACTIONS_CACHE_URL: 'secret',
      RUNNER_TOOL_CACHE: 'secret',
      CI_JOB_TOKEN: 'secret',
    },
  );
  expect(exitCodes).toEqual([1]);
  expect(outputs).toEqual({ result: 'not_done', reports: join(temp, 'untildone-reports') });
  expect(readdirSync(outputs.reports ?? '')).toEqual(['untildone.sarif']);
  const sarif = JSON.parse(readFileSync(join(outputs.reports ?? '', 'untildone.sarif'), 'utf8')) as unknown;
  expect(sarifProblems(sarif)).toEqual([]);
  expect(summary).toMatch(/^## ❌ untildone: NOT done\n/);
  for (const name of ['GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY']) {
    expect(lstatSync(join(temp, name)).isSymbolicLink(), name).toBe(false);
    expect(readFileSync(join(temp, name), 'utf8'), name).not.toContain('planted');
  }
  expect(readFileSync(join(temp, 'bait'), 'utf8')).toBe('bait');
  const env = readFileSync(join(temp, 'env.txt'), 'utf8');
  expect(env).not.toMatch(
    /secret|^(?:RUNNER_TEMP|ACTIONS_\w+|GITHUB_(?:ENV|OUTPUT|PATH|STATE|STEP_SUMMARY))=/m,
  );
  expect(env).toMatch(/^CI=true$/m);
  expect(env).toMatch(/^GITHUB_ACTIONS=true$/m);
  expect(env).toMatch(/^GITHUB_WORKSPACE=/m);
  expect(env).toMatch(/^RUNNER_OS=Linux$/m);
  const left = Number(readFileSync(join(temp, 'left.pid'), 'utf8'));
  await vi.waitFor(() => expect(isRunning(left)).toBe(false), { timeout: PATIENCE_MS });
});

describe('action.yml', () => {
  test('installs the version that it belongs to', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(readAction().inputs.package?.default).toBe(`untildone@${version}`);
  });
  test('puts no text of others into a script', () => {
    for (const { run } of readAction().runs.steps) expect(run ?? '').not.toContain('${{');
  });
  test('names in its guide every input and output', () => {
    const guide = readFileSync(join(ROOT, 'docs/guides/github-action.md'), 'utf8');
    const { inputs, outputs } = readAction();
    const missing = [...Object.keys(inputs), ...Object.keys(outputs)].filter(
      (name) => !guide.includes(`\`${name}\``),
    );
    expect(missing).toEqual([]);
    expect(readFileSync(ACTION_FILE, 'utf8')).not.toContain('\t');
  });
});
