import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { secretsOf } from '../../../src/engine/core/contract/secret-values.ts';
import { redact } from '../../../src/engine/core/text/redact.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { initRepository } from '../../support/repository.ts';

/** A contract with a secret in every place that can hold one: none reaches what is kept, shown or told. */

const PROGRAM = resolve(import.meta.dirname, '../../../dist/untildone.cjs');
/** The frozen contract, without which nothing could be judged, is the one place in the home. */
const FROZEN = /(?:^|\/)(?:contract|standing)\.json$/;

/** One secret for each place. They look like nothing but what their place makes of them. */
const secret = (place: string) => `Planted-${place}-9x`;
const PLACES = [
  ...['option', 'equals', 'bearer', 'scheme', 'header', 'login', 'query', 'userinfo', 'assigned'],
  ...['variable', 'slack', 'discord', 'hookpath', 'hookquery', 'notify', 'inner', 'quoted'],
];

const contractText = (port: number) => `task: do it
gates:
  option: { run: "sh fail.sh --token ${secret('option')}" }
  equals: { run: "sh fail.sh --api-key=${secret('equals')}" }
  bearer: { run: "sh fail.sh -H 'Authorization: Bearer ${secret('bearer')}'" }
  scheme: { run: "sh fail.sh -H 'Authorization: token ${secret('scheme')}'" }
  header: { run: "sh fail.sh -H 'X-Api-Key: ${secret('header')}'" }
  login: { run: "sh fail.sh -u ada:${secret('login')}" }
  query: { run: "sh fail.sh 'https://example.com/x?a=1&access_token=${secret('query')}'" }
  userinfo: { run: "sh fail.sh https://${secret('userinfo')}@example.com/x" }
  assigned: { run: "SERVICE_PASSWORD=${secret('assigned')} sh fail.sh" }
  variable: { run: "sh fail.sh $DEPLOY_TOKEN", env: { DEPLOY_TOKEN: ${secret('variable')} } }
  slack: { run: "sh fail.sh https://hooks.slack.com/services/T00000/B00000/${secret('slack').replaceAll('-', '')}" }
  discord: { run: "sh fail.sh https://discord.com/api/webhooks/12345/${secret('discord')}" }
  inner: { any: [quoted, option] }
  quoted: { run: 'sh fail.sh --password "${secret('quoted')}"' }
notify:
  - { webhook: "http://127.0.0.1:${port}/T1/${secret('hookpath')}?key=${secret('hookquery')}", on: [reached_limit] }
  - { webhook: "http://127.0.0.1:1/T1/${secret('hookpath')}?key=${secret('hookquery')}", on: [reached_limit] }
  - { command: "sh fail.sh --key ${secret('notify')}", on: [reached_limit] }
limits: { iterations: 1 }
`;

test('no place of a contract lets its secret out', async () => {
  const folder = temporaryFolder();
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  mkdirSync(project);
  initRepository(project);
  // A webhook that refuses.
  const server = createServer((_, response) => response.writeHead(500).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  writeFileSync(join(project, 'untildone.yaml'), contractText((server.address() as AddressInfo).port));
  // A command that says what it was called with, and what its variables are.
  writeFileSync(join(project, 'fail.sh'), 'echo "error: $*"; env | grep -i password; exit 1\n');
  const env = { PATH: process.env.PATH ?? '', HOME: folder, UNTILDONE_HOME: home };
  const said: string[] = [];
  const untildone = (args: string[], input = '') => {
    const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: project,
      env,
      input,
      encoding: 'utf8',
    });
    said.push(`${args.join(' ')}\n${stdout}${stderr}`);
    return stdout;
  };
  const [, fingerprint = ''] = /^Fingerprint: (\w+)$/m.exec(untildone(['trust', '--show'])) ?? [];
  untildone(['trust', '--fingerprint', fingerprint]);
  // What you trust is shown as it is.
  said.length = 0;
  untildone(['start', '--session', 's1']);
  const stop = { hook_event_name: 'Stop', session_id: 's1', transcript_path: '/nowhere', cwd: project };
  for (let i = 0; i < 3; i++) untildone(['hook'], JSON.stringify({ ...stop, stop_hook_active: false }));
  for (const args of [['status'], ['log'], ['receipt'], ['stats'], ['verify', '--format', 'github']]) {
    untildone(args);
    if (args.length === 1) untildone([...args, '--json']);
  }
  untildone(['status', '--all', '--ended', '--json']);
  untildone(['verify', '--summary', join(folder, 'summary.md'), '--sarif', join(folder, 'found.sarif')]);
  expect(said.join('')).toContain('a notification could not be delivered');

  const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(home, path)).isFile())
    .map((path) => ({ path, text: readFileSync(join(home, path), 'latin1') }));
  const texts = [
    ...files.filter(({ path }) => !FROZEN.test(path) && !/(?:^|\/)(?:output|baseline)\//.test(path)),
    ...['summary.md', 'found.sarif'].map((path) => ({
      path,
      text: readFileSync(join(folder, path), 'utf8'),
    })),
    ...said.map((text) => ({ path: text.split('\n', 1)[0] ?? '', text })),
  ];
  const out = texts.flatMap(({ path, text }) =>
    PLACES.filter((place) =>
      [secret(place), secret(place).replaceAll('-', '')].some((each) => text.includes(each)),
    ).map((place) => `${place} in ${path}`),
  );
  expect(out).toEqual([]);
  const frozen = files.filter(({ path }) => FROZEN.test(path));
  expect(frozen.length).toBeGreaterThan(0);
  for (const { path } of frozen) expect(statSync(join(home, path)).mode & 0o777, path).toBe(0o600);
});

