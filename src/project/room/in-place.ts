/** A folder as a place for commands, with what test runners can tell. */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { namesIn } from '../../files/whole-file.ts';
import type { Shell, ShellCommand } from '../../ports/ports.ts';
import type { Place, TestRun } from '../../ports/rooms.ts';
import { systemShell } from '../shell/shell.ts';
import { askForReport, collectReports } from '../test-report/ask.ts';
import { type Enclosure, wallsName } from '../walls/walls.ts';
import { withoutSecrets } from './environment.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export function inPlace(dir: string, shell: Shell, env: Environment): Place {
  return { dir, shell, room: 'project', runTests: (command) => runTests(command, dir, shell, env) };
}

export interface WalledProject {
  dir: string;
  env: Environment;
  walls: Enclosure;
  /** A folder for caches of compilers and package managers, which commands cannot keep in your home. */
  caches: string;
  /** Variables that may hold secrets and that commands need. */
  passEnv?: readonly string[];
}

/**
 * The project's folder as a place whose commands run within walls. They may write to it, but not to what says when the
 * work is done, nor to what others run later: settings of Claude Code, git hooks and git settings.
 */
export function withinWalls({ dir, env, walls, caches, passEnv }: WalledProject): Place {
  const temp = tempOfProcess();
  mkdirSync(caches, { recursive: true, mode: 0o700 });
  const own = {
    TMPDIR: temp,
    TMP: temp,
    TEMP: temp,
    XDG_CACHE_HOME: caches,
    npm_config_cache: join(caches, 'npm'),
  };
  const environment = { ...withoutSecrets(env, passEnv), ...own };
  const shell: Shell = {
    // What is protected may come and go between commands.
    run: (command) => systemShell(environment, { ...walls, ...reachIn(dir, [temp, caches]) }).run(command),
  };
  return {
    dir,
    shell,
    room: 'project',
    walls: wallsName(walls),
    runTests: (command) => runTests(command, dir, shell, environment, temp),
  };
}

/** What the next user of git runs or believes, in a repository and in each of its submodules. */
const OF_GIT = ['hooks', 'config', 'config.worktree', 'info/attributes'];

/** A folder of git is named itself, too, because it could be moved away as a whole otherwise. */
function reachIn(dir: string, others: readonly string[]): { writable: string[]; readOnly: string[] } {
  const git = join(dir, '.git');
  const isFolder = lstatSync(git, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const modules = namesIn(join(git, 'modules')).map((name) => join(git, 'modules', name));
  const repositories = isFolder ? [git, ...modules] : [];
  const protectedPaths = [
    join(dir, CONTRACT_FILE),
    claudeFolderOf(dir),
    ...(isFolder ? [] : [git]),
    ...repositories.flatMap((folder) => OF_GIT.map((name) => join(folder, name))),
  ];
  return {
    writable: [dir, ...repositories, ...others],
    readOnly: protectedPaths.filter((path) => existsSync(path)),
  };
}

/** Made where it is missing: nothing else keeps a command from making it. */
function claudeFolderOf(dir: string): string {
  const folder = join(dir, '.claude');
  try {
    mkdirSync(folder);
  } catch {
    // It is there, or nobody can make it.
  }
  return folder;
}

let temp: string | undefined;

/** One folder for temporary files of all commands of this process. */
function tempOfProcess(): string {
  if (temp === undefined || !existsSync(temp)) {
    const made = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-')));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    temp = made;
  }
  return temp;
}

/** `dir` is the folder of all the files; the command may run in a folder below it. */
export async function runTests(
  command: ShellCommand,
  dir: string,
  shell: Shell,
  env: Environment,
  folder = tmpdir(),
): Promise<TestRun> {
  const reports = mkdtempSync(join(folder, 'untildone-report-'));
  try {
    const asked = askForReport(command.command, command.cwd, reports, { ...env, ...command.env });
    const result = await shell.run({
      ...command,
      command: asked.command,
      env: { ...command.env, ...asked.env },
    });
    return { result, tests: collectReports(reports, dir, result.stdout) };
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}
