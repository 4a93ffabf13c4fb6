import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildCli } from '../../src/cli/cli.ts';
import { CA_VARIABLE, PASSWORD_VARIABLE } from '../../src/fleet/queue/address.ts';
import { SECRET_VARIABLE } from '../../src/fleet/secret.ts';
import { Figures } from '../../src/fleet/worker/figures.ts';
import { USUAL_HEALTH_PORT } from '../../src/fleet/worker/health.ts';
import {
  composeProblems,
  dockerfileProblems,
  environmentProblems,
  type Facts,
  manifestProblems,
  unitProblems,
} from '../support/deploy/rules.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DEPLOY = join(ROOT, 'deploy');
const UNIT = 'systemd/untildone-worker@.service';
const WITH_SECRETS = join(DEPLOY, 'container/with-secrets.sh');
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8');

const PAGE = new Figures().page({
  active: 0,
  concurrency: 1,
  storeAway: false,
  draining: false,
  diskFree: 1,
  queue: { waiting: 3, active: 2, delayed: 7, ended: 9, dead: 1 },
});
const FACTS = facts();

function facts(): Facts {
  const { version, devDependencies, peerDependencies } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  const worker = buildCli().commands.find((command) => command.name() === 'worker');
  const drain = worker?.options.find(({ long }) => long === '--drain-timeout')?.defaultValue;
  return {
    root: ROOT,
    version,
    flags: new Set(worker?.options.flatMap(({ long }) => long ?? [])),
    variables: new Set(['UNTILDONE_QUEUE', PASSWORD_VARIABLE, CA_VARIABLE, SECRET_VARIABLE]),
    packages: Object.fromEntries(
      Object.keys(peerDependencies).map((name) => [name, devDependencies[name] as string]),
    ),
    healthPath: '/healthz',
    readyPath: '/readyz',
    port: USUAL_HEALTH_PORT,
    drainSeconds: Number(drain) / 1000,
    figures: new Set([...PAGE.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)),
    secretVariables: new Set(
      /for name in (.*); do/.exec(readFileSync(WITH_SECRETS, 'utf8'))?.[1]?.split(' '),
    ),
  };
}

test('the program tells what the files are held against', () => {
  expect([...FACTS.flags]).toEqual(expect.arrayContaining(['--queue', '--workdir', '--drain-timeout']));
  expect(FACTS.drainSeconds).toBeGreaterThan(60);
  expect(Object.keys(FACTS.packages).sort()).toEqual(['@anthropic-ai/claude-agent-sdk', 'bullmq', 'ioredis']);
});

test('workers are scaled by the runs that wait for one or are on one', () => {
  expect(PAGE).toContain('untildone_fleet_open_runs 5\n');
  expect(PAGE).toContain('untildone_fleet_runs{state="dead"} 1\n');
});

const RULES: Record<string, (text: string, facts: Facts) => string[]> = {
  [UNIT]: unitProblems,
  'systemd/worker.env.example': environmentProblems,
  'container/Dockerfile': dockerfileProblems,
  'compose/compose.yaml': composeProblems,
  'kubernetes/worker.yaml': manifestProblems,
  'kubernetes/scale-by-queue.yaml': manifestProblems,
};

test.each(Object.keys(RULES))('%s keeps the rules', (name) => {
  expect(RULES[name]?.(read(name), FACTS)).toEqual([]);
});

test('every file for machines has rules', () => {
  const all = readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(DEPLOY.length + 1))
    .filter((name) => !/README\.md$|\.dockerignore$|with-secrets\.sh$/.test(name));
  expect(all.sort()).toEqual(Object.keys(RULES).sort());
});

