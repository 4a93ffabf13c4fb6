import type { Shell, ShellResult } from '../../ports/ports.ts';

/** The checks of one commit, as GitHub reports them. */

export interface Check {
  name: string;
  state: 'passed' | 'failed' | 'pending';
  /** GitHub's own word for the state. */
  said: string;
  url?: string;
}

/** Reads what `gh api --jq` prints: one JSON object a line. Undefined for anything else. */
function parseChecks(output: string): Check[] | undefined {
  const checks: Check[] = [];
  for (const line of output.split('\n').filter((text) => text.trim() !== '')) {
    const check = parseCheck(line);
    if (!check) return undefined;
    checks.push(check);
  }
  return checks;
}

function parseCheck(line: string): Check | undefined {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const { name, status, conclusion, url } = fields;
  if (typeof name !== 'string' || typeof status !== 'string') return undefined;
  const said = status === 'completed' && typeof conclusion === 'string' ? conclusion : status;
  return { name, said, state: stateOf(said), url: typeof url === 'string' ? url : undefined };
}

const PASSED = new Set(['success', 'neutral', 'skipped']);
const PENDING = new Set(['queued', 'in_progress', 'waiting', 'requested', 'pending', 'expected']);

/** An unknown word counts as failed: GitHub may add new ones. */
function stateOf(said: string): Check['state'] {
  if (PASSED.has(said)) return 'passed';
  return PENDING.has(said) ? 'pending' : 'failed';
}

/** The state of all checks together. */
export type ChecksState =
  | { is: 'failed'; failed: Check[] }
  | { is: 'pending'; waitingFor: string[] }
  | { is: 'passed'; passed: Check[] };

/** Sums up checks. With `required`, only those count, and each must be there. Without, all count, and one must be there. */
export function stateOfChecks(
  checks: readonly Check[],
  required: readonly string[] | undefined,
): ChecksState {
  const counted = required ? checks.filter(({ name }) => required.includes(name)) : [...checks];
  const failed = counted.filter(({ state }) => state === 'failed');
  if (failed.length > 0) return { is: 'failed', failed };
  const absent = (required ?? []).filter((name) => !counted.some((check) => check.name === name));
  const open = counted
    .filter(({ state }) => state === 'pending')
    .map(({ name, said }) => `${name} (${said})`);
  const waitingFor = [...open, ...absent.map((name) => `${name} (not reported)`)];
  if (counted.length === 0 && waitingFor.length === 0) waitingFor.push('any check (none is reported)');
  return waitingFor.length > 0 ? { is: 'pending', waitingFor } : { is: 'passed', passed: counted };
}

export type Report =
  | { is: 'checks'; checks: Check[]; result: ShellResult; command: string }
  /** GitHub does not know the commit. */
  | { is: 'unknown_commit' }
  /** GitHub could not be reached; a later try may succeed. */
  | { is: 'unreachable'; said: string }
  /** You have to do something before gh works. */
  | { is: 'refused'; summary: string; toDo: string };

const CALL_MS = 60_000;

/** The command for check runs. gh fills in `{owner}` and `{repo}` from the remotes of its folder. */
export function checkRunsCommand(commit: string): string {
  return ghApi(`commits/${commit}/check-runs`, '.check_runs[] | {name, status, conclusion, url: .html_url}');
}

/** The command for commit statuses, which older services report. */
export function statusesCommand(commit: string): string {
  return ghApi(
    `commits/${commit}/status`,
    '.statuses[] | {name: .context, status: .state, url: .target_url}',
  );
}

/** A command line for gh. Every value in it is a constant, or the checked name of a commit. */
function ghApi(path: string, jq: string): string {
  return `gh api --paginate 'repos/{owner}/{repo}/${path}?per_page=100' --jq '${jq}'`;
}

export async function reportOf(
  commit: string,
  where: { shell: Shell; cwd: string; signal: AbortSignal },
): Promise<Report> {
  const runs = await ask(checkRunsCommand(commit), where);
  if (runs.is !== 'checks') return runs;
  const statuses = await ask(statusesCommand(commit), where);
  return statuses.is === 'checks' ? { ...runs, checks: [...runs.checks, ...statuses.checks] } : statuses;
}

async function ask(
  command: string,
  { shell, cwd, signal }: { shell: Shell; cwd: string; signal: AbortSignal },
): Promise<Report> {
  const env = { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', GH_PAGER: 'cat' };
  const result = await shell.run({ command, cwd, env, timeoutMs: CALL_MS, signal, isOurs: true });
  if (result.exitCode !== 0) return problemOf(result);
  const checks = parseChecks(result.stdout);
  return checks
    ? { is: 'checks', checks, result, command }
    : {
        is: 'refused',
        summary: 'the answer of gh cannot be read',
        toDo: 'Update gh: https://cli.github.com',
      };
}

const LOG_IN = 'A person runs: gh auth login';

/** Finds the problem in the output of gh, because its exit code is 1 for nearly everything. Most specific first. */
function problemOf({ exitCode, endedBy, output }: ShellResult): Report {
  // gh prints the body of the answer first, without a line break.
  const said = (output.trim().split('\n').at(-1) ?? '').replace(/^.*\bgh: /, '');
  if (endedBy === 'timeout') return { is: 'unreachable', said: 'gh did not answer in time' };
  if (exitCode === 127)
    return {
      is: 'refused',
      summary: 'gh is not installed',
      toDo: `Install it (https://cli.github.com). ${LOG_IN}`,
    };
  if (exitCode === 4 || /gh auth login|HTTP 401|authentication/i.test(output))
    return { is: 'refused', summary: 'gh is not logged in', toDo: LOG_IN };
  if (/HTTP 422|No commit found/i.test(output)) return { is: 'unknown_commit' };
  if (/rate limit/i.test(output)) return { is: 'unreachable', said };
  if (/HTTP 40[34]/i.test(output))
    return {
      is: 'refused',
      summary: `GitHub does not show the repository: ${said}`,
      toDo: `Check the rights of the login. ${LOG_IN}`,
    };
  if (/no git remotes|none of the git remotes|not a git repository/i.test(output))
    return { is: 'refused', summary: said, toDo: 'Add the GitHub repository as a remote.' };
  return { is: 'unreachable', said: said || `gh ended with ${exitCode ?? endedBy}` };
}
