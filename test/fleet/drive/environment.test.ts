import { expect, test } from 'vitest';
import {
  missingVariables,
  processEnvironment,
  runEnvironment,
} from '../../../src/fleet/drive/environment.ts';

const variables = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'value']));
const of = (names: readonly string[], asked: readonly string[] = []) =>
  Object.keys(runEnvironment(variables(names), asked));

test('a run gets what programs and Claude Code need', () => {
  const needed = [
    ...['PATH', 'HOME', 'USER', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM', 'XDG_CONFIG_HOME'],
    ...['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_OAUTH_TOKEN'],
    ...['https_proxy', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS', 'GIT_AUTHOR_NAME', 'GIT_CONFIG_GLOBAL'],
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ];
  expect(of(needed)).toEqual(needed);
});

test.each([
  ['CLAUDE_CODE_USE_BEDROCK', ['AWS_REGION', 'AWS_SECRET_ACCESS_KEY', 'AWS_BEARER_TOKEN_BEDROCK']],
  ['CLAUDE_CODE_USE_VERTEX', ['GOOGLE_APPLICATION_CREDENTIALS', 'CLOUD_ML_REGION', 'GCLOUD_PROJECT']],
  ['CLAUDE_CODE_USE_FOUNDRY', ['AZURE_CLIENT_SECRET']],
  ['CLAUDE_CODE_ENABLE_TELEMETRY', ['OTEL_EXPORTER_OTLP_HEADERS']],
])('credentials of a service reach a run only where it is chosen: %s', (choice, names) => {
  expect(of(names)).toEqual([]);
  expect(of([choice, ...names])).toEqual([choice, ...names]);
  for (const off of ['', '0', 'false'])
    expect(runEnvironment({ ...variables(names), [choice]: off }, [])).toEqual({ [choice]: off });
});

test('what reaches the remote is for the process of a run, and not for its session', () => {
  const git = ['SSH_AUTH_SOCK', 'GIT_SSH_COMMAND', 'GIT_ASKPASS', 'GIT_CONFIG_VALUE_0'];
  expect(of(git)).toEqual([]);
  expect(of(git, ['SSH_AUTH_SOCK'])).toEqual(['SSH_AUTH_SOCK']);
  expect(Object.keys(processEnvironment(variables(git), []))).toEqual(git);
});

test.each(['UNTILDONE_QUEUE', 'UNTILDONE_QUEUE_TLS', 'UNTILDONE_FLEET_SECRET'])(
  '%s never reaches a run, whoever asks for it',
  (name) => {
    expect(of([name], [name])).toEqual([]);
    expect(processEnvironment(variables([name]), [name])).toEqual({});
    expect(missingVariables({ [name]: 'value' }, [name])).toEqual([name]);
  },
);

test('other variables of the worker reach a run only by their name', () => {
  const others = [
    ...['DATABASE_URL', 'NPM_TOKEN', 'PGPASSWORD', 'GITHUB_TOKEN', 'KUBECONFIG', 'AWS_SESSION_TOKEN'],
    ...['CLAUDE_CODE_SESSION_ID', 'CLAUDE_PID', 'CLAUDECODE'],
  ];
  expect(of(others)).toEqual([]);
  expect(of(others, ['NPM_TOKEN'])).toEqual(['NPM_TOKEN']);
  expect(missingVariables({ NPM_TOKEN: '' }, ['NPM_TOKEN', 'OTHER'])).toEqual(['OTHER']);
});

test('the mark of the worker stays on everything that the run starts', () => {
  expect(of(['UNTILDONE_FLEET_PROCESS'])).toEqual(['UNTILDONE_FLEET_PROCESS']);
});
