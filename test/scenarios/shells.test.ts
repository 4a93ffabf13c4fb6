import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { singleQuoted } from '../../src/engine/core/shell/words.ts';
import { few } from '../support/long.ts';

/** The program as shells meet it: completion, and pipes that are closed early. */

const PROGRAM = resolve(import.meta.dirname, '../../dist/untildone.cjs');

let folder: string;
let project: string;
let env: Record<string, string>;
let loop: string;

const run = (args: string[]) =>
  spawnSync(process.execPath, [PROGRAM, ...args], { cwd: project, env, encoding: 'utf8' });

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-shells-')));
  project = join(folder, "my project's");
  mkdirSync(join(project, 'a folder'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  symlinkSync(PROGRAM, join(folder, 'bin/untildone'));
  const path = [join(folder, 'bin'), join(process.execPath, '..'), process.env.PATH].join(delimiter);
  env = { PATH: path, HOME: folder, TERM: 'xterm', CLAUDE_CODE_SESSION_ID: '' };
  const started = run(['start', '--session', 's1', '--promise', 'DONE', "it's a task"]);
  loop = /^Loop (\S+) started/m.exec(started.stdout)?.[1] ?? started.stderr;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is typed, and what has to be offered: all of it, or (with `...`) at least that. */
const TYPED = (id: string): readonly [words: string[], offered: string[]][] =>
  few(
    [
      [['sta'], ['start', 'status', 'state', 'stats', 'statusline']],
      [
        ['lock', 'status', '--'],
        ['--json', '--help'],
      ],
      [['verify', '--fresh', '--format', 'j'], ['json']],
      [['cancel', ''], [id]],
      [['verify', '--contract', 'a'], ['a folder']],
      [
        ['lock', ''],
        ['on', 'off', 'status', 'help'],
      ],
      [
        ['verify', '--format', ''],
        ['text', 'json', 'github'],
      ],
      [['install', '--scope', 'u'], ['user']],
      [['run', '--mode', 'h'], ['hybrid']],
      [['run', '--mode', 'hybrid', '--qui'], ['--quiet']],
      [['receipt', 'v'], ['verify']],
      [['log', '--fo'], ['--follow']],
      [
        ['help', 'sta'],
        ['start', 'status', 'state', 'stats', 'statusline'],
      ],
      [
        ['completion', ''],
        ['bash', 'zsh', 'fish'],
      ],
      [['approve', '--loop', ''], [id]],
    ],
    5,
  );

const sorted = (lines: string[]) => lines.filter((line) => line !== '').sort();
function offeredBy(shell: string, args: string[], script: string): string[][] {
  const file = join(folder, `try.${shell}`);
  writeFileSync(file, script);
  const { stdout, stderr } = spawnSync(shell, [...args, file], { cwd: project, env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout
    .split('---\n')
    .slice(0, -1)
    .map((part) => part.split('\n'));
}

const written = (shell: string) => {
  const path = join(folder, `completion.${shell}`);
  writeFileSync(path, run(['completion', shell]).stdout);
  return path;
};

describe('completion', () => {
  test('bash', () => {
    const tries = TYPED(loop).map(
      ([words]) =>
        `COMP_WORDS=(untildone ${words.map(singleQuoted).join(' ')}); COMP_CWORD=${words.length}; _untildone; printf '%s\\n' "\${COMPREPLY[@]}" ---`,
    );
    const equals =
      'COMP_WORDS=(untildone verify --format = j); COMP_CWORD=4; _untildone; echo "$COMPREPLY"; echo ---';
    const offered = offeredBy('bash', ['--norc'], `. ${written('bash')}\n${tries.join('\n')}\n${equals}\n`);
    const expected = [...TYPED(loop), [['verify', '--format', '=', 'j'], ['json']]] as [string[], string[]][];
    expect(expected.map(([words], i) => [words, sorted(offered[i] ?? [])])).toEqual(
      expected.map(([words, all]) => [words, sorted(all)]),
    );
  });

  test('zsh', () => {
    const stubs = `compdef() { :; }
_describe() { local one; for one in "\${(@P)4}"; do print -r -- "\${one%%:*}"; done; }
_files() { print -rl -- \${PREFIX}*(N); }
`;
    const tries = TYPED(loop).map(
      ([words]) =>
        `words=(untildone ${words.map(singleQuoted).join(' ')}); CURRENT=${words.length + 1}; PREFIX=$words[-1]; _untildone; print -- ---`,
    );
    const offered = offeredBy('zsh', ['-f'], `${stubs}. ${written('zsh')}\n${tries.join('\n')}\n`);
    TYPED(loop).forEach(([words, all], i) => {
      // Zsh itself leaves out what does not begin with what was typed.
      const fitting = (offered[i] ?? []).filter((one) => one.startsWith(words.at(-1) ?? ''));
      expect([words, sorted(fitting)]).toEqual([words, sorted(all)]);
    });
  });

  test('fish', () => {
    const tries = TYPED(loop).map(
      ([words]) => `complete -C ${singleQuoted(`untildone ${words.join(' ')}`)} | cut -f1; echo ---`,
    );
    const offered = offeredBy('fish', ['--no-config'], `. ${written('fish')}\n${tries.join('\n')}\n`);
    TYPED(loop).forEach(([words, all], i) => {
      const found = (offered[i] ?? []).map((one) => one.replace(/\\ /g, ' ').replace(/\/$/, ''));
      expect([words, sorted(found)]).toEqual([words, sorted(all)]);
    });
  });
});

test('a reader that goes away early is no error', () => {
  const script = `{ untildone log; echo $? >rc1; } | true; { untildone statsu 2>&1; echo $? >rc2; } | true`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: project, env, encoding: 'utf8' });
  const codes = ['rc1', 'rc2'].map((name) => readFileSync(join(project, name), 'utf8').trim());
  expect({ stdout, stderr, codes }).toEqual({ stdout: '', stderr: '', codes: ['0', '2'] });
});
