import { execFile } from 'node:child_process';
import { quoteForShell } from '../../core/shell/words.ts';
import { gitEnvironment } from '../../project/git.ts';
import type { RunGitRecord } from './record.ts';
import { text } from './status.ts';
import { lastWords, type UserGit } from './user-git.ts';

/** Makes a pull request of a branch: pushes, opens, and merges it when asked and green. Never by force. */

const REMOTE = 'origin';
const PUSH_MS = 15 * 60_000;

/** Pushes the branch. Undefined after success; else why it failed and what to type. */
export async function push(
  git: UserGit,
  branch: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const line = `git push -u ${REMOTE} ${branch}`;
  if (!(await hasRemote(git)))
    return `Not pushed: there is no remote named ${REMOTE}. Type: git remote add ${REMOTE} URL && ${line}`;
  const ref = `refs/heads/${branch}`;
  const args = [
    'push',
    '--quiet',
    '--no-follow-tags',
    '--recurse-submodules=no',
    '--set-upstream',
    REMOTE,
    `${ref}:${ref}`,
  ];
  const { exitCode, stderr } = await git.asUser({ args, timeoutMs: PUSH_MS }, await sshOf(git, env));
  if (exitCode === 0) return undefined;
  return `Not pushed: ${lastWords(stderr) || `git push ended with ${exitCode}`}. Everything is on branch ${branch} here. Type: ${line}`;
}

export async function hasRemote(git: UserGit): Promise<boolean> {
  return (await git.quiet({ args: ['remote', 'get-url', REMOTE] })).exitCode === 0;
}

export async function isPushed(git: UserGit, branch: string, commit: string): Promise<boolean> {
  const seen = await git.quiet({
    args: ['rev-parse', '--verify', '--quiet', `refs/remotes/${REMOTE}/${branch}`],
  });
  return text(seen) === commit;
}

/** The last commit of a branch on the remote; undefined when it cannot be fetched. */
export async function fetchBranch(
  git: UserGit,
  branch: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const args = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', REMOTE, `refs/heads/${branch}`];
  const { exitCode } = await git.asUser({ args, timeoutMs: PUSH_MS }, await sshOf(git, env));
  if (exitCode !== 0) return undefined;
  const ref = ['rev-parse', '--verify', '--quiet', `refs/remotes/${REMOTE}/${branch}`];
  return text(await git.quiet({ args: ref })) || undefined;
}

/** How the user calls ssh; without a setting, ssh must not ask questions. */
async function sshOf(git: UserGit, env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  if (env.GIT_SSH_COMMAND) return {};
  const { stdout } = await git.asUser({ args: ['config', '--get', 'core.sshCommand'] });
  const command = stdout.toString('utf8').trim() || (env.GIT_SSH ? quoteForShell(env.GIT_SSH) : '');
  return command === '' ? {} : { GIT_SSH_COMMAND: command };
}

interface PullRequestText {
  title: string;
  body: string;
  draft: boolean;
}

export type Opened = { url: string; draft: boolean; line: string } | { problem: string };

export async function openPullRequest(
  git: UserGit,
  gh: Gh,
  record: RunGitRecord,
  { title, body, draft }: PullRequestText,
): Promise<Opened> {
  const { branch, base } = record;
  const onto = base.branch;
  const isThere =
    onto !== undefined &&
    (await git.quiet({ args: ['rev-parse', '--verify', '--quiet', `refs/remotes/${REMOTE}/${onto}`] }))
      .exitCode === 0;
  const args = [
    'pr',
    'create',
    '--head',
    branch,
    ...(isThere ? ['--base', onto] : []),
    '--title',
    title,
    '--body-file',
    '-',
  ];
  const result = await gh.call(draft ? [...args, '--draft'] : args, body);
  // The session may have opened it, or a run that was killed before it could record it.
  const url = pullRequestUrl(
    result.ok || /already exists/i.test(result.problem) ? `${result.stdout}\n${result.problem}` : '',
  );
  if (url) return { url, draft: draft && result.ok, line: `Pull request${draft ? ' (draft)' : ''}: ${url}` };
  const typed = `gh ${args.map(quoteForShell).join(' ')}`;
  const say = draft ? `echo 'Not done yet.'` : `untildone receipt ${record.loop} --format md`;
  return {
    problem: `The branch is pushed, but no pull request was opened: ${result.problem}. Type: ${say} | ${typed}`,
  };
}

