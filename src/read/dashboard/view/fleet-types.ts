/** What the page of the fleet shows and what you can ask of it; a part of types.ts. */
import type { ActionName } from './overview-types.ts';

export interface FleetView {
  now: number;
  /** Where the store of its queue is, without credentials. */
  place: string;
  /** The store cannot be reached since then: everything here is from then. */
  away?: { since: number; why: string };
  /** Workers take nothing new. */
  paused: boolean;
  /** waiting: for a worker. delayed: not before a time. active: on a worker. dead: in the dead letters. */
  counts: Record<'waiting' | 'delayed' | 'active' | 'ended' | 'dead', number>;
  /** Since when the run waits that has waited longest. */
  oldestWaiting?: number;
  /** How many runs ended within the last hour, and within the 24 before now. */
  endedLastHour: number;
  endedLastDay: number;
  /** Today, in UTC. */
  spentUsd: number;
  /** Limits over the whole fleet, with how much of each is used. */
  limits: { words: string; share?: number }[];
  /** Lost ones first, then those with the most runs. */
  workers: FleetWorker[];
  /** How many there are in all. */
  workerCount: number;
  /** Runs that have not ended: dead letters first, then those at work, then those that wait. */
  runs: FleetRun[];
  /** How many more there are than are shown. */
  more: number;
}

export interface FleetWorker {
  name: string;
  host: string;
  version: string;
  labels: string[];
  /** How many runs it has, and how many it may have at a time. */
  runs: number;
  concurrency: number;
  draining: boolean;
  startedAt: number;
  /** Its last beat. Beats come every 2 s: one that is old tells of a lost worker. */
  at: number;
  lost?: true;
  /** Free bytes of its work folder. */
  diskFree?: number;
  /** Asked for, and not told by the worker yet. */
  requested?: 'drain' | 'undrain';
}

export interface FleetRun {
  run: string;
  title: string;
  /** The name of its repository. */
  repo: string;
  state: 'waiting' | 'delayed' | 'active' | 'dead';
  worker?: string;
  /** What it does, why it waits, or what put it into the dead letters. */
  words: string;
  /** Since when it is in this state. */
  since: number;
  iteration?: number;
  costUsd?: number;
  labels: string[];
  /** It has a page of its own. */
  hasLoop: boolean;
  actions: ActionName[];
  requested?: string[];
}

/** Pause: workers finish what they have and take nothing new. Drain: one worker hands its runs back and ends. */
export type FleetRequest =
  | { action: 'pause' | 'resume'; worker?: undefined }
  | { action: 'drain' | 'undrain'; worker: string };

export interface FleetAnswer {
  words: string;
}
