import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../../support/files/workers.ts';
import { initCommitted } from '../../support/repository.ts';

/** The workflow of docs/guides/ci-attest.md: what its jobs may do, and what its signing job refuses to sign. */

const ROOT = resolve(import.meta.dirname, '../../..');
const [, WORKFLOW = ''] =
  /```yaml\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/guides/ci-attest.md'), 'utf8')) ?? [];

interface Job {
  permissions: Record<string, string>;
  steps: { uses?: string; run?: string; name?: string; with?: Record<string, unknown> }[];
}
const { jobs, permissions } = parse(WORKFLOW) as { jobs: Record<string, Job>; permissions: object };
const stepsOf = (name: string) => jobs[name]?.steps ?? [];
const check = stepsOf('sign').find(({ name }) => name === 'Check the statement')?.run ?? '';

describe('the jobs', () => {
  test('the one that judges may only read, has no secret, and runs no script of a package', () => {
    expect(permissions).toEqual({});
    expect(jobs.judge?.permissions).toEqual({ contents: 'read' });
    expect(JSON.stringify(jobs.judge)).not.toMatch(/secrets\.|github\.token/);
    for (const { run = '' } of stepsOf('judge'))
      if (/npm (?:ci|install)/.test(run)) expect(run).toContain('--ignore-scripts');
  });

  test('the one that signs has no checkout, and checks before it signs', () => {
    const uses = stepsOf('sign').map((step) => step.uses?.replace(/@.*/, '') ?? step.name);
    expect(uses).toEqual(['actions/download-artifact', 'Check the statement', 'actions/attest']);
    expect(check).not.toMatch(/npm|npx|node |untildone (?:verify|run)/);
  });

  test('no text of others is part of a script', () => {
    for (const { run = '' } of [...stepsOf('judge'), ...stepsOf('sign')]) expect(run).not.toContain('${{');
  });
});

let folder: string;
let project: string;
let statement: string;

beforeEach(() => {
  folder = temporaryFolder();
  project = join(folder, 'project');
  statement = join(folder, 'work/statement');
  mkdirSync(statement, { recursive: true });
  initCommitted(project);
  writeFileSync(join(project, 'untildone.yaml'), 'gates:\n  t: { run: "true" }\n');
  git('add', '--all');
  git('-c', 'user.name=T', '-c', 'user.email=t@localhost', 'commit', '--quiet', '-m', 'contract');
  const env = { PATH: process.env.PATH ?? '', HOME: folder };
  const program = join(ROOT, 'dist/untildone.cjs');
  const files = ['--attest', join(statement, 'untildone.dsse.json')];
  const args = [program, 'verify', ...files, '--predicate', join(statement, 'untildone.predicate.json')];
  execFileSync(process.execPath, args, { cwd: project, env, stdio: 'pipe' });
});

const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
const read = (name: string) => JSON.parse(readFileSync(join(statement, name), 'utf8'));
const write = (name: string, value: unknown) =>
  writeFileSync(join(statement, name), JSON.stringify(value, null, 2));

/** The step with a `gh` that answers as GitHub does for the commit of the project. */
function played() {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const answer = `case "$2" in */commits/*) git rev-parse "HEAD^{tree}" ;; *) git cat-file blob HEAD:untildone.yaml ;; esac`;
  writeFileSync(join(bin, 'gh'), `#!/bin/sh\ncd '${project}' || exit\n${answer}\n`);
  chmodSync(join(bin, 'gh'), 0o755);
  const { status, stdout } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', check], {
    cwd: statement,
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      GITHUB_REPOSITORY: 'o/n',
      GITHUB_SHA: git('rev-parse', 'HEAD'),
    },
    encoding: 'utf8',
  });
  return { status, stdout };
}

/** Changes predicate and statement alike, as code of the work could. */
function forge(change: (statement: { predicate: Record<string, unknown>; subject: unknown }) => void): void {
  const envelope = read('untildone.dsse.json');
  const said = JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8'));
  change(said);
  const payload = Buffer.from(JSON.stringify(said)).toString('base64');
  write('untildone.dsse.json', { ...envelope, payload });
  write('untildone.predicate.json', said.predicate);
}

describe('the check before the signature', () => {
  test('lets the statement about this commit pass', () => {
    expect(played()).toEqual({ status: 0, stdout: '' });
  });

  const OTHER = 'f'.repeat(40);
  test.each<[string, () => void]>([
    [
      'about another tree',
      () => forge((said) => (said.subject = [{ name: 'work', digest: { gitTree: OTHER } }])),
    ],
    [
      'with another contract',
      () => forge(({ predicate }) => (predicate.contract = { sha256: 'f'.repeat(64) })),
    ],
    ['that says it is not verified', () => forge(({ predicate }) => (predicate.result = 'failing'))],
    ['without a verdict', () => forge(({ predicate }) => (predicate.verdicts = []))],
    ['with a failing verdict', () => forge(({ predicate }) => (predicate.verdicts = [{ outcome: 'fail' }]))],
    ['whose predicate is another', () => write('untildone.predicate.json', { v: 1 })],
    [
      'of another shape',
      () => write('untildone.dsse.json', { payload: 'e30=', payloadType: 'text', signatures: [] }),
    ],
    ['with one more file', () => write('more.json', {})],
    [
      'that is a link',
      () => {
        write('../elsewhere.json', read('untildone.predicate.json'));
        execFileSync('rm', [join(statement, 'untildone.predicate.json')]);
        symlinkSync('../elsewhere.json', join(statement, 'untildone.predicate.json'));
      },
    ],
  ])('refuses one %s', (_, change) => {
    change();
    expect(played()).toEqual({ status: 1, stdout: expect.stringContaining('not signed') });
  });
});
