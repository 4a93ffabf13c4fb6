import { setTimeout as wait } from 'node:timers/promises';
import { hasEnded, isDone, type LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import {
  asksForChecks,
  commitMessage,
  isWorthKeeping,
  lacksOnlyCommit,
  passingOf,
  progressSince,
  pullRequestText,
  pullRequestTitle,
} from '../../core/run/progress.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { defined } from '../../core/text/defined.ts';
import { traitsOf } from '../../gates/traits.ts';
import type { FinishWords, RunGitPort } from '../../ports/ports.ts';
import { isAncestor, type Merged, mergeInto, type Refusal } from '../parallel/merge.ts';
import { howToMerge, removeWorktree, sayHead } from './branch-or-worktree.ts';
import { commitAll } from './commit.ts';
import {
  fetchBranch,
  ghIn,
  isPushed,
  mergeWhenGreen,
  openPullRequest,
  push,
  updatePullRequest,
} from './pull-request.ts';
import {
  type ChildWork,
  type GitAccess,
  type RunGitRecord,
  readRunGitRecord,
  removeRunGitRecord,
  writeRunGitRecord,
} from './record.ts';
import {
  changedSince,
  files,
  type GitSetup,
  type Head,
  headOf,
  notCommitted,
  setupOf,
  text,
  uncommittedIn,
  underWay,
} from './status.ts';
import { ownVariables, type UserGit } from './user-git.ts';

/** The git work of a run: commits progress, merges children, and publishes the result. */
export class RunGit implements RunGitPort {
  readonly folder: string;
  readonly branch: string;
  readonly notes: readonly string[];
  #record: RunGitRecord;
  readonly #access: GitAccess;

  constructor(record: RunGitRecord, notes: readonly string[], access: GitAccess) {
    this.folder = record.folder;
    this.branch = record.branch;
    this.notes = notes;
    this.#record = record;
    this.#access = access;
  }

  startsFrom(baseline: readonly Verdict[]): void {
    this.#write({ kept: { ...this.#record.kept, passing: passingOf(baseline, traitsOf) } });
  }

  keep(state: LoopState, verdicts: readonly Verdict[]): Promise<string[]> {
    return inWords('Not committed', async () => {
      const progress = progressSince(this.#record.kept.passing, verdicts, traitsOf);
      if (progress.lost.length > 0)
        return [
          `Not committed: passed at the last commit and does not pass now: ${progress.lost.join(', ')}`,
        ];
      if (!isWorthKeeping(progress, state, verdicts, traitsOf)) return [];
      const problem = await this.#problem();
      if (problem) return [`Not committed: ${problem}`];
      const { task } = this.#record;
      const lines = await this.#commit(commitMessage({ task, state, verdicts, progress }), verdicts);
      const isForChecks = lacksOnlyCommit(verdicts, traitsOf) && asksForChecks(verdicts, traitsOf);
      const waits = this.#record.mode === 'pr' && isForChecks;
      return waits ? [...lines, ...(await this.#publishForChecks(state))] : lines;
    });
  }

  async finish(state: LoopState, receipt: string | undefined, say: FinishWords = 'all'): Promise<string[]> {
    const lines = await this.#finish(state, receipt, say);
    if (hasEnded(state)) this.#write({ finished: true });
    return lines;
  }

  /** Whether the run works beside the user's tree, in a checkout that holds only what git tracks. */
  get isBeside(): boolean {
    return this.#record.worktree !== undefined;
  }

  /** The run goes on after its end. */
  goesOn(): void {
    if (this.#record.finished) this.#write({ finished: undefined });
  }

  #finish(state: LoopState, receipt: string | undefined, say: FinishWords): Promise<string[]> {
    return inWords('Git', async () => {
      const { git } = this.#access;
      const { base, mode } = this.#record;
      const head = await headOf(git);
      if (head?.branch !== this.branch)
        return [`${await this.#elsewhere()}; what was committed before is on branch ${this.branch}.`];
      const left = await leftIn(git);
      const range = `${base.commit}..${head.commit}`;
      const commits = Number(text(await git.quiet({ args: ['rev-list', '--count', range] })));
      const lines = say === 'published' ? [] : this.#whatIsThere(commits, left);
      if (mode !== 'pr' || say === 'here') return lines;
      const whyNot = this.#whyNotPublished(state, commits);
      if (whyNot) return [...lines, whyNot];
      return [...lines, ...(await this.#publish(state, receipt, left === 0 && isDone(state.status)))];
    });
  }

  get setups(): readonly GitSetup[] {
    return this.#access.setups;
  }

  /** The gates that passed at the last commit. */
  get passing(): readonly string[] {
    return this.#record.kept.passing.gates;
  }

  /** Whether the branch holds resolved conflicts, which no branch of a child has. */
  get hasResolvedConflicts(): boolean {
    return this.#record.settled === true;
  }

  /** The last commit of the branch, the number of its commits, and the number of uncommitted files. */
  async standing(): Promise<{ commit: string; commits: number; left: number }> {
    const { git } = this.#access;
    const commit = text(await git.quiet({ args: ['rev-parse', '--verify', `refs/heads/${this.branch}`] }));
    const range = `${this.#record.base.commit}..${commit}`;
    const commits = Number(text(await git.quiet({ args: ['rev-list', '--count', range] })));
    return { commit, commits, left: await leftIn(git) };
  }

  /** Merges the work of a child, if every gate that passed still passes. Only in a worktree of the run. */
  async merge({ judge, ...work }: ChildWork): Promise<Merged> {
    const { git, identity } = this.#access;
    const head = await headOf(git);
    if (this.#record.worktree === undefined || head?.branch !== this.branch)
      return { kind: 'refused', why: await this.#elsewhere() };
    const changed = await this.#changedSetup();
    if (changed) return { kind: 'refused', why: changed };
    let verdicts: readonly Verdict[] = [];
    const refuse = async (): Promise<Refusal | undefined> => {
      verdicts = await judge();
      const { lost } = progressSince(this.#record.kept.passing, verdicts, traitsOf);
      if (lost.length > 0) return { kind: 'regressed', lost };
      const why = await this.#changedSetup();
      return why === undefined ? undefined : { kind: 'refused', why };
    };
    const resolveConflict: ChildWork['resolveConflict'] = (path, sides) => {
      const text = work.resolveConflict(path, sides);
      if (text !== undefined) this.#write({ settled: true });
      return text;
    };
    const merged = await mergeInto(git, { ...work, resolveConflict, refuse }, identity);
    if (merged.kind === 'merged')
      this.#write({ kept: { commit: merged.commit, passing: passingOf(verdicts, traitsOf) } });
    return merged;
  }

  /** Whether this commit is part of the branch. */
  has(commit: string): Promise<boolean> {
    return isAncestor(this.#access.git, commit, `refs/heads/${this.branch}`);
  }

  /** The commit that new work begins at; `merged`: as it is on the remote, where pull requests were merged. */
  async freshBase(merged: boolean): Promise<Head> {
    const { base } = this.#record;
    const { own, world } = this.#access;
    const there = merged && base.branch ? await fetchBranch(own, base.branch, world.env) : undefined;
    return there && (await isAncestor(own, base.commit, there)) ? { ...base, commit: there } : base;
  }

  /** Removes the worktree after the merge. False when it holds files that git does not know. */
  async clearAway(keepBranch: boolean): Promise<boolean> {
    const { own } = this.#access;
    const { worktree } = this.#record;
    return worktree === undefined || removeWorktree(own, worktree, this.branch, { force: false, keepBranch });
  }

  /** Removes the worktree of a child whose checkout cannot be opened any more. */
  async clearAwayOf(child: string, keepBranch: boolean): Promise<void> {
    const { git, world } = this.#access;
    const { worktree, branch } = readRunGitRecord(world.home, child) ?? {};
    if (worktree && branch) await removeWorktree(git, worktree, branch, { force: false, keepBranch });
  }

  #whatIsThere(commits: number, left: number): string[] {
    const { base, worktree, project } = this.#record;
    const merge = howToMerge({ branch: this.branch, base }, worktree === undefined ? undefined : project);
    return [
      ...(left > 0 ? [`${notCommitted(left)}: it stays in ${worktree ?? this.folder}.`] : []),
      commits === 0
        ? `No commit was made on ${this.branch}.`
        : `${commits === 1 ? '1 commit' : `${commits} commits`} on ${this.branch}. ${merge}`,
      ...(worktree === undefined
        ? []
        : [`The worktree stays in ${worktree}. Remove it: git worktree remove ${quoteForShell(worktree)}`]),
    ];
  }

  #whyNotPublished(state: LoopState, commits: number): string | undefined {
    if (!hasEnded(state)) return 'Nothing is pushed while the run is paused: it is when the run ends.';
    if (state.status === 'cancelled') return `The run was cancelled: nothing is pushed. ${this.#typePush()}`;
    return commits === 0 ? 'There is nothing to open a pull request for.' : undefined;
  }

  takeBack(): Promise<string[]> {
    return inWords('Git', async () => {
      const { git, own, world } = this.#access;
      const { base, worktree, loop } = this.#record;
      const head = await headOf(git);
      if (head?.branch !== this.branch || head.commit !== base.commit)
        return [`Branch ${this.branch} stays: there is work on it.`];
      if (worktree !== undefined) {
        if (!(await removeWorktree(own, worktree, this.branch, { force: false })))
          return [`The worktree ${worktree} stays: there is work in it.`];
      } else {
        const back = base.branch === undefined ? ['--detach', base.commit] : [base.branch];
        await own.quiet({ args: ['checkout', '--quiet', ...back] });
        await own.quiet({ args: ['branch', '--quiet', '--delete', this.branch] });
      }
      removeRunGitRecord(world.home, loop);
      return [];
    });
  }

  async #commit(message: string, verdicts: readonly Verdict[]): Promise<string[]> {
    const { git, identity } = this.#access;
    const before = await headOf(git);
    const passing = passingOf(verdicts, traitsOf);
    this.#write({ pending: { on: before?.commit ?? '', passing } });
    const made = await commitAll(git, this.folder, message, identity);
    const { pending: _, ...record } = this.#record;
    this.#record = record;
    if (made.kind === 'refused') {
      this.#write({});
      return [`Not committed, the work stays in ${this.folder}: ${made.why}`];
    }
    const commit = made.kind === 'made' ? made.commit : (before?.commit ?? '');
    const bySession = made.kind === 'nothing' && commit !== this.#record.kept.commit;
    this.#write({ kept: { commit, passing } });
    const short = commit.slice(0, 10);
    return [
      ...(made.kind === 'made'
        ? [`Committed ${files(made.files)} as ${short}: ${message.split('\n')[0]}`]
        : []),
      ...(made.kind === 'made' && made.changed
        ? ['A hook changed it: it is not exactly what was judged.']
        : []),
      ...(bySession ? [`The session has committed itself: ${this.branch} is at ${short}.`] : []),
      ...(made.leftOut.length > 0 ? [`Left out, for you to look at: ${made.leftOut.join(', ')}`] : []),
    ];
  }

  /** Why nothing may be committed or pushed now; undefined when it may. */
  async #problem(): Promise<string | undefined> {
    const { git } = this.#access;
    if ((await headOf(git))?.branch !== this.branch) return this.#elsewhere();
    const going = underWay(git);
    if (going) return `the session has begun a ${going} and not ended it`;
    return this.#changedSetup();
  }

  async #changedSetup(): Promise<string | undefined> {
    const { git, setups } = this.#access;
    const changed = changedSince(setups, await setupOf(git));
    if (!changed) return undefined;
    const what =
      changed === 'hooks' ? 'the git hooks' : 'git settings (identity, remotes, filters or programs)';
    return `${what} of this repository were changed since the run began, and would run or be used in your name. Look at them; from the next untildone run --resume ${this.#record.loop} on they count`;
  }

  async #elsewhere(): Promise<string> {
    const head = await headOf(this.#access.git);
    return `the session has left branch ${this.branch} (now on ${head ? sayHead(head) : 'no commit'})`;
  }

  /** Publishes work that lacks only the checks of a service, so that the service can check it. */
  async #publishForChecks(state: LoopState): Promise<string[]> {
    const { git } = this.#access;
    const head = await headOf(git);
    if (!head || (await leftIn(git)) > 0) return [];
    if (this.#record.pullRequest && (await isPushed(git, this.branch, head.commit))) return [];
    return this.#publish(state, undefined, true);
  }

  async #publish(state: LoopState, receipt: string | undefined, whole: boolean): Promise<string[]> {
    const { git, world } = this.#access;
    const problem = await this.#problem();
    if (problem) return [`Not pushed: ${problem}. ${this.#typePush()}`];
    const notPushed = await push(git, this.branch, world.env);
    if (notPushed) return [notPushed];
    const gh = ghIn(git.repository.top, ownVariables(world.env), world.signal);
    const title = pullRequestTitle(this.#record.task, state, whole);
    const now = { title, body: pullRequestText(state, receipt), draft: !whole };
    const open = this.#record.pullRequest;
    const opened = open
      ? await updatePullRequest(gh, open, now)
      : await openPullRequest(git, gh, this.#record, now);
    this.#access.setups.push(await setupOf(git));
    if ('problem' in opened) return [opened.problem];
    const { url, draft, line } = opened;
    this.#write({ pullRequest: { url, draft } });
    if (!this.#record.merge || !hasEnded(state)) return [line];
    if (state.status !== 'verified_done' || !whole)
      return [line, 'Not merged: only what was verified whole is.'];
    world.note?.(`Waiting for the checks of ${url}`);
    const commit = (await headOf(git))?.commit ?? '';
    return [line, await mergeWhenGreen(gh, url, commit, this.#pause())];
  }

  #pause(): (ms: number) => Promise<void> {
    const { pause, signal } = this.#access.world;
    return pause ?? ((ms) => wait(ms, undefined, signal ? { signal } : {}));
  }

  #typePush(): string {
    return `Type: git push -u origin ${this.branch}`;
  }

  #write(changes: Partial<RunGitRecord>): void {
    this.#record = { ...this.#record, ...defined(changes) };
    writeRunGitRecord(this.#access.world.home, this.#record);
  }
}

async function leftIn(git: UserGit): Promise<number> {
  const { paths, nested } = await uncommittedIn(git);
  return paths.length + nested.length;
}

/** Returns an error as a line: a run goes on when git fails. */
async function inWords(what: string, work: () => Promise<string[]>): Promise<string[]> {
  try {
    return await work();
  } catch (error) {
    return [`${what}: ${(error as Error).message}`];
  }
}
