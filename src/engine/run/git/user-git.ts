/** Git as the user would call it: with their identity, hooks and credentials, but without prompts. */
import { type GitResult, runGit } from '../../project/git.ts';
import { runUserGit, type UserRepository } from '../../project/trees/user-repository.ts';

/** A problem that only the user can solve. The message says what to type. */
export class RunGitError extends Error {}

export interface Identity {
  author: { name: string; email: string };
  committer: { name: string; email: string };
}

export interface UserGitCall {
  args: readonly string[];
  input?: Buffer | string;
  timeoutMs?: number;
}

/** One checkout of a repository, and the two ways in which a run calls git on it. */
export interface UserGit {
  repository: UserRepository;
  /** Without hooks and helpers: for reading, and for changes that hooks must not see. */
  quiet(call: UserGitCall): Promise<GitResult>;
  /** With the hooks and the credential helpers of the user. */
  asUser(call: UserGitCall, env?: Record<string, string>): Promise<GitResult>;
}

const QUIET_MS = 2 * 60_000;

export function userGit(
  repository: UserRepository,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): UserGit {
  return {
    repository,
    quiet: ({ timeoutMs = QUIET_MS, ...call }) =>
      withinTime(call.args, timeoutMs, signal, (limit) =>
        // A run began with the trust of a person, and its commits need the filters, such as that of LFS.
        runUserGit(repository, repository.top, { ...call, signal: limit, filters: true }),
      ),
    asUser: ({ args, timeoutMs = QUIET_MS, ...call }, more = {}) =>
      withinTime(args, timeoutMs, signal, (limit) =>
        runGit({
          ...call,
          args,
          lets: 'person',
          // The folder names the repository, not a variable: hooks expect only the variables that git sets.
          cwd: repository.top,
          env: { ...ownVariables(env), ...more },
          signal: limit,
        }),
      ),
  };
}

/** Variables by which the user sets identity, settings and access to remotes. */
const OWN =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|SSH|SSH_\w+|SSL_\w+|HTTP_\w+|PROXY_\w+)$/;

export function ownVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && OWN.test(entry[0]),
  );
  return Object.fromEntries(own);
}

async function withinTime(
  args: readonly string[],
  timeoutMs: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<GitResult>,
): Promise<GitResult> {
  const limit = AbortSignal.timeout(timeoutMs);
  const stop = signal ? AbortSignal.any([signal, limit]) : limit;
  try {
    return await call(stop);
  } catch (error) {
    if (!stop.aborted) throw error;
    const why = signal?.aborted
      ? 'was stopped'
      : `did not end within ${Math.round(timeoutMs / 1000)} s and was stopped`;
    throw new Error(`git ${args[0]} ${why}`);
  }
}

/** Who commits. Read at the start, so that a session cannot change the name later. */
export async function identityOf(git: UserGit): Promise<Identity> {
  const [author, committer] = [
    await identOf(git, 'GIT_AUTHOR_IDENT'),
    await identOf(git, 'GIT_COMMITTER_IDENT'),
  ];
  if (author && committer) return { author, committer };
  throw new RunGitError(
    'git does not know who you are, and commits carry your name; tell it: git config --global user.name "Your Name" && git config --global user.email you@example.com',
  );
}

async function identOf(git: UserGit, which: string): Promise<{ name: string; email: string } | undefined> {
  // Without this git makes up a name from the account and the machine.
  const { exitCode, stdout } = await git.asUser({ args: ['-c', 'user.useConfigOnly=true', 'var', which] });
  const [, name, email] = /^(.+) <([^<>]+)> \d+ [+-]\d+$/.exec(stdout.toString('utf8').trim()) ?? [];
  return exitCode === 0 && name && email ? { name, email } : undefined;
}

export function identityVariables({ author, committer }: Identity): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
  };
}

/** The last lines of git's output, without hints. */
export function lastWords(text: string, lines = 3): string {
  const said = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^hint:/.test(line));
  return said.slice(-lines).join(' | ');
}
