/** Node, the clock, git and Claude Code itself. */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findClaude } from '../../engine/client/sdk/find-client.ts';
import { FIRST_TO_HOLD } from '../../engine/client/settings/our-events.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { sayDuration } from '../../engine/core/text/duration.ts';
import { newerThan } from '../../engine/core/text/version.ts';
import { runGitSync } from '../../engine/project/git.ts';
import { found, inOrder, joinLooked, type Looked, NOTHING, type Patient } from './finding.ts';

const OLDEST_NODE = '20.0.0';

export function lookAtNode({ nodeVersion }: Pick<Patient, 'nodeVersion'>): Looked {
  if (!newerThan(OLDEST_NODE, nodeVersion)) return inOrder(`Node ${nodeVersion}`);
  return found({
    id: 'node_too_old',
    severity: 'error',
    what: `Node ${nodeVersion} is too old: untildone needs 20 or newer`,
    todo: 'install Node.js 20 or newer, then run: untildone install',
  });
}

/** What is missing in versions of Claude Code before these. An older one is told of the first alone. */
const SINCE: readonly { version: string; severity: 'error' | 'warning' | 'note'; lacks: string }[] = [
  {
    version: FIRST_TO_HOLD,
    severity: 'error',
    lacks:
      'does not know all events of our hooks, and then takes none of them, neither from settings nor from the plugin: nobody is held',
  },
  {
    version: '2.1.116',
    severity: 'warning',
    lacks: 'does not answer the commands of the plugin (/untildone:status and the others)',
  },
  {
    version: '2.1.287',
    severity: 'note',
    lacks: 'does not load mods: a hook that crashes is answered by the script hold.sh alone',
  },
];

export interface Client {
  path: string;
  source: string;
  /** Undefined when it did not say. */
  version?: string;
  problem?: string;
}

/** Asks the Claude Code of this machine for its version. */
export function findClient(env: NodeJS.ProcessEnv): Client | undefined {
  const claude = findClaude(undefined, { searchPath: env.PATH ?? '' });
  if (!claude) return undefined;
  const { stdout, stderr, error } = spawnSync(claude.path, ['--version'], {
    encoding: 'utf8',
    env: { ...env, DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    // Programs that choose a version by the folder choose none by that of a project.
    cwd: dirname(claude.path),
    timeout: 20_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const version = /^\d{1,9}\.\d{1,9}\.\d{1,9}[^\s]{0,40}/m.exec(stdout ?? '')?.[0];
  if (version !== undefined) return { ...claude, version };
  return { ...claude, problem: error?.message ?? oneLine(stderr || stdout || 'it said nothing', 200) };
}

export function lookAtClient(client: Client | undefined): Looked {
  if (!client)
    return found({
      id: 'client_missing',
      severity: 'warning',
      what: 'Claude Code was not found on PATH',
      todo: 'install it: npm install -g @anthropic-ai/claude-code; or put the folder of claude on PATH',
    });
  const { version } = client;
  if (version === undefined)
    return found({
      id: 'client_does_not_start',
      severity: 'error',
      what: `Claude Code does not say its version (${client.problem})`,
      where: client.path,
      todo: 'see what it says: claude --version; install it again if it does not start',
    });
  const lacking = SINCE.find((each) => newerThan(each.version, version));
  if (!lacking) return inOrder(`Claude Code ${version} (${client.path})`);
  return found({
    id: 'client_too_old',
    severity: lacking.severity,
    what: `Claude Code ${version} ${lacking.lacks}`,
    where: client.path,
    todo: `update it to ${lacking.version} or newer: claude update`,
  });
}

const CLOCK_SLACK_MS = 2 * 60_000;

/** `newest`: the latest moments that journals name. `probe`: the time of a file that was written just now. */
export function lookAtClock(now: number, newest: readonly number[], probe: number | undefined): Looked {
  const ahead = Math.max(0, ...newest) - now;
  if (ahead > CLOCK_SLACK_MS)
    return found({
      id: 'clock_behind',
      severity: 'warning',
      what: `the clock of this machine is behind: a journal was written ${sayDuration(ahead)} in the future. Time limits of loops count wrong`,
      todo: 'set the clock (timedatectl set-ntp true)',
    });
  if (probe !== undefined && Math.abs(probe - now) > CLOCK_SLACK_MS)
    return found({
      id: 'clock_of_disk',
      severity: 'warning',
      what: `files in the home get times that are ${sayDuration(Math.abs(probe - now))} off: its disk has another clock`,
      todo: 'set the clocks of this machine and of the file server; or name a local folder: UNTILDONE_HOME=/some/folder',
    });
  return NOTHING;
}

const OLD_LOCK_MS = 10 * 60_000;

export function lookAtGit({ project, env, now }: Pick<Patient, 'project' | 'env' | 'now'>): Looked {
  const version = git(project, env, '--version');
  if (version.exitCode !== 0)
    return found({
      id: 'git_missing',
      severity: 'warning',
      what: 'git was not found: what changed since the start of a loop cannot be seen, and gates that look at it are unproven',
      todo: 'install git',
    });
  const where = git(project, env, 'rev-parse', '--absolute-git-dir');
  if (where.exitCode !== 0) return noRepository(project, where.stderr);
  const problems = joinLooked([oldIndexLock(where.stdout.trim(), now), unreadableRepository(project, env)]);
  return problems.findings.length > 0 ? problems : inOrder('git, and the repository of this project');
}

function noRepository(project: string, said: string): Looked {
  if (/dubious ownership/.test(said))
    return found({
      id: 'git_owner',
      severity: 'warning',
      what: 'git refuses the repository of this project, because another user owns it',
      where: project,
      todo: `give it to yourself (chown), or allow it: git config --global --add safe.directory ${project}`,
    });
  if (!/not a git repository/i.test(said))
    return found({
      id: 'git_broken',
      severity: 'warning',
      what: `git cannot read the repository of this project: ${oneLine(said, 200)}`,
      where: project,
      todo: 'mend it (git fsck), or clone it again',
    });
  return found({
    id: 'git_no_repository',
    severity: 'note',
    what: 'this project is no git repository: untildone sees its changes, but not what was there before a loop began',
    where: project,
    todo: 'git init, if you want to compare with earlier commits',
  });
}

function oldIndexLock(gitDir: string, now: number): Looked {
  const lock = join(gitDir, 'index.lock');
  const stat = gitDir !== '' && existsSync(lock) ? statSync(lock, { throwIfNoEntry: false }) : undefined;
  if (!stat || now - stat.mtimeMs < OLD_LOCK_MS) return NOTHING;
  return found({
    id: 'git_lock',
    severity: 'warning',
    what: 'a git command was cut off and left its lock: git can commit nothing',
    where: lock,
    todo: 'remove this file if no git command runs here',
  });
}

function unreadableRepository(project: string, env: NodeJS.ProcessEnv): Looked {
  const commits = git(project, env, 'rev-list', '-n', '1', '--all');
  const index = git(project, env, 'ls-files', '--', ':(top).git-none');
  const broken = [commits, index].find(({ stderr }) => /^(?:fatal|error): /m.test(stderr));
  if (broken)
    return found({
      id: 'git_broken',
      severity: 'warning',
      what: `the repository of this project is damaged: ${oneLine(broken.stderr, 200)}`,
      where: project,
      todo: 'mend it (git fsck; a broken index: rm .git/index && git reset), or clone it again',
    });
  return NOTHING;
}

function git(cwd: string, env: NodeJS.ProcessEnv, ...args: string[]) {
  return runGitSync({ args, cwd, env: {}, from: env }, 20_000);
}
