import { expect, test } from 'vitest';
import { missingVariables, runEnvironment } from '../../../src/fleet/drive/environment.ts';

const of = (names: readonly string[], asked: readonly string[] = []) =>
  Object.keys(runEnvironment(Object.fromEntries(names.map((name) => [name, 'value'])), asked));

test('a run gets what programs, Claude Code and git need', () => {
  const needed = [
    ...['PATH', 'HOME', 'USER', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM', 'SSH_AUTH_SOCK'],
    ...[
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_BASE_URL',
      'CLAUDE_CONFIG_DIR',
      'CLAUDE_CODE_USE_BEDROCK',
      'AWS_REGION',
    ],
    ...[
      'GOOGLE_APPLICATION_CREDENTIALS',
      'https_proxy',
      'NO_PROXY',
      'NODE_EXTRA_CA_CERTS',
      'GIT_SSH_COMMAND',
    ],
    ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'XDG_CONFIG_HOME'],
  ];
  expect(of(needed)).toEqual(needed);
});

test.each(['UNTILDONE_QUEUE', 'UNTILDONE_QUEUE_TLS', 'UNTILDONE_FLEET_SECRET'])(
  '%s never reaches a run, whoever asks for it',
  (name) => {
    expect(of([name], [name])).toEqual([]);
    expect(missingVariables({ [name]: 'value' }, [name])).toEqual([name]);
  },
);

test('other variables of the worker reach a run only by their name', () => {
  const others = [
    'DATABASE_URL',
    'NPM_TOKEN',
    'PGPASSWORD',
    'CLAUDE_CODE_SESSION_ID',
    'CLAUDE_PID',
    'CLAUDECODE',
  ];
  expect(of(others)).toEqual([]);
  expect(of(others, ['NPM_TOKEN'])).toEqual(['NPM_TOKEN']);
  expect(missingVariables({ NPM_TOKEN: '' }, ['NPM_TOKEN', 'OTHER'])).toEqual(['OTHER']);
});

test('the mark of the worker stays on everything that the run starts', () => {
  expect(of(['UNTILDONE_FLEET_PROCESS'])).toEqual(['UNTILDONE_FLEET_PROCESS']);
});
