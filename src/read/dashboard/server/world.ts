import type { HooksState } from '../../../engine/client/settings/would-run.ts';
import type { SandboxRule } from '../../../engine/core/contract/contract.ts';
import type { WallsHere } from '../../../engine/gates/gate.ts';
import type { Home } from '../../../engine/home/layout.ts';
import type { ProjectPorts } from '../../../engine/hook/wiring/project-ports.ts';
import type { WholeAudit } from '../../reflect/audit/audit-thread.ts';
import type { Insights } from '../view/insight-types.ts';
import type { OtherSession } from '../view/overview-types.ts';
import type { FleetSide } from './fleet/side.ts';
import type { ProjectAsked } from './known-elsewhere.ts';

/** What the dashboard needs from the world. */
export interface DashboardPorts {
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
  open(): ProjectPorts;
  /** Parts of the insights that other rooms know; each only where there is something. Absent: none do. */
  lookBack?(since: number, project: ProjectAsked | undefined): Promise<Pick<Insights, 'latency' | 'lessons'>>;
  /** Reads transcripts, which takes seconds to minutes, beside this thread. Absent: it cannot. */
  audit?(
    request: WholeAudit,
    progress: (read: number, all: number) => void,
    signal: AbortSignal,
  ): Promise<{ problem: string } | { counts: Record<string, unknown> }>;
  /** The walls that a contract gets on this machine. */
  wallsHere?(sandbox: SandboxRule): WallsHere;
  /** The fleet whose runs are shown. Their journals are in the home, and nothing else of them is on this machine. */
  fleet?: FleetSide;
  /** Sessions of Claude Code, with a loop or without; undefined when it does not tell. Never rejects. */
  sessions(): Promise<OtherSession[] | undefined>;
}

export function homeInWords({ home, env }: DashboardPorts): string {
  const { HOME } = env;
  return HOME && home.root.startsWith(`${HOME}/`) ? `~${home.root.slice(HOME.length)}` : home.root;
}
