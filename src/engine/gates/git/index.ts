import type { GitCheck } from '../../core/contract/gate-options.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { describeEntry, type GitStatus, type HiddenChange, hiddenChanges, parseStatus } from './status.ts';
import { gitTraits } from './traits.ts';

const MAX_FILES = 20;

interface Facts {
  status: GitStatus;
  hidden: HiddenChange[];
  /** The paths that changed since the start; undefined when the start is not known. */
  changed?: Set<string>;
  /** Commits since the start; undefined when the start is not known. */
  commits?: number;
}

interface Problem {
  summary: string;
  evidence?: string[];
  next?: string;
}

/**
 * The state of your repository, in the folder of the project.
 * - `clean`: nothing changed, nothing untracked that is not ignored.
 * - `committed`: no tracked file is changed, and every file that is new since the start is in a commit.
 * - `pushed`: the upstream has every commit, as far as this machine knows; the network is not asked.
 * - `branch`: on the named branch, or on any when none is named.
 */
export const gitGate: Gate<'git'> = {
  ...gitTraits,
  async judge(options, context, signal) {
    const status = await readStatus(context, signal);
    if (status === undefined) return { outcome: 'fail', summary: 'the project is not in a git repository' };
    const facts = await gather(options.checks, status, context, signal);
    const passed: string[] = [];
    const problems: Problem[] = [];
    for (const check of options.checks) {
      const found = await CHECKS[check](facts, context, signal, options.branch);
      if (typeof found === 'string') passed.push(found);
      else problems.push(found);
    }
    return problems.length === 0
      ? { outcome: 'pass', summary: passed.join('; ') || 'nothing was asked' }
      : failed(problems);
  },
};

function failed(problems: readonly Problem[]): Judgement {
  const evidence = [...new Set(problems.flatMap((problem) => problem.evidence ?? []))];
  const next = problems.flatMap((problem) => problem.next ?? []).join('; ');
  return {
    outcome: 'fail',
    summary: problems.map((problem) => problem.summary).join('; '),
    evidence: evidence.length > 0 ? evidence : undefined,
    next: next === '' ? undefined : next,
  };
}

async function readStatus(context: GateContext, signal: AbortSignal): Promise<GitStatus | undefined> {
  const args = [
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--untracked-files=all',
    '--ignore-submodules=none',
  ];
  const [status, prefix] = await Promise.all([
    context.workspace.git([...args, '--', '.'], signal, { filters: true }),
    context.workspace.git(['rev-parse', '--show-prefix'], signal),
  ]);
  if (status.exitCode === 0) return parseStatus(status.stdout, prefix.stdout.replace(/\n$/, ''));
  if (status.stderr.includes('not a git repository')) return undefined;
  throw new Error(`git status failed: ${status.stderr.trim()}`);
}

async function gather(
  checks: readonly GitCheck[],
  status: GitStatus,
  context: GateContext,
  signal: AbortSignal,
): Promise<Facts> {
  const { request, tree, workspace } = context;
  const { tree: baseTree, commit: baseCommit } = request.base;
  const facts: Facts = { status, hidden: [] };
  if (checks.includes('clean') || checks.includes('committed')) {
    facts.hidden = await hiddenChanges(context, status, signal);
  }
  if (!checks.includes('committed')) return facts;
  if (baseTree !== undefined && tree !== undefined) {
    facts.changed = new Set((await workspace.changes(baseTree, tree)).map((change) => change.path));
  }
  if (baseCommit !== undefined && status.commit !== undefined) {
    const { stdout } = await workspace.git(['rev-list', '--count', `${baseCommit}..HEAD`], signal);
    facts.commits = Number(stdout.trim() || 0);
  }
  return facts;
}

/** Returns what holds as words, or the problem. */
type Check = (
  facts: Facts,
  context: GateContext,
  signal: AbortSignal,
  branch: string | undefined,
) => string | Problem | Promise<string | Problem>;

const CHECKS: Record<GitCheck, Check> = {
  clean({ status, hidden }) {
    const files = [...status.entries.map(describeEntry), ...hidden.map(describeHidden)];
    if (files.length === 0) return 'the working tree is clean';
    return {
      summary: `the working tree is not clean: ${count(files.length, 'file')}`,
      evidence: firstOf(files),
    };
  },

  committed({ status, hidden, changed, commits }) {
    const open = status.entries.filter((entry) => entry.kind !== 'untracked' || changed?.has(entry.path));
    const files = [...open.map(describeEntry), ...hidden.map(describeHidden)];
    if (files.length > 0) {
      return {
        summary: `${count(files.length, 'changed file')} not committed`,
        evidence: firstOf(files),
        next: 'commit the work',
      };
    }
    if (changed?.size === 0) return 'nothing has changed since the start';
    return commits === undefined
      ? 'everything is committed'
      : `everything is committed (${count(commits, 'commit')} since the start)`;
  },

  async pushed({ status }, { workspace }, signal) {
    const { branch, upstream, ahead, commit } = status;
    if (commit === undefined) return { summary: 'there is no commit to push' };
    if (branch === undefined) return { summary: 'HEAD is detached: there is no branch to push' };
    if (upstream === undefined)
      return withoutUpstream(branch, (await workspace.git(['remote'], signal)).stdout);
    if (ahead === undefined) {
      return { summary: `${upstream}, the upstream of ${branch}, is gone`, next: 'push the branch again' };
    }
    const ref = await workspace.git(['rev-parse', '--symbolic-full-name', '@{upstream}'], signal);
    if (!ref.stdout.startsWith('refs/remotes/')) {
      return {
        summary: `${upstream}, the upstream of ${branch}, is a branch of this repository, not of a remote`,
      };
    }
    if (ahead === 0) return `${branch} is pushed to ${upstream}`;
    const log = await workspace.git(
      ['log', '--oneline', `--max-count=${MAX_FILES}`, '@{upstream}..HEAD'],
      signal,
    );
    return {
      summary: `${count(ahead, 'commit')} of ${branch} not pushed to ${upstream}`,
      evidence: log.stdout.split('\n').filter((line) => line !== ''),
      next: 'git push',
    };
  },

  branch({ status }, _context, _signal, wanted) {
    const { branch } = status;
    if (branch === undefined) return { summary: `HEAD is detached${wanted ? `, not on ${wanted}` : ''}` };
    if (wanted === undefined || branch === wanted) return `on the branch ${branch}`;
    return { summary: `on the branch ${branch}, not on ${wanted}` };
  },
};

function withoutUpstream(branch: string, remotes: string): Problem {
  const names = remotes.split('\n').filter((line) => line !== '');
  const remote = names.includes('origin') ? 'origin' : names[0];
  if (remote === undefined) return { summary: `${branch} cannot be pushed: the repository has no remote` };
  return { summary: `${branch} has no upstream`, next: `git push --set-upstream ${remote} ${branch}` };
}

function describeHidden({ path, how }: HiddenChange): string {
  return `not committed, hidden from git status by ${how}: ${path}`;
}

function firstOf(files: string[]): string[] {
  const rest = files.length - MAX_FILES;
  return rest > 0 ? [...files.slice(0, MAX_FILES), `and ${rest} more`] : files;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
