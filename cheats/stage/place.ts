import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Project, Step } from '../format.ts';
import { type Called, call, endProcessesOf } from './call.ts';

/** A home and a project in a folder of their own. */
export interface Place {
  root: string;
  home: string;
  project: string;
  /** The environment of your terminal. */
  env: Record<string, string>;
}

/** Longest time for anything that you or the agent run. */
export const COMMAND_LIMIT_MS = 120_000;

/** A fresh folder with the project as it is before the work, committed. */
export function newPlace(root: string, project: Project): Place {
  const place = placeAt(root);
  rmSync(root, { recursive: true, force: true });
  for (const folder of [place.home, place.project, join(root, 'tmp')]) mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(place.home, '.gitconfig'),
    '[user]\n\tname = You\n\temail = you@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n',
  );
  writeFiles(place.project, project.files);
  project.prepare?.(place.project);
  git(place, 'init', '--quiet');
  commitAll(place, 'the project');
  return place;
}

function placeAt(root: string): Place {
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  return { root, home, project, env: environment(root, home) };
}

function environment(root: string, home: string): Record<string, string> {
  return {
    PATH: programFolders().join(delimiter),
    HOME: home,
    TMPDIR: join(root, 'tmp'),
    LANG: 'C.UTF-8',
    // Compiled libraries are shared by all cases, and nothing is asked of a network.
    GOCACHE: join(dirname(dirname(root)), 'go-build'),
    GOPROXY: 'off',
    CARGO_NET_OFFLINE: 'true',
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
}

/** The folders of PATH without those in your home: version managers do not work with another home. */
function programFolders(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const own = `${homedir()}/`;
  const elsewhere = folders.filter((folder) => folder.startsWith('/') && !folder.startsWith(own));
  return [...new Set([dirname(process.execPath), ...elsewhere])].filter(
    (folder) => !folder.includes('node_modules'),
  );
}

export function hasProgram(name: string): boolean {
  return programFolders().some((folder) => existsSync(join(folder, name)));
}

export function git({ project, env }: Place, ...args: string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd: project, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
}

export function commitAll(place: Place, message: string): void {
  git(place, 'add', '--all');
  git(place, 'commit', '--quiet', '--no-verify', '--allow-empty', '--message', message);
}

/** Keeps a copy of a place, or puts the place back to what it was. */
export function copyPlace(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(dirname(to), { recursive: true });
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cp -a: ${stderr}`);
}

export function closePlace(place: Place): void {
  endProcessesOf(place.home);
}

export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

export class BrokenCase extends Error {}

/** Does what a step says, in the project. */
export async function doStep(step: Step, { project, env }: Pick<Place, 'project' | 'env'>): Promise<void> {
  if ('write' in step) writeFiles(project, step.write);
  else if ('replace' in step) replace(join(project, step.replace.path), step.replace);
  else if ('remove' in step) {
    if (!existsSync(join(project, step.remove))) throw new BrokenCase(`${step.remove} is not there`);
    rmSync(join(project, step.remove), { recursive: true });
  } else if ('run' in step)
    requireSuccess(
      step.run,
      await call('/bin/sh', ['-c', step.run], { cwd: project, env, limitMs: COMMAND_LIMIT_MS }),
    );
}

function requireSuccess(command: string, { code, stdout, stderr }: Called): void {
  if (code === 0) return;
  throw new BrokenCase(`\`${command}\` ends with ${code}: ${(stderr || stdout).trim().slice(-300)}`);
}

function replace(file: string, { path, from, to }: { path: string; from: string; to: string }): void {
  const parts = readFileSync(file, 'utf8').split(from);
  if (parts.length !== 2) throw new BrokenCase(`${path} has ${parts.length - 1} times: ${from}`);
  writeFileSync(file, parts.join(to));
}
