/** Whole copies of the built program that call themselves other versions, with a home and a project of their own. */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PARTS_OF_JUDGE } from '../../../scripts/judge-parts.mjs';
import { LATER_BUNDLES } from '../../../scripts/later.mjs';
import { HOOK_LINE } from '../../../src/engine/home/hook-line.ts';
import { temporaryFolder } from '../files/workers.ts';

const DIST = resolve(import.meta.dirname, '../../../dist');
const VERSION: string = JSON.parse(readFileSync(resolve(DIST, '../package.json'), 'utf8')).version;
/** What these tests start. */
const BUNDLES = [
  ...['untildone', 'hook', 'events', 'tool', 'statusline', 'judge', 'formats'].map((name) => `${name}.cjs`),
  ...[...LATER_BUNDLES, ...Object.keys(PARTS_OF_JUDGE)].map((name) => `${name}.cjs`),
  ...readdirSync(join(DIST, 'program')).map((name) => `program/${name}`),
];
export const SESSION = '11111111-1111-4111-8111-111111111111';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Programs {
  folder: string;
  home: string;
  project: string;
  env: Record<string, string>;
  /** Copies the program as another version, to `version <v>/dist` or to another folder; returns its entry. */
  installed(version: string, at?: string): string;
  /** Makes the program in this place another version, as an upgrade does. */
  replace(program: string, version: string): void;
  run(program: string, ...args: string[]): Ended;
  /** The same from inside of a session of Claude Code. */
  inSession(program: string, ...args: string[]): Ended;
  /** Several at once. */
  started(program: string, ...args: string[]): Promise<Ended>;
  /** An event as Claude Code sends it, through an installed line. */
  shell(line: string, sent: object, more?: Record<string, string>): Ended;
  stop(): Record<string, string>;
  script(): string;
  record(): string;
}

export function programs(): Programs {
  const folder = realpathSync(temporaryFolder());
  const project = join(folder, 'project');
  const home = join(folder, '.untildone');
  mkdirSync(project);
  const env: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: folder, NO_COLOR: '1' };

  function installed(version: string, at = join(folder, `version ${version}`, 'dist')): string {
    mkdirSync(join(at, 'program'), { recursive: true });
    for (const name of BUNDLES) {
      cpSync(join(DIST, name), join(at, name));
      const text = readFileSync(join(at, name), 'utf8');
      writeFileSync(join(at, name), text.replaceAll(`"${VERSION}"`, `"${version}"`));
    }
    return join(at, 'untildone.cjs');
  }
  function run(program: string, args: string[], more: Record<string, string> = {}): Ended {
    const options = { cwd: project, env: { ...env, ...more }, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], options);
    return { code: status, stdout, stderr };
  }
  function shell(line: string, sent: object, more: Record<string, string> = {}): Ended {
    const session = { CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PROJECT_DIR: project };
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], {
      cwd: project,
      env: { ...env, ...session, ...more },
      input: JSON.stringify({ session_id: SESSION, cwd: project, ...sent }),
      encoding: 'utf8',
    });
    return { code: status, stdout, stderr };
  }
  let said = 0;
  return {
    folder,
    home,
    project,
    env,
    installed,
    replace: (program, version) => void installed(version, dirname(program)),
    run: (program, ...args) => run(program, args),
    inSession: (program, ...args) => run(program, args, { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: SESSION }),
    started: (program, ...args) =>
      new Promise((done) =>
        execFile(process.execPath, [program, ...args], { cwd: project, env }, (error, stdout, stderr) =>
          done({ code: Number(error?.code ?? 0), stdout, stderr }),
        ),
      ),
    shell,
    stop: () => {
      const sent = { hook_event_name: 'Stop', last_assistant_message: `not yet ${++said}` };
      const { stdout } = shell(HOOK_LINE, sent);
      return stdout === '' ? {} : (JSON.parse(stdout) as Record<string, string>);
    },
    script: () => readFileSync(join(home, 'hook.sh'), 'utf8'),
    record: () => readFileSync(join(home, 'hook-program'), 'utf8'),
  };
}
