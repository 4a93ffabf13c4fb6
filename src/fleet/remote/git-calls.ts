/** Git calls for a remote: with the credentials of the user, without prompts, and within a time. */
import { devNull } from 'node:os';
import { dirname } from 'node:path';
import { RemoteAway } from '../../engine/core/fleet/errors.ts';
import { quoteForShell } from '../../engine/core/shell/words.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { redact } from '../../engine/core/text/redact.ts';
import { type GitCall, type GitResult, runGit } from '../../engine/project/git.ts';
import { lastWords, ownVariables } from '../../engine/run/git/user-git.ts';

export interface RemoteGit {
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  /** Limits of calls to the remote; for tests. */
  lookMs?: number;
  pushMs?: number;
  fetchMs?: number;
}

const REMOTE_CONFIG: readonly string[] = [
  'http.lowSpeedLimit=100',
  'http.lowSpeedTime=60',
  'push.default=nothing',
  'push.followTags=false',
  'push.gpgSign=false',
  'push.recurseSubmodules=no',
  'fetch.recurseSubmodules=false',
  'fetch.fsckObjects=false',
  'fetch.writeCommitGraph=false',
  'submodule.recurse=false',
];

/** For calls that concern files of ours alone. */
export const LOCAL_CONFIG: readonly string[] = [
  'core.untrackedCache=false',
  'core.splitIndex=false',
  'core.sparseCheckout=false',
  'core.protectNTFS=false',
  'core.protectHFS=false',
  'core.bigFileThreshold=32m',
  `core.attributesFile=${devNull}`,
  'commit.gpgSign=false',
  'submodule.recurse=false',
  'advice.detachedHead=false',
  'checkout.guess=false',
];

const LOCAL_MS = 15 * 60_000;
export const LOOK_MS = 60_000;
export const PUSH_MS = 5 * 60_000;
export const FETCH_MS = 60 * 60_000;

/** Git on a folder of ours. Throws only when git cannot run to its end. */
export function localGit(
  world: RemoteGit,
  cwd: string,
  args: readonly string[],
  more: Partial<GitCall> & { config?: readonly string[] } = {},
): Promise<GitResult> {
  const { config = [], ...call } = more;
  return withinTime(args, LOCAL_MS, world.signal, (signal) =>
    runGit({
      ...call,
      args: [...settings([...LOCAL_CONFIG, ...config]), ...args],
      cwd,
      env: { ...variables(world.env), ...call.env },
      signal,
    }),
  );
}

/** Git on a folder of ours that has to end well. */
export async function mustGit(
  world: RemoteGit,
  cwd: string,
  args: readonly string[],
  more: Partial<GitCall> & { config?: readonly string[] } = {},
): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await localGit(world, cwd, args, more);
  if (exitCode === 0) return stdout;
  throw new Error(`git ${args[0]} failed: ${said(stderr) || `it ended with ${exitCode}`}`);
}

/** From where git speaks to the remote: a repository of ours, or a folder without one. */
export type Place = { gitDir: string } | { folder: string };

/** Git that speaks to the remote. A time-out is RemoteAway. */
export async function remoteGit(
  world: RemoteGit,
  at: Place,
  args: readonly string[],
  limitMs: number,
  env: Record<string, string> = {},
): Promise<GitResult> {
  const ssh = await sshCommand(world);
  const place: Record<string, string> =
    'gitDir' in at ? { GIT_DIR: at.gitDir } : { GIT_CEILING_DIRECTORIES: dirname(at.folder) };
  try {
    return await withinTime(args, limitMs, world.signal, (signal) =>
      runGit({
        args: [...settings(REMOTE_CONFIG), ...args],
        lets: 'remotes',
        cwd: 'gitDir' in at ? at.gitDir : at.folder,
        env: { ...variables(world.env), ...access(world.env), GIT_SSH_COMMAND: ssh, ...place, ...env },
        signal,
      }),
    );
  } catch (error) {
    if (world.signal?.aborted || !(error instanceof TookTooLong)) throw error;
    throw new RemoteAway(`the remote did not answer: ${error.message}`);
  }
}

class TookTooLong extends Error {}