test('a receipt shows a command without its secret, and runs it again with the one of the contract', () => {
  const folder = temporaryFolder();
  const project = join(folder, 'project');
  mkdirSync(project);
  initRepository(project);
  writeFileSync(join(project, 'check.sh'), `test -e work && test "$2" = ${secret('rerun')}\n`);
  writeFileSync(
    join(project, 'untildone.yaml'),
    `gates:\n  t: { run: sh check.sh --token ${secret('rerun')} }\n`,
  );
  const env = { PATH: process.env.PATH ?? '', HOME: folder };
  const untildone = (args: string[], input = '') =>
    spawnSync(process.execPath, [PROGRAM, ...args], { cwd: project, env, input, encoding: 'utf8' });
  const [, fingerprint = ''] = /^Fingerprint: (\w+)$/m.exec(untildone(['trust', '--show']).stdout) ?? [];
  untildone(['trust', '--fingerprint', fingerprint]);
  untildone(['start', 'do it', '--session', 's1']);
  writeFileSync(join(project, 'work'), '');
  const stop = { hook_event_name: 'Stop', session_id: 's1', transcript_path: '/nowhere', cwd: project };
  untildone(['hook'], JSON.stringify({ ...stop, stop_hook_active: false }));
  const receipt = untildone(['receipt', '--json']).stdout;
  expect(receipt).toContain('sh check.sh --token [redacted]');
  const file = join(folder, 'receipt.json');
  writeFileSync(file, receipt);
  const { status, stdout } = untildone(['receipt', 'verify', file, '--rerun']);
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringContaining('same  t: sh check.sh --token [redacted]'),
  });
});

test('an ordinary contract has no secrets: nothing is masked in what the agent reads', () => {
  const words = [
    'npm test',
    'vitest run --config vitest.config.ts --project unit --reporter=junit',
    'cargo test --workspace --features "serde2 tokio"',
    'docker run node@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef npm test',
    'pytest -k "test_tokens or test_auth" --maxfail=1 -p no:cacheprovider',
    'NODE_ENV=production PORT=3000 npm run build -- --mode production',
    'curl -fsS http://127.0.0.1:3000/health?verbose=true',
    'go test ./... -run TestParseToken2024',
    'PGUSER=postgres CACHE_KEY=production npm test -- --key primary',
    'make check KEY=$DEPLOY_KEY TOKEN="$CI_TOKEN"',
  ];
  const gates = Object.fromEntries(
    words.map((command, i) => [
      `g${i}`,
      { kind: 'run', options: { command, env: { TZ: 'UTC', AWS_REGION: 'eu-central-1' } } },
    ]),
  );
  expect(secretsOf({ gates } as never)).toEqual([]);
  for (const command of words) expect(redact(command, secretsOf({ gates } as never))).toBe(command);
});
