import { describe, expect, test } from 'vitest';
import { githubCi } from '../../../../../src/engine/project/facts/ci/github.ts';
import { gitlabCi } from '../../../../../src/engine/project/facts/ci/gitlab.ts';

const github = (text: string) => githubCi({ path: 'ci.yml', text });
const runs = (text: string) =>
  github(text).steps.map(({ run, needs }) => (needs === undefined ? run : `${run} (${needs})`));
const job = (...lines: string[]) =>
  ['on: [push, pull_request]', 'jobs:', '  test:', ...lines.map((line) => `    ${line}`)].join('\n');

describe('workflows of GitHub', () => {
  test('that run on changes are read; those of releases and timers are not', () => {
    const steps = 'jobs: { test: { steps: [{ run: make }] } }';
    expect(runs(`on: push\n${steps}`)).toEqual(['make']);
    expect(runs(`on: { pull_request: {} }\n${steps}`)).toEqual(['make']);
    expect(runs(`on: { push: { tags: [v*] } }\n${steps}`)).toEqual([]);
    expect(runs(`on: { schedule: [{ cron: "0 0 * * *" }] }\n${steps}`)).toEqual([]);
    expect(runs(`on: push\n${steps.replace('test:', 'publish:')}`)).toEqual([]);
  });

  test.each([
    '',
    '- 1',
    'on: push\njobs: 5',
    'on: [push',
    'a: &a [*a]',
    'on: push\njobs: { x: { steps: [1, {}, { run: 5 }] } }',
  ])('of any other shape say nothing: %j', (text) => {
    expect(github(text)).toEqual({ steps: [], versions: [] });
  });

  test('choices of a matrix become commands of their own, versions do not', () => {
    const text = job(
      'strategy: { matrix: { node: [18, 20], task: [lint, test] } }',
      `steps: [{ run: "npm run \${{ matrix.task }}" }, { run: "echo \${{ matrix.node }}" }]`,
    );
    expect(runs(text)).toEqual(['npm run lint', 'npm run test', 'echo 18']);
  });

  test('expressions are filled in as far as they can be told', () => {
    const text = job(
      'strategy: { matrix: { include: [{ python: "3.12" }, { tox: typing }] } }',
      `steps: [{ run: "tox -e \${{ matrix.tox || format('py{0}', matrix.python) }}" }, { run: 'x \${{ github.sha }}' }]`,
    );
    expect(runs(text)).toEqual([
      'tox -e py3.12',
      'tox -e typing',
      `x \${{ github.sha }} (a value that only CI knows)`,
    ]);
  });

  test('variables are taken, those of CI itself, secrets and loaders of code are not', () => {
    const text = job(
      'env: { TZ: UTC, NODE_OPTIONS: --require x, API_TOKEN: abc, CARGO: cargo, PATH: /x }',
      'steps: [{ run: "$CARGO test", env: { LANG: C } }]',
    );
    expect(github(text).steps).toEqual([
      { run: 'cargo test', where: 'ci.yml, job test', env: { TZ: 'UTC', LANG: 'C' } },
    ]);
  });

  test('what needs services, secrets or the work of another job says so', () => {
    expect(runs(job('services: { db: { image: postgres } }', 'steps: [{ run: a }]'))).toEqual([
      'a (the service db)',
    ]);
    expect(runs(job(`steps: [{ run: a, env: { X: "\${{ secrets.X }}" } }]`))).toEqual(['a (a secret)']);
    expect(runs(job('steps: [{ uses: actions/download-artifact@v4 }, { run: a }]'))).toEqual([
      'a (what another job made)',
    ]);
  });

  test('steps for other systems are left out, and folders are kept', () => {
    const text = job(
      'steps: [{ run: a, if: "runner.os == \'Windows\'" }, { run: b, working-directory: ./api/ }]',
    );
    expect(github(text).steps).toEqual([{ run: 'b', where: 'ci.yml, job test', cwd: 'api' }]);
    expect(runs(job('runs-on: windows-latest', 'steps: [{ run: a }]'))).toEqual([]);
  });

  test('versions of tools are those that they set up', () => {
    const text = job(
      `steps: [{ uses: actions/setup-node@v4, with: { node-version: 20 } }, { uses: actions/setup-go@v5, with: { go-version: "\${{ matrix.go }}" } }]`,
    );
    expect(github(text).versions).toEqual([{ tool: 'node', version: '20', where: 'ci.yml' }]);
  });
});

test('GitLab: jobs with what they extend, without those that give something away', () => {
  const text = [
    'variables: { TZ: UTC, DEPLOY_TOKEN: x }',
    'before_script: [pip install -e .]',
    '.base: { script: [pytest], variables: { LANG: C } }',
    'unit: { extends: .base }',
    'db: { script: pytest db, services: [postgres] }',
    'deploy: { script: [make deploy] }',
  ].join('\n');
  expect(gitlabCi({ path: '.gitlab-ci.yml', text }).steps).toEqual([
    { run: 'pip install -e .\npytest', where: '.gitlab-ci.yml, job unit', env: { TZ: 'UTC', LANG: 'C' } },
    {
      run: 'pip install -e .\npytest db',
      where: '.gitlab-ci.yml, job db',
      env: { TZ: 'UTC' },
      needs: 'a service',
    },
  ]);
});
