import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HOOK_LINE } from '../../src/home/hook-line.ts';
import { STATUSLINE_LINE } from '../../src/home/statusline-line.ts';
import { temporaryFolder } from '../support/files/workers.ts';

const DIST = resolve(import.meta.dirname, '../../dist');
const VERSION: string = JSON.parse(readFileSync(resolve(DIST, '../package.json'), 'utf8')).version;
const BUNDLES = readdirSync(DIST).filter((name) => name.endsWith('.cjs'));
const SESSION = '11111111-1111-4111-8111-111111111111';

let folder: string;
let project: string;
let env: Record<string, string>;

beforeEach(() => {
  folder = realpathSync(temporaryFolder());
  project = join(folder, 'project');
  mkdirSync(project);
  env = { PATH: process.env.PATH ?? '', HOME: folder, NO_COLOR: '1' };
});

/** The program as another version of it, in a folder of its own. */
function installed(version: string): string {
  const at = join(folder, `version ${version}`, 'dist');
  mkdirSync(at, { recursive: true });
  for (const name of BUNDLES) {
    cpSync(join(DIST, name), join(at, name));
    const text = readFileSync(join(at, name), 'utf8');
    writeFileSync(join(at, name), text.replaceAll(`"${VERSION}"`, `"${version}"`));
  }
  return join(at, 'untildone.cjs');
}

function run(program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

/** An event as Claude Code sends it, through the installed line. */
function shell(line: string, sent: object) {
  const more = { CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PROJECT_DIR: project };
  const input = JSON.stringify({ session_id: SESSION, cwd: project, ...sent });
  return spawnSync('/bin/sh', ['-c', line], {
    cwd: project,
    env: { ...env, ...more },
    input,
    encoding: 'utf8',
  });
}

const script = () => readFileSync(join(folder, '.untildone/hook.sh'), 'utf8');
const remove = (program: string) => rmSync(resolve(program, '../..'), { recursive: true });

describe('after an upgrade', () => {
  test('a command of the new version, the hook and several of them at once bring the scripts up to date', async () => {
    const [older, newer] = [installed('0.1.5'), installed('0.2.0')];
    run(older, 'install', '--statusline');
    run(older, 'start', '--session', SESSION, '--promise', 'ALL DONE', 'a task');
    expect(script()).toContain('untildone 0.1.5.');
    // An old program that is called again, and is then replaced in its place.
    cpSync(resolve(newer, '..'), resolve(older, '..'), { recursive: true });
    const held = shell(HOOK_LINE, { hook_event_name: 'Stop', last_assistant_message: 'not yet' });
    expect(JSON.parse(held.stdout)).toMatchObject({ decision: 'block' });
    expect(script()).toContain('untildone 0.2.0.');
    expect(script()).toContain(`entry='${older}'`);
    expect(readFileSync(join(folder, '.untildone/statusline.sh'), 'utf8')).toContain('untildone 0.2.0.');

    // The installation moves: hooks are told so, and the first commands of the new place mend it.
    remove(older);
    const statuses = await Promise.all([1, 2, 3, 4].map(() => started(newer, 'status')));
    expect(statuses.map(({ stderr }) => stderr)).toEqual(['', '', '', '']);
    expect(script()).toContain(`entry='${newer}'`);
    expect(readdirSync(join(folder, '.untildone')).filter((name) => /lock|tmp|new/.test(name))).toEqual([]);
    const again = shell(HOOK_LINE, { hook_event_name: 'Stop', last_assistant_message: 'not yet' });
    expect(JSON.parse(again.stdout)).toMatchObject({ decision: 'block' });
    const line = shell(STATUSLINE_LINE, { context_window: { used_percentage: 7 } });
    expect({ code: line.status, stdout: line.stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^untildone \w{6} 3\/50.* · context 7%\n$/),
    });
  });

  test('an older version never takes the hooks back, until it is asked to', () => {
    const [older, newer] = [installed('0.1.5'), installed('0.2.0')];
    run(newer, 'install');
    for (const args of [['status'], ['start', '--session', SESSION, 'a task']]) {
      expect(run(older, ...args)).toMatchObject({ code: 0, stderr: '' });
      expect(script()).toContain(`entry='${newer}'`);
    }
    run(older, 'install');
    expect(script()).toContain(`entry='${older}'`);
  });

  test('help, the version and a hook without a home write nothing', () => {
    const [older, newer] = [installed('0.1.5'), installed('0.2.0')];
    run(older, 'install');
    for (const flag of ['--help', '--version']) run(newer, flag);
    expect(script()).toContain('untildone 0.1.5.');
    rmSync(join(folder, '.untildone'), { recursive: true });
    expect(run(newer, 'status').stderr).toBe('');
    expect(readdirSync(folder)).not.toContain('.untildone');
  });
});

function started(program: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return new Promise((done) =>
    execFile(process.execPath, [program, ...args], { cwd: project, env }, (_, stdout, stderr) =>
      done({ stdout, stderr }),
    ),
  );
}
