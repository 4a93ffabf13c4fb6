import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { clientVersion } from '../../../../src/engine/client/sdk/client-version.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

function program(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '#!/bin/sh\necho 9.9.9\n', { mode: 0o755 });
  return path;
}

function linked(folder: string, target: string): string {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  symlinkSync(target, join(folder, 'bin/claude'));
  return join(folder, 'bin');
}

const named = (folder: string, name: string, version: unknown = '2.1.99') =>
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version }));

test.each<[string, (folder: string) => NodeJS.ProcessEnv, string | undefined]>([
  ['the session that this runs in', () => ({ AI_AGENT: 'claude-code_2-1-325_agent', PATH: '' }), '2.1.325'],
  ['its hooks', () => ({ AI_AGENT: 'claude-code_2-1-110_harness' }), '2.1.110'],
  ['another agent', () => ({ AI_AGENT: 'codex_1-2-3_agent', PATH: '' }), undefined],
  [
    'the installer',
    (folder) => ({ PATH: linked(folder, program(join(folder, 'share/claude/versions/2.1.80'))) }),
    '2.1.80',
  ],
  [
    'a package of npm',
    (folder) => {
      const path = linked(folder, program(join(folder, 'lib/cli.js')));
      named(join(folder, 'lib'), '@anthropic-ai/claude-code');
      return { PATH: path };
    },
    '2.1.99',
  ],
  [
    'a package with the program in a folder',
    (folder) => {
      const path = program(join(folder, 'lib/bin/claude.exe'));
      named(join(folder, 'lib'), '@anthropic-ai/claude-code-linux-x64');
      return { CLAUDE_CODE_EXECPATH: path };
    },
    '2.1.99',
  ],
  [
    'a package of somebody else',
    (folder) => {
      const path = linked(folder, program(join(folder, 'lib/cli.js')));
      named(join(folder, 'lib'), 'claude');
      return { PATH: path };
    },
    undefined,
  ],
  [
    'a package that says no version',
    (folder) => {
      const path = linked(folder, program(join(folder, 'lib/cli.js')));
      named(join(folder, 'lib'), '@anthropic-ai/claude-code', 7);
      return { PATH: path };
    },
    undefined,
  ],
  ['a program that is gone', () => ({ CLAUDE_CODE_EXECPATH: '/none/here' }), undefined],
  ['nothing', () => ({ PATH: '/none' }), undefined],
])('the version of Claude Code, as %s shows it', (_, env, version) => {
  expect(clientVersion(env(temporaryFolder()))).toBe(version);
});
