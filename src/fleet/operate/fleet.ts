/** What the commands of a fleet work with. */
import type { Home } from '../../engine/home/layout.ts';
import type { Engine } from '../../engine/ports/fleet.ts';
import type { RunFiles, Truth } from '../truth/truth.ts';

/** The schedules of a repository, on its remote: one ref each. */
export interface ScheduleRefs {
  all(): Promise<Map<string, RunFiles>>;
  put(id: string, files: RunFiles): Promise<void>;
  /** False: it was not there. */
  remove(id: string): Promise<boolean>;
}

export interface Fleet {
  engine: Engine;
  /** The truth about the runs of a repository. */
  truthOf(repo: string): Truth;
  schedulesAt(repo: string): ScheduleRefs;
  secret: string;
  home: Home;
  env: NodeJS.ProcessEnv;
  now(): number;
}
