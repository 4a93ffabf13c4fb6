/** What a run of a fleet is told: written and sealed when it is submitted, and when a person retries it. Holds no secrets. */
import type { RunChoices } from '../run/options.ts';
import { oneLine } from '../text/clip.ts';

export interface RunSpec extends RunChoices {
  v: 1;
  /** The id of the run, which is the id of its loop, too. */
  run: string;
  /** The repository's URL, without credentials. */
  repo: string;
  /** The branch or tag that was named, and the commit that it led to. The run begins at that commit. */
  ref: string;
  commit: string;
  /** The project's folder in the repository; absent for its top. */
  folder?: string;
  task: string;
  /** The text of a contract that was brought along (`--contract`); absent where untildone.yaml of the commit counts. */
  contract?: string;
  /** A feature list in the repository, and the only features of it that this run is about. */
  features?: { file: string; only?: string[] };
  /** What the worker has to offer. */
  labels: string[];
  /** 0 comes first. */
  priority: number;
  /** Runs that have to be done before this one begins. Those of the same repository are what it begins with. */
  after: string[];
  /** Variables of the worker's environment that the run gets, by name. */
  env: string[];
  /** After so many takes in a row without a published iteration, it goes to the dead letters. */
  attempts: number;
  submittedAt: number;
  /** It begins no earlier. */
  notBefore?: number;
  /** The key that makes submitting it again do nothing. */
  key?: string;
  /** The schedule that submitted it. */
  schedule?: string;
  /** A person took it up again then: what was asked before counts no more, and it begins whatever `notBefore` says. */
  again?: number;
}

export const DEFAULT_ATTEMPTS = 5;

const TITLE = 120;

/** The first line of a task that says something. */
export function titleOf(task: string): string {
  return oneLine(task.trim().split('\n', 1)[0] ?? '', TITLE);
}
