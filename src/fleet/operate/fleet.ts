/** What the commands of a fleet work with. */
import type { Home } from '../../engine/home/layout.ts';
import type { Engine } from '../../engine/ports/fleet.ts';
import type { RemoteRuns, RunFiles } from '../remote/remote-runs.ts';

/** The schedules of a repository, on its remote: one ref each. */
export interface ScheduleRefs {
  all(): Promise<Map<string, RunFiles>>;
  put(id: string, files: RunFiles): Promise<void>;
  /** False: it was not there. */
  remove(id: string): Promise<boolean>;
}

export interface Fleet {
  engine: Engine;
  /** The runs of a repository, as its git remote holds them. */
  remoteRunsOf(repo: string): RemoteRuns;
  schedulesAt(repo: string): ScheduleRefs;
  secret: string;
  home: Home;
  env: NodeJS.ProcessEnv;
  now(): number;
}