async function withinTime(
  args: readonly string[],
  limitMs: number,
  given: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<GitResult>,
): Promise<GitResult> {
  const limit = new AbortController();
  const stop = () => limit.abort();
  const timer = setTimeout(stop, limitMs);
  given?.addEventListener('abort', stop, { once: true });
  if (given?.aborted) stop();
  try {
    return await call(limit.signal);
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    if (given?.aborted) throw new Error(`git ${args[0]} was stopped`);
    throw new TookTooLong(`git ${args[0]} did not end within ${Math.round(limitMs / 1000)} s`);
  } finally {
    clearTimeout(timer);
    given?.removeEventListener('abort', stop);
  }
}

function settings(config: readonly string[]): string[] {
  return config.flatMap((setting) => ['-c', setting]);
}

const NOT_FOR_GIT = /^(?:GIT_|ANTHROPIC_|CLAUDE|UNTILDONE_)/i;

/** The caller's environment, with those variables of git that say who you are and how remotes are reached. */
function variables(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !NOT_FOR_GIT.test(entry[0]),
  );
  return { ...Object.fromEntries(kept), LC_ALL: 'C', LANGUAGE: 'C', ...ownVariables(env) };
}

/** A worker in a container often gets its password by GIT_ASKPASS: a program that nobody has to answer. */
function access(env: NodeJS.ProcessEnv): Record<string, string> {
  return env.GIT_ASKPASS ? { GIT_ASKPASS: env.GIT_ASKPASS } : {};
}

const SSH = 'ssh -oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=15 -oServerAliveCountMax=4';
const sshCommands = new WeakMap<NodeJS.ProcessEnv, Promise<string>>();

/** The program that the user has set for ssh, in the order in which git looks; else ssh that never asks. */
function sshCommand({ env }: RemoteGit): Promise<string> {
  const known = sshCommands.get(env);
  if (known) return known;
  const found = findSshCommand(env).catch(() => SSH);
  sshCommands.set(env, found);
  return found;
}

async function findSshCommand(env: NodeJS.ProcessEnv): Promise<string> {
  if (env.GIT_SSH_COMMAND) return env.GIT_SSH_COMMAND;
  const args = ['config', '--get', 'core.sshCommand'];
  const place = { GIT_DIR: devNull };
  const { stdout } = await runGit({ args, cwd: '/', env: { ...variables(env), ...place } });
  return stdout.toString('utf8').trim() || (env.GIT_SSH ? quoteForShell(env.GIT_SSH) : SSH);
}

/** Git's last words, without secrets. */
export function said(stderr: string): string {
  return redact(lastWords(stderr.replaceAll(/^remote: *$/gm, ''), 4));
}

/** The refs on the remote that have one of these names, or match one of these patterns. */
export async function listRemote(
  world: RemoteGit,
  at: Place,
  repo: string,
  patterns: readonly string[],
): Promise<Map<string, string>> {
  const args = ['ls-remote', '--quiet', '--', repo, ...patterns];
  const { exitCode, stdout, stderr } = await remoteGit(world, at, args, world.lookMs ?? LOOK_MS);
  if (exitCode !== 0) throw new RemoteAway(`${repo} cannot be read: ${said(stderr)}`);
  const lines = stdout.toString('utf8').split('\n');
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const [, id, name] = /^([0-9a-f]{40,64})\t(.+)$/.exec(line) ?? [];
      return id !== undefined && name !== undefined ? [[name, id]] : [];
    }),
  );
}

const NOT_THERE = /not appear to be a git repository|repository .*not found|does not exist|not found/i;
const NO_ACCESS =
  /permission denied|authentication failed|could not read (?:username|password)|access denied|403|401|terminal prompts disabled|host key verification failed/i;

/** The problem of reading a repository for the first time, in words for the person who named it. */
export function firstProblem(repo: string, error: unknown): unknown {
  if (!(error instanceof RemoteAway)) return error;
  if (NO_ACCESS.test(error.message))
    return new UsageError(`git has no access to ${repo} (${error.message}); try: git ls-remote ${repo}`);
  if (NOT_THERE.test(error.message))
    return new UsageError(
      `there is no repository at ${repo}, or git has no access to it; try: git ls-remote ${repo}`,
    );
  return error;
}
