/**
 * What is true of the runs of one repository: two refs a run on its remote, which move together in one atomic push, each
 * with a lease on where it was. Who holds no valid lease cannot publish.
 *
 *   refs/untildone/runs/<run>/journal   a commit each time something was published: its tree holds the files of the loop
 *   refs/untildone/runs/<run>/work      the workspace: the last commit of the run's branch, with one on top of it for what is
 *                                       not committed there
 *   refs/heads/untildone/<...>          the branch for people, pushed with the last publication of a run that ended
 */

/** Where the two refs of a run stand. `work` is absent until the first worker has published. */
export interface Refs {
  journal: string;
  work?: string;
}

/** Files of a publication by their path, such as `spec`, `journal.jsonl`, `contract.json`. */
export type RunFiles = Record<string, Buffer>;

export interface Publication {
  run: string;
  /** What this worker saw or published last. Anything else on the remote means that another one has gone on. */
  expected: Refs;
  files: RunFiles;
  /** The commit of the workspace, as `snapshot` made it; absent to leave the ref where it is. */
  work?: string;
  /** The branch for people, and its commit. */
  branch?: { name: string; commit: string };
  /** The first line of the journal's commit. */
  message: string;
}

export interface RemoteRuns {
  readonly repo: string;
  /** The commit that a branch, a tag or a commit's id leads to on the remote. Throws UsageError for one that is not there. */
  resolve(ref: string): Promise<string>;
  /** A file of a commit, without a checkout. */
  fileAt(commit: string, path: string): Promise<string | undefined>;
  /** All runs on the remote, in one call. */
  runs(): Promise<{ run: string; refs: Refs }[]>;
  /**
   * What was published of a run last; undefined for a run that the remote does not know. `seen`: where `runs` saw it a moment
   * ago; for who reads many, which are then fetched in one go.
   */
  read(run: string, seen?: Refs): Promise<{ refs: Refs; files: RunFiles } | undefined>;
  /** Makes the refs of a new run. `known`: it is there already, and stays as it is. */
  create(run: string, commit: string, files: RunFiles): Promise<'created' | 'known'>;
  /** Throws `Fenced` when the refs are not where they were expected, `RemoteAway` when it may be tried again. */
  publish(publication: Publication, from: string): Promise<Refs>;
  /**
   * Makes a checkout of a commit in a new folder: a repository of its own that shares the objects of the cache, so that
   * what a session does to its settings and hooks concerns no other run.
   */
  checkout(commit: string, folder: string): Promise<void>;
  /** Lays a workspace over a checkout: HEAD, branch, and what was not committed. */
  restore(folder: string, work: string, branch: string): Promise<void>;
  /** Makes the commit of a workspace. Secrets that git does not ignore stay out of it, and are named. */
  snapshot(folder: string): Promise<{ commit: string; head: string; leftOut: string[] }>;
  /** Removes the refs of a run, if they are where they are expected to be. */
  remove(run: string, expected: Refs): Promise<void>;
}
