/** The temporary folder that a demo writes to: project, homes, and the commands that the agent may call. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment, prepareClientHome } from '../../engine/client/sdk/find-client.ts';
import { quoteForShell } from '../../engine/core/shell/words.ts';
import type { Demo } from './demo-folder.ts';

export interface Scratch {
  root: string;
  project: string;
  /** Stands for the user's home. */
  home: string;
  untildoneHome: string;
  /** Comes first on PATH: `untildone` and `node` are those that run the demo. */
  bin: string;
  temporary: string;
}

/** Which node, and which build of untildone, the hooks and the agent's shell start. */
export interface Installation {
  nodePath: string;
  hookEntry: string;
}

export async function openScratch(): Promise<Scratch> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'untildone-demo-')));
  const folder = (name: string) => join(root, name);
  return {
    root,
    project: folder('project'),
    home: folder('home'),
    untildoneHome: folder('untildone-home'),
    bin: folder('bin'),
    temporary: folder('tmp'),
  };
}

export function removeScratch({ root }: Scratch): Promise<void> {
  return rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

/** Makes the project, commits it, and trusts its contract. For a session it installs our hooks; a run brings its own. */
export async function furnish(scratch: Scratch, demo: Demo, installation: Installation): Promise<void> {
  for (const folder of [scratch.project, scratch.bin, scratch.temporary]) await mkdir(folder);
  prepareClientHome(scratch.home, [scratch.project]);
  for (const [path, text] of Object.entries(demo.files)) {
    const file = join(scratch.project, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  await putCommandsOnPath(scratch.bin, installation);
  if (demo.session) await untildone(scratch, 'install');
  await commitAll(scratch, demo.commit);
  await trustContract(scratch);
}

/** Trusts the contract in your place. */
async function trustContract(scratch: Scratch): Promise<void> {
  const shown = await untildone(scratch, 'trust', '--show');
  await untildone(scratch, 'trust', '--fingerprint', /^Fingerprint: (\w+)$/m.exec(shown)?.[1] ?? '');
}

/** Runs a command of untildone in the project, and returns what it prints. */
export async function untildone(scratch: Scratch, ...args: string[]): Promise<string> {
  const { project: cwd, bin } = scratch;
  const env = ownEnvironment(scratch);
  return (await promisify(execFile)(join(bin, 'untildone'), args, { cwd, env })).stdout;
}

async function putCommandsOnPath(bin: string, { nodePath, hookEntry }: Installation): Promise<void> {
  await symlink(nodePath, join(bin, 'node'));
  const command = [nodePath, join(dirname(hookEntry), 'untildone.cjs')].map(quoteForShell).join(' ');
  const untildone = join(bin, 'untildone');
  await writeFile(untildone, `#!/bin/sh\nexec ${command} "$@"\n`);
  await chmod(untildone, 0o755);
}

const AUTHOR = ['-c', 'user.name=untildone demo', '-c', 'user.email=demo@localhost'];

async function commitAll(scratch: Scratch, message: string): Promise<void> {
  const git = (...args: string[]) =>
    promisify(execFile)('git', args, { cwd: scratch.project, env: ownEnvironment(scratch) });
  await git('init', '--quiet');
  await git('add', '--all');
  await git(...AUTHOR, 'commit', '--quiet', '--message', message);
}

/** The environment of what the demo runs beside Claude Code. */
export function ownEnvironment(scratch: Scratch): Record<string, string> {
  const { home: HOME, temporary: TMPDIR, untildoneHome: UNTILDONE_HOME } = scratch;
  return { PATH: searchPath(scratch, process.env.PATH), HOME, TMPDIR, UNTILDONE_HOME, LANG: 'C.UTF-8' };
}

/** The environment of Claude Code with the simulator: a key that opens nothing, and nothing of yours. */
export function simulatedEnvironment(scratch: Scratch, baseUrl: string): Record<string, string> {
  return cleanEnvironment({ home: scratch.home, baseUrl, extra: ownEnvironment(scratch) });
}

/** The environment of Claude Code with your login: all of yours, but the state of untildone in the scratch folder. */
export function realEnvironment(scratch: Scratch, env: NodeJS.ProcessEnv): Record<string, string> {
  const own = { PATH: searchPath(scratch, env.PATH), UNTILDONE_HOME: scratch.untildoneHome };
  const entries = Object.entries({ ...env, ...own });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function searchPath({ bin }: Scratch, given: string | undefined): string {
  return given ? bin + delimiter + given : bin;
}