describe('a rule that is broken is told', () => {
  test.each([
    [UNIT, '--workdir', '--work-dir', 'untildone worker has no option --work-dir'],
    [UNIT, 'User=untildone', 'User=root', 'the unit runs as root'],
    [UNIT, 'TimeoutStopSec=26min', 'TimeoutStopSec=90s', 'TimeoutStopSec is 90s'],
    [UNIT, 'KillMode=mixed', 'KillMode=control-group', 'KillMode is not mixed'],
    [UNIT, 'NoNewPrivileges=yes', 'ProtectProc=invisible', 'ProtectProc keeps bubblewrap from working'],
    [UNIT, 'Environment=HOME=', 'Environment=UNTILDONE_HOMES=', 'nothing reads the variable UNTILDONE_HOMES'],
    [UNIT, 'NoNewPrivileges=yes', 'NoNewPrivileges', 'is neither a section nor a setting'],
    ['systemd/worker.env.example', 'API_KEY=', 'API_KEY=sk-1', 'ANTHROPIC_API_KEY holds a value'],
    ['container/Dockerfile', 'USER 10001:10001', 'USER root', 'USER is not a number'],
    ['container/Dockerfile', 'node:20.20.2-bookworm-slim', 'node:latest', 'node:latest: no exact version'],
    ['container/Dockerfile', 'bullmq@6.7.0', 'bullmq@5.0.0', 'the tests ran with bullmq@'],
    ['container/Dockerfile', 'ioredis@6.0.0 ', '', 'ioredis is not installed'],
    ['container/Dockerfile', 'WORKDIR /src', 'WORKDR /src', 'there is no instruction WORKDR'],
    ['container/Dockerfile', '"worker"]', '"worker",]', 'ENTRYPOINT is no list of texts'],
    ['container/Dockerfile', 'with-secrets.sh', 'secrets.sh', 'deploy/container/secrets.sh is not there'],
    ['container/Dockerfile', '--from=package', '--from=build', 'there is no stage build'],
    ['container/Dockerfile', '/healthz', '/health', 'HEALTHCHECK does not ask for /healthz'],
    ['container/Dockerfile', 'ENV HOME=', 'ENV NODE_ENV=', 'NODE_ENV would reach sessions'],
    ['compose/compose.yaml', 'noeviction', 'allkeys-lru', 'maxmemory-policy is not noeviction'],
    ['compose/compose.yaml', '"yes"', '"no"', 'appendonly is off'],
    ['compose/compose.yaml', 'volumes: [/work]', 'volumes: ["w:/work"]', 'all of them would share'],
    ['compose/compose.yaml', 'redis://untildone@', 'redis://untildone:x@', 'QUEUE holds a password'],
    ['compose/compose.yaml', 'QUEUE_PASSWORD_FILE', 'QUEUE_PASSWORD', 'QUEUE_PASSWORD holds a value'],
    ['compose/compose.yaml', 'secrets: [store_users]', 'secrets: [users]', 'there is no secret users'],
    ['compose/compose.yaml', 'worker:0.1.0', 'worker:0.0.1', 'this is version'],
    ['compose/compose.yaml', '26m', '10s', 'stop_grace_period is 10s'],
    ['kubernetes/worker.yaml', '--health-port=7434', '--health-port=80', '--health-port is not 7434'],
    ['kubernetes/worker.yaml', 'path: /readyz', 'path: /ready', 'readinessProbe does not ask for /readyz'],
    ['kubernetes/worker.yaml', 'Seconds: 1560', 'Seconds: 30', 'terminationGracePeriodSeconds is 30'],
    ['kubernetes/worker.yaml', 'runAsNonRoot: true', 'runAsNonRoot: false', 'runAsNonRoot is not set'],
    ['kubernetes/worker.yaml', '- { name: tmp, m', '- { name: temp, m', 'there is no volume temp'],
    ['kubernetes/worker.yaml', 'replicas: 2', 'replicas: 2\n  replicas: 3', 'Map keys must be unique'],
    [
      'kubernetes/scale-by-queue.yaml',
      'Location: untildone_',
      'Location: until_',
      'workers tell no figure until_',
    ],
  ])('%s: %s -> %s', (name, from, to, problem) => {
    const text = read(name);
    expect(text).toContain(from);
    expect(RULES[name]?.(text.replaceAll(from, to), FACTS).join('\n')).toContain(problem);
  });
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-deploy-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe.runIf(hasSystemd)('systemd', () => {
  const verify = (text: string) => {
    const unit = join(folder, 'untildone-worker@.service');
    writeFileSync(unit, text);
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    return `${status}: ${stderr}`;
  };

  test('takes the unit, and would tell of a setting that it does not know', () => {
    expect(verify(read(UNIT))).toBe('0: ');
    expect(verify(read(UNIT).replace('KillMode=mixed', 'KillMode=gently'))).toContain('gently');
  });
});

describe('with-secrets.sh', () => {
  const run = (env: Record<string, string>) => {
    const { status, stdout, stderr } = spawnSync('sh', [WITH_SECRETS, 'env'], {
      env: { PATH: process.env.PATH ?? '', ...env },
      encoding: 'utf8',
    });
    return { status, lines: stdout.split('\n'), stderr };
  };

  test('makes variables of files, whatever they hold, and runs the command', () => {
    const value = 'p$(touch x)"\'` %41 & =';
    writeFileSync(join(folder, 'a file'), `${value}\n`);
    const { status, lines } = run({
      UNTILDONE_QUEUE_PASSWORD_FILE: join(folder, 'a file'),
      OTHER_FILE: 'stays',
    });
    expect(status).toBe(0);
    expect(lines).toContain(`UNTILDONE_QUEUE_PASSWORD=${value}`);
    expect(lines).toContain('OTHER_FILE=stays');
    expect(lines.filter((line) => line.startsWith('UNTILDONE_QUEUE_PASSWORD_FILE'))).toEqual([]);
  });

  test.each([
    ['is not there', ''],
    ['is empty', 'empty'],
  ])('says so when a file %s, and runs nothing', (_, name) => {
    writeFileSync(join(folder, 'empty'), '\n');
    const { status, lines, stderr } = run({ UNTILDONE_FLEET_SECRET_FILE: join(folder, name || 'gone') });
    expect(status).toBe(78);
    expect(lines.join('')).toBe('');
    expect(stderr).toContain('UNTILDONE_FLEET_SECRET_FILE names');
  });
});
