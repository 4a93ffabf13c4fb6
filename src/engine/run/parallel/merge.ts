import { callsFor } from '../../core/loop/plan-gates.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { inBaseline } from '../../hook/start/start-loop.ts';
import { judge } from '../../judging/judge.ts';
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { decodeName, encodeName } from '../../project/trees/git-output.ts';
import { headOf, must, text, underWay } from '../git/status.ts';
import { lastWords, type UserGit } from '../git/user-git.ts';

/** Merges a branch into the worktree of a run. The result is judged before it is kept, and undone when it is not. */
export interface Incoming {
  commit: string;
  message: string;
  /** The merged text of a file that both sides changed; undefined where somebody has to read it. */
  resolveConflict(path: string, sides: { base: string; ours: string; theirs: string }): string | undefined;
  /** Why the merged work is not kept; undefined when it is. */
  refuse(): Promise<Refusal | undefined>;
}

export type Refusal = { kind: 'regressed'; lost: string[] } | { kind: 'refused'; why: string };

export type Merged =
  | { kind: 'merged'; commit: string }
  | { kind: 'conflict'; files: string[] }
  /** An earlier try was killed after its commit. */
  | { kind: 'in_already' }
  | Refusal;

const MERGE_MS = 10 * 60_000;
/** Hooks run tests and formatters. */
const COMMIT_MS = 15 * 60_000;

/**
 * Merges in a worktree that nobody else uses: uncommitted changes are thrown away. Looks first whether an earlier try has
 * merged the commit already.
 */
export async function mergeInto(
  git: UserGit,
  incoming: Incoming,
  identity: Record<string, string>,
): Promise<Merged> {
  await giveUp(git);
  const before = await headOf(git);
  if (!before) return { kind: 'refused', why: 'there is no commit to merge into' };
  if (await isAncestor(git, incoming.commit, before.commit)) return { kind: 'in_already' };
  const ways = [
    '--no-ff',
    '--no-commit',
    '--no-autostash',
    '--no-verify-signatures',
    '--no-rerere-autoupdate',
  ];
  const tried = await git.quiet({ args: ['merge', ...ways, incoming.commit], timeoutMs: MERGE_MS });
  const conflicts = await resolveConflicts(git, incoming, tried.exitCode === 0);
  if (conflicts.left.length > 0) return leave(git, { kind: 'conflict', files: conflicts.left });
  if (tried.exitCode !== 0 && conflicts.made === 0)
    return leave(git, { kind: 'refused', why: lastWords(tried.stderr) || 'git merge failed' });
  const refusal = await incoming.refuse();
  if (refusal) return leave(git, refusal);
  const why = await commitMerge(git, incoming.message, identity);
  const after = await headOf(git);
  if (!after || after.commit === before.commit) return leave(git, { kind: 'refused', why });
  return { kind: 'merged', commit: after.commit };
}

export async function isAncestor(git: UserGit, commit: string, of: string): Promise<boolean> {
  return (await git.quiet({ args: ['merge-base', '--is-ancestor', commit, of] })).exitCode === 0;
}

/** Resets to the last commit. Files that git does not know stay. */
async function giveUp(git: UserGit): Promise<void> {
  if (underWay(git) === 'merge') await git.quiet({ args: ['merge', '--abort'] });
  await must(git.quiet({ args: ['reset', '--quiet', '--hard', 'HEAD'], timeoutMs: MERGE_MS }), 'reset');
}

async function leave(git: UserGit, result: Merged): Promise<Merged> {
  await giveUp(git);
  return result;
}

/** Resolves the conflicts that need no understanding; `left` are the files that somebody has to read. */
async function resolveConflicts(
  git: UserGit,
  incoming: Incoming,
  isClean: boolean,
): Promise<{ made: number; left: string[] }> {
  if (isClean) return { made: 0, left: [] };
  const listed = await must(
    git.quiet({ args: ['diff', '--name-only', '--diff-filter=U', '-z'] }),
    'diff --diff-filter=U',
  );
  const paths = decodeName(listed.stdout)
    .split('\0')
    .filter((path) => path !== '');
  const left: string[] = [];
  for (const path of paths) if (!(await resolveFile(git, incoming, path))) left.push(path);
  return { made: paths.length - left.length, left };
}

async function resolveFile(git: UserGit, incoming: Incoming, path: string): Promise<boolean> {
  const [base, ours, theirs] = [
    await stage(git, 1, path),
    await stage(git, 2, path),
    await stage(git, 3, path),
  ];
  if (!ours || !theirs) return false;
  const merged = incoming.resolveConflict(path, {
    base: base?.content ?? '',
    ours: ours.content,
    theirs: theirs.content,
  });
  if (merged === undefined) return false;
  const written = await must(
    git.quiet({ args: ['hash-object', '-w', '--stdin'], input: merged }),
    'hash-object',
  );
  const line = Buffer.concat([
    Buffer.from(`${ours.mode} ${text(written)} 0\t`),
    encodeName(path),
    Buffer.from([0]),
  ]);
  await must(git.quiet({ args: ['update-index', '-z', '--index-info'], input: line }), 'update-index');
  const input = Buffer.concat([encodeName(path), Buffer.from([0])]);
  await must(git.quiet({ args: ['checkout-index', '--force', '-z', '--stdin'], input }), 'checkout-index');
  return true;
}

/** One side of a conflict; undefined when the file does not exist there. */
async function stage(
  git: UserGit,
  number: 1 | 2 | 3,
  path: string,
): Promise<{ mode: string; content: string } | undefined> {
  const args = ['ls-files', '--stage', '-z', '--', `:(top,literal)${path}`];
  const entries = (await git.quiet({ args })).stdout.toString('utf8').split('\0');
  const [mode, object, of] =
    entries.find((entry) => entry.split(/[ \t]/)[2] === String(number))?.split(/[ \t]/) ?? [];
  if (!mode || !object || !of) return undefined;
  const { exitCode, stdout } = await git.quiet({ args: ['cat-file', 'blob', object] });
  return exitCode === 0 ? { mode, content: stdout.toString('utf8') } : undefined;
}

/** Returns the last output of git or of a hook. Whether there is a commit, HEAD tells. */
async function commitMerge(git: UserGit, message: string, identity: Record<string, string>): Promise<string> {
  const args = ['commit', '--quiet', '--no-gpg-sign', '--cleanup=whitespace', '--file=-'];
  try {
    const { exitCode, stderr } = await git.asUser({ args, input: message, timeoutMs: COMMIT_MS }, identity);
    return lastWords(stderr) || `git commit ended with ${exitCode}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Judges merged work by the gates of a baseline, so that no model is asked. */
export async function judgeMerge(ref: LoopRef, ports: Ports): Promise<Verdict[]> {
  const { store } = ports;
  const frozen = store.contract(ref);
  const { session, base, allowed } = store.read(ref);
  const { verdicts } = await judge(
    {
      calls: inBaseline(callsFor(frozen.contract.done, frozen.contract)),
      ...frozen,
      session,
      task: store.task(ref),
      outputDir: store.outputDir(ref),
      base,
      allowed,
      toolRan: true,
    },
    await ports.judges(frozen.contract),
  );
  return verdicts;
}