/** Updates title, text and draft state of an open pull request. */
export async function updatePullRequest(
  gh: Gh,
  { url, draft }: { url: string; draft: boolean },
  now: PullRequestText,
): Promise<Opened> {
  const edited = await gh.call(['pr', 'edit', url, '--title', now.title, '--body-file', '-'], now.body);
  if (!edited.ok)
    return { problem: `The branch is pushed, but the text of ${url} is an older one: ${edited.problem}` };
  if (!draft || now.draft) return { url, draft, line: `Pull request: ${url}` };
  const ready = await gh.call(['pr', 'ready', url]);
  return ready.ok
    ? { url, draft: false, line: `Pull request: ${url}` }
    : { problem: `${url} is still a draft: ${ready.problem}. Type: gh pr ready ${url}` };
}

const CHECKS_MS = 2 * 3_600_000;
/** How often checks are looked for: a service needs a moment before it shows those of a new commit. */
const LOOKS = 8;
const BETWEEN_LOOKS_MS = 15_000;

/**
 * Merges exactly this commit after every check has passed. `--auto` is not used: it merges at once where a repository
 * requires no checks. A commit without checks is not merged.
 */
export async function mergeWhenGreen(
  gh: Gh,
  url: string,
  commit: string,
  pause: (ms: number) => Promise<void>,
): Promise<string> {
  for (let look = 1; ; look++) {
    const checks = await gh.call(['pr', 'checks', url, '--watch', '--interval', '30'], '', CHECKS_MS);
    if (checks.ok) break;
    const none = /no checks reported/i.test(checks.problem);
    if (!none) return `Not merged: the checks are not green (${checks.problem}). Look: gh pr checks ${url}`;
    if (look === LOOKS)
      return `Not merged: there are no checks that could be green. Type: gh pr merge ${url}`;
    await pause(BETWEEN_LOOKS_MS);
  }
  const merged = await gh.call(['pr', 'merge', url, '--merge', '--match-head-commit', commit]);
  return merged.ok
    ? `Merged: every check of ${commit.slice(0, 10)} passed.`
    : `Not merged, although the checks passed: ${merged.problem}. Type: gh pr merge ${url}`;
}

interface GhResult {
  ok: boolean;
  stdout: string;
  /** What went wrong and what to do, in words. */
  problem: string;
}

interface Gh {
  /** Never rejects. */
  call(args: readonly string[], input?: string, timeoutMs?: number): Promise<GhResult>;
}

const CALL_MS = 2 * 60_000;
const MOST_OUTPUT = 1024 * 1024;
const QUIET = { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', GH_PAGER: 'cat', NO_COLOR: '1' };

export function ghIn(cwd: string, own: Record<string, string>, signal: AbortSignal | undefined): Gh {
  return {
    call: (args, input = '', timeoutMs = CALL_MS) =>
      new Promise((resolve) => {
        const env = gitEnvironment({ ...own, ...QUIET }, { lets: 'person' });
        const limits = { timeout: timeoutMs, maxBuffer: MOST_OUTPUT, signal };
        const child = execFile('gh', args, { cwd, env, ...limits }, (error, stdout, stderr) =>
          resolve({
            ok: error === null,
            stdout,
            problem: error ? problemOf(error, `${stderr}\n${stdout}`) : '',
          }),
        );
        // gh may end before it has read its input.
        child.stdin?.on('error', () => undefined);
        child.stdin?.end(input);
      }),
  };
}

/** Names the problem by gh's output, most specific first: its exit code is 1 for nearly everything. */
function problemOf(error: Error & { code?: unknown; killed?: boolean }, said: string): string {
  if (error.code === 'ENOENT') return 'gh is not installed (https://cli.github.com)';
  if (error.name === 'AbortError') return 'gh was stopped';
  if (error.killed) return 'gh did not answer in time';
  if (error.code === 4 || /gh auth login|HTTP 401/i.test(said)) return 'gh is not logged in: gh auth login';
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  return `gh says: ${lines.slice(0, 3).join(' | ') || error.message}`;
}

function pullRequestUrl(text: string): string | undefined {
  return /https?:\/\/[^\s]+\/pull\/\d+/.exec(text)?.[0];
}
