import type { RunSpec } from '../../engine/core/fleet/spec.ts';
import type { JobView } from '../../engine/ports/fleet.ts';
import type { MirroredJournal } from './mirrored-journal.ts';

/** What is known of a run of the fleet on this machine. */
export interface KnownRun {
  job: JobView;
  spec: RunSpec;
  /** The name of its repository's folder in the home. */
  project: string;
  journal: MirroredJournal;
  /** How many lines of the engine were read. */
  cursor: number;
  /** What told of its lines when they were read last. */
  readAt: string;
  /** It has ended, and there is nothing more to read. */
  isOver: boolean;
  /** The engine does not have all of its journal: the rest is in git. */
  lacksLines: boolean;
  /** When git was asked last, and where the run stood then. */
  asked?: { mark: string; at: number };
  /** Digests of the files of a publication that are here. */
  files: Map<string, string>;
}

/** Changes whenever something may have been published. */
export function publishedMark({ state, news }: JobView): string {
  return `${state} ${news?.iteration ?? 0}`;
}

/** Changes whenever there may be new lines. */
export function newsMark({ state, news, endedAt, takes }: JobView): string {
  return `${state} ${news?.at ?? 0} ${endedAt ?? 0} ${takes}`;
}
