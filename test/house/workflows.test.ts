import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';

const FOLDER = resolve(import.meta.dirname, '../../.github/workflows');
const SCRIPTS = Object.keys(
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')).scripts,
);

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}
interface Job {
  'runs-on': string;
  'timeout-minutes'?: number;
  permissions?: Record<string, string>;
  strategy?: { matrix: { os: string[] } };
  steps: Step[];
}
interface Workflow {
  on: Record<string, unknown>;
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

const files = readdirSync(FOLDER).filter((name) => /\.ya?ml$/.test(name));
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const workflowOf = (name: string) => {
  const document = parseDocument(read(name), { uniqueKeys: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS() as Workflow;
};
const jobsOf = (name: string) => Object.entries(workflowOf(name).jobs);
const stepsOf = (name: string) => jobsOf(name).flatMap(([, { steps }]) => steps);

describe.each(files)('%s', (name) => {
  test('names every action by a commit, and the version beside it', () => {
    const used = read(name).match(/uses: .*/g) ?? [];
    expect(
      used.filter((line) => !/^uses: (?:\.\/\S*|\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/.test(line)),
    ).toEqual([]);
  });

  test('may only read, but for what a job names', () => {
    const { permissions } = workflowOf(name);
    expect(permissions).toEqual({ contents: 'read' });
    const more = jobsOf(name).flatMap(([, job]) => Object.entries(job.permissions ?? {}));
    expect(more.filter(([what, how]) => how === 'write' && what !== 'id-token')).toEqual([]);
  });

  test('leaves no key of the repository behind, and ends', () => {
    for (const [, job] of jobsOf(name)) expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
    for (const step of stepsOf(name).filter(({ uses }) => uses?.startsWith('actions/checkout@')))
      expect(step.with).toMatchObject({ 'persist-credentials': false });
  });

  test('puts no words from outside into a shell line', () => {
    const lines = stepsOf(name).flatMap(({ run }) => run ?? []);
    expect(lines.filter((line) => /\$\{\{/.test(line))).toEqual([]);
    expect(workflowOf(name).on).not.toHaveProperty('pull_request_target');
  });

  test('runs only scripts that there are', () => {
    const named = stepsOf(name).flatMap(({ run = '' }) => [
      ...run.matchAll(/npm run (?:--silent )?([\w:-]+)/g),
    ]);
    expect(named.map(([, script]) => script).filter((script) => !SCRIPTS.includes(script ?? ''))).toEqual([]);
  });
});

test('the tests run on Linux, macOS and Windows', () => {
  const systems = Object.values(workflowOf('ci.yml').jobs).flatMap((job) => job.strategy?.matrix.os ?? []);
  expect(systems.map((os) => os.replace(/-.*/, '')).sort()).toEqual(['macos', 'ubuntu', 'windows']);
});

test('a release is published with provenance, by the one job that may ask for an identity', () => {
  const { publish } = workflowOf('release.yml').jobs;
  expect(publish?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  expect(publish?.steps.at(-1)?.run).toBe('npm publish --provenance --access public');
  expect(jobsOf('ci.yml').filter(([, job]) => job.permissions?.['id-token'])).toEqual([]);
});
