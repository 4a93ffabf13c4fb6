import type { Workspace } from '../../ports/ports.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { frozenBy, projectOf } from '../shared/asks.ts';
import {
  type Check,
  type ChecksState,
  checkRunsCommand,
  type Report,
  reportOf,
  stateOfChecks,
  statusesCommand,
} from './checks.ts';
import { ciTraits } from './traits.ts';

/** Pauses between two looks, as parts of the whole wait. Each is longer than the one before. */
const FIRST_PAUSE = 1 / 120;
const LONGEST_PAUSE = 1 / 10;
const GROWTH = 1.5;
/** After so many failures in a row, GitHub counts as unreachable. */
const PATIENCE = 3;
const NAMED_FILES = 10;
const COMMIT_AND_PUSH = 'Commit the work and push it.';
const PUSH = 'Push it: git push';

/** The checks of the pushed commit. GitHub has run them on exactly this commit. */
export const ciGate: Gate<'ci'> = {
  ...ciTraits,
  commands: () => [checkRunsCommand('COMMIT'), statusesCommand('COMMIT')],
  freeze: async (_, { workspace }) => ({ remotes: await remotesOf(workspace) }),
  async judge(options, context, signal) {
    const commit = await committed(context);
    if (typeof commit !== 'string') return commit;
    return waitForChecks(commit, options.checks, ciTraits.waitMs(options), context, signal);
  },
};

/** The commit that holds all of the work, or why there is none. */
async function committed(context: GateContext): Promise<string | Judgement> {
  const { workspace } = context;
  const head = await workspace.head();
  if (!head || !/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(head.commit))
    return failure('no commit', 'there is no commit that could have checks', [COMMIT_AND_PUSH]);
  const before = (frozenBy(context) as { remotes?: unknown } | undefined)?.remotes;
  if (typeof before === 'string' && before !== '' && before !== (await remotesOf(workspace))) {
    const summary = 'the remotes of the repository were changed since the loop began';
    return failure('remotes', summary, ['They were:', ...before.split('\n')]);
  }
  const args = ['status', '--porcelain', '--untracked-files=normal'];
  const status = await workspace.git(args, undefined, { filters: true });
  if (status.exitCode !== 0) return { outcome: 'unproven', summary: `git status: ${status.stderr.trim()}` };
  const dirty = status.stdout.split('\n').filter((line) => line !== '');
  if (dirty.length === 0) return head.commit;
  const summary = `no check has seen what is not committed: ${dirty.length} changes`;
  return failure('not committed', summary, [...dirty.slice(0, NAMED_FILES), COMMIT_AND_PUSH]);
}

/** The remotes that gh asks. They are frozen, so that the agent cannot lead gh to a repository with easier checks. */
async function remotesOf(workspace: Workspace): Promise<string> {
  const { stdout } = await workspace.git([
    'config',
    '--get-regexp',
    '^remote\\..*\\.(url|pushurl|gh-resolved)$',
  ]);
  // An address may carry a password.
  return stdout.trim().replace(/\/\/[^/@\s]*@/g, '//');
}

async function waitForChecks(
  commit: string,
  required: string[] | undefined,
  waitMs: number,
  context: GateContext,
  signal: AbortSignal,
): Promise<Judgement> {
  const began = performance.now();
  let [pause, failures] = [waitMs * FIRST_PAUSE, 0];
  for (;;) {
    const report = await reportOf(commit, { shell: context.shell, cwd: projectOf(context), signal });
    if (signal.aborted) return { outcome: 'unproven', summary: 'was stopped while it waited for the checks' };
    failures = report.is === 'unreachable' ? failures + 1 : 0;
    const isLast = performance.now() - began + pause > waitMs || failures === PATIENCE;
    const { judgement, mayChange } = await lookAt(report, required, commit, context.workspace);
    if (isLast || !mayChange) return judgement;
    await pauseFor(pause, signal);
    pause = Math.min(pause * GROWTH, waitMs * LONGEST_PAUSE);
  }
}

interface Look {
  judgement: Judgement;
  /** Whether waiting may change the judgement. */
  mayChange: boolean;
}

async function lookAt(
  report: Report,
  required: string[] | undefined,
  commit: string,
  workspace: Workspace,
): Promise<Look> {
  const short = commit.slice(0, 10);
  const unproven = (summary: string, evidence: string[] = []): Judgement => ({
    outcome: 'unproven',
    summary,
    evidence,
  });
  switch (report.is) {
    case 'refused':
      return { judgement: unproven(report.summary, [report.toDo]), mayChange: false };
    case 'unreachable':
      return { judgement: unproven(`GitHub cannot be reached: ${report.said}`), mayChange: true };
    case 'unknown_commit':
      // GitHub may need a moment for a commit that was just pushed.
      return (await isOnRemoteBranch(commit, workspace))
        ? { judgement: unproven(`GitHub does not know commit ${short} yet`), mayChange: true }
        : { judgement: failure('not pushed', `commit ${short} is not pushed`, [PUSH]), mayChange: false };
    case 'checks': {
      const { command, result } = report;
      const { exitCode = 0, outputSha256 } = result;
      const state = stateOfChecks(report.checks, required);
      const judgement = judgementOf(state, short);
      const proof = { command, exitCode, outputSha256 };
      return { judgement: { ...judgement, proof }, mayChange: state.is === 'pending' };
    }
  }
}

function judgementOf(state: ChecksState, short: string): Judgement {
  switch (state.is) {
    case 'passed':
      return { outcome: 'pass', summary: `checks of ${short} passed: ${namesOf(state.passed)}` };
    case 'failed': {
      const names = namesOf(state.failed);
      return failure(`failed ${names}`, `checks of ${short} failed: ${names}`, state.failed.map(sayCheck));
    }
    case 'pending':
      return {
        outcome: 'unproven',
        summary: `checks of ${short} are still open after the wait`,
        evidence: state.waitingFor,
      };
  }
}

function namesOf(checks: readonly Check[]): string {
  return checks.map(({ name }) => name).join(', ');
}

function sayCheck({ name, said, url }: Check): string {
  return url === undefined ? `${name}: ${said}` : `${name}: ${said} (${url})`;
}

async function isOnRemoteBranch(commit: string, workspace: Workspace): Promise<boolean> {
  const { stdout } = await workspace.git([
    'for-each-ref',
    '--count=1',
    `--contains=${commit}`,
    'refs/remotes',
  ]);
  return stdout.trim() !== '';
}

/** A failure. `about` is its fingerprint, without the name of a commit. */
function failure(about: string, summary: string, evidence: string[]): Judgement {
  return { outcome: 'fail', summary, evidence, fingerprint: about };
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
