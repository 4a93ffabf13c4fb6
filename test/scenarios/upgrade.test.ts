import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { STATUSLINE_LINE } from '../../src/engine/home/statusline-line.ts';
import { type Programs, programs, SESSION } from '../support/cli/programs.ts';

let at: Programs;

beforeEach(() => {
  at = programs();
});

const names = () => readdirSync(at.home).filter((name) => /lock|tmp|new/.test(name));

describe('after an upgrade', () => {
  test('in its place, the hook brings scripts and record up to date, and status and doctor say so', () => {
    const program = at.installed('0.1.5');
    at.run(program, 'install', '--statusline');
    at.run(program, 'start', '--session', SESSION, '--promise', 'ALL DONE', 'a task');
    expect(at.script()).toContain('untildone 0.1.5.');
    at.replace(program, '0.2.0');
    const held = at.stop();
    expect(held).toMatchObject({ decision: 'block' });
    expect(held.systemMessage ?? '').not.toContain('the program that the hooks run');
    expect(at.script()).toContain('untildone 0.2.0.');
    expect(at.script()).toContain(`entry='${program}'`);
    expect(readFileSync(join(at.home, 'statusline.sh'), 'utf8')).toContain('untildone 0.2.0.');
    expect(at.run(program, 'status').stdout).toMatch(/^untildone was upgraded from 0\.1\.5 to 0\.2\.0 /);
    expect(at.run(program, 'doctor').stdout).toMatch(/the hooks run untildone 0\.2\.0 .*before that 0\.1\.5/);
    const line = at.shell(STATUSLINE_LINE, { context_window: { used_percentage: 7 } });
    expect(line).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^untildone \w{6} 2\/50.* · context 7%\n$/),
    });
  });

  test('in its place, several commands and hooks at once leave whole scripts and one record', async () => {
    const program = at.installed('0.1.5');
    at.run(program, 'install');
    at.replace(program, '0.2.0');
    const statuses = await Promise.all([1, 2, 3, 4].map(() => at.started(program, 'status')));
    expect(statuses.map(({ stderr }) => stderr)).toEqual(['', '', '', '']);
    expect(at.script()).toContain('untildone 0.2.0.');
    expect(names()).toEqual([]);
    expect(at.run(program, 'doctor').stdout).toContain('the hooks run untildone 0.2.0');
  });

  test('to another place, a person lets the hooks run it, and until then is told the line to type', () => {
    const [older, newer] = [at.installed('0.1.5'), at.installed('0.2.0')];
    at.run(older, 'install');
    at.run(older, 'start', '--session', SESSION, '--promise', 'ALL DONE', 'a task');
    const line = `node '${newer}' install`;
    expect(at.run(newer, 'status')).toMatchObject({ stderr: '', stdout: expect.stringContaining(line) });
    expect(at.run(newer, 'doctor').stdout).toContain(line);
    expect(at.run(newer, 'log').stderr).toBe('');
    rmSync(resolve(older, '../..'), { recursive: true });
    // Nothing answers now, so every command says it.
    expect(at.run(newer, 'log').stderr).toContain(line);
    const unanswered = at.stop();
    expect(unanswered.systemMessage ?? unanswered.reason).toContain(`${older} is gone`);
    expect(at.script()).toContain(`entry='${older}'`);
    expect(at.run(newer, 'install').stdout).toContain(
      `From now on the hooks of all projects run untildone 0.2.0`,
    );
    expect(at.script()).toContain(`entry='${newer}'`);
    expect(at.stop()).toMatchObject({ decision: 'block' });
    expect(at.run(newer, 'log').stderr).toBe('');
  });

  test('an older version never takes the hooks back, until a person asks it to', () => {
    const [older, newer] = [at.installed('0.1.5'), at.installed('0.2.0')];
    at.run(newer, 'install');
    for (const args of [['status'], ['start', '--session', SESSION, 'a task']]) {
      expect(at.run(older, ...args)).toMatchObject({ code: 0, stderr: '' });
      expect(at.script()).toContain(`entry='${newer}'`);
    }
    at.run(older, 'install');
    expect(at.script()).toContain(`entry='${older}'`);
  });

  test('help, the version and a hook without a home write nothing', () => {
    const program = at.installed('0.1.5');
    at.run(program, 'install');
    at.replace(program, '0.2.0');
    for (const flag of ['--help', '--version']) at.run(program, flag);
    expect(at.script()).toContain('untildone 0.1.5.');
    rmSync(at.home, { recursive: true });
    expect(at.run(program, 'status').stderr).toBe('');
    expect(readdirSync(at.folder)).not.toContain('.untildone');
  });
});
