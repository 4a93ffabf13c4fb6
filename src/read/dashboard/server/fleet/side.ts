/** What the dashboard asks of a fleet, where it shows one (`--queue`) in the place of the loops of this machine. */
import type { Receipt } from '../../../../engine/core/loop/receipt.ts';
import type { FleetAnswer, FleetRequest, FleetView } from '../../view/fleet-types.ts';
import type {
  ActionAnswer,
  ActionName,
  ActionRequest,
  Need,
  Problem,
  RequestView,
} from '../../view/overview-types.ts';

/** Who takes what you ask of a loop: its journal on this machine, or the engine of a fleet. */
export interface Acting {
  act(loop: string, request: ActionRequest): Promise<ActionAnswer>;
}

/** What is seen of a run besides its journal. */
export interface SeenOfRun {
  /** The worker that has it. */
  worker?: string;
  repo: string;
  alive?: boolean;
  /** Why nobody works on it, although it will go on by itself. */
  waits?: string;
  /** Why it will not go on without you. */
  unheld?: string;
  /** The command for a terminal. */
  command: string;
  /** Asked for, and not in its journal yet. */
  requested: string[];
}

/** What a fleet tells while it is followed. */
export interface FleetTold {
  /** Something about the fleet changed, and what is known of these runs. */
  changed(runs: readonly string[]): void;
  /** The files of this run are others than before. */
  reloaded(run: string): void;
  /** What you asked of a run was taken. */
  taken(run: string, request: RequestView): void;
  /** What is wrong has changed. */
  problems(): void;
}

export interface FleetSide extends Acting {
  /** Where the store of its queue is, without credentials. */
  readonly place: string;
  /** Says since when the store cannot be reached. */
  readonly awayWords: string | undefined;
  begin(told: FleetTold): void;
  has(run: string): boolean;
  seenOf(run: string): SeenOfRun;
  /** The name of a repository by its folder in the home. */
  repoOf(project: string): { name: string; url: string } | undefined;
  needs(): Need[];
  problems(): Problem[];
  /** What can be asked of a run, out of what could be asked of a loop here. */
  actionsFor(run: string, status: string, local: readonly ActionName[]): ActionName[];
  /** What was asked here, and what its journal tells of. */
  requestsOf(run: string, inJournal: readonly RequestView[]): RequestView[];
  /** Somebody opens a run: what is missing of it is fetched, if that is soon done. */
  opened(run: string): Promise<void>;
  /** What the journal of a run says against its receipt. */
  againstReceipt(run: string, receipt: Receipt): string[];
  /** Where the work of a run is. */
  workOf(run: string): string;
  view(): FleetView;
  order(request: FleetRequest): Promise<FleetAnswer>;
  close(): Promise<void>;
}
