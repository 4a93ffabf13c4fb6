import type { HooksState } from '../../client/settings/would-run.ts';
import type { Home } from '../../home/layout.ts';
import type { World } from '../../hook/wiring/world.ts';
import type { Insights } from '../view/insight-types.ts';
import type { OtherSession } from '../view/overview-types.ts';

/** What the dashboard needs from the world. */
export interface DashboardWorld {
  home: Home;
  env: NodeJS.ProcessEnv;
  clock: { now(): number };
  version: string;
  /** The folders of `--project`; empty: all. */
  only: readonly string[];
  /** Whether the hooks of a project would run. */
  hooksAt(project: string): HooksState;
  /** When the last turn of a session ended. */
  turnEndOf(session: string): number | undefined;
  /** The world of the commands, fresh for each request of a person. */
  open(): World;
  /** Parts of the insights that other rooms know; each only where there is something. Absent: none do. */
  lookBack?(
    since: number,
    project: string | undefined,
  ): Promise<Pick<Insights, 'latency' | 'lessons' | 'audit'>>;
  /** Sessions of Claude Code, with a loop or without; undefined when it does not tell. Never rejects. */
  sessions(): Promise<OtherSession[] | undefined>;
}
