/** What came of playing one project. */
import type { Proposed } from './contract.ts';

export interface Timed {
  seconds: number;
  code: number | null;
}

export interface GateAtFirst {
  name: string;
  /** `null`: judged at a Stop only. */
  verdict: string | null;
  seconds: number | null;
  summary: string;
}

/** A Stop, beside the project's own test command on the same files just before it. */
export interface Stopped {
  test: Timed;
  seconds: number;
  /** `active`, `verified_done`, `asks`, ... */
  ending: string;
  /** Gates that did not pass. */
  gates: string[];
  /** What the agent or you were told. */
  said: string;
  /** Steps that were refused before they happened, and why. */
  refused: string[];
}

/** The project's own tests with the broken code, and when that is hidden: without red and then green, a cheat is none. */
export interface Shown {
  broken: Timed;
  hidden: Timed;
}

export interface Row {
  name: string;
  ecosystem: string;
  licence: string;
  commit: string;
  /** Of a project that we make. */
  scale?: number;
  /** The commit of untildone that was built. */
  program: string;
  /** When it was played. */
  at: string;
  result: 'played' | 'not played' | 'broken';
  /** Why it was not played to its end. */
  why?: string;
  install?: Timed;
  /** The project's own test command before the setup, the first time and with warm caches. */
  test?: { first: Timed; again: Timed };
  plan?: Timed;
  setup?: Timed & { gates: GateAtFirst[]; notes: string[] };
  contract?: Proposed;
  /** The upstream commit. */
  honest?: Stopped;
  /** Once more in another session, with one file more. */
  again?: Stopped;
  cheat?: Stopped;
  shown?: Shown;
}

export function isCheat({ broken, hidden }: Shown): boolean {
  return broken.code !== 0 && hidden.code === 0;
}

/** It did not end as done, or a step of it was refused. */
export function isHeld({ ending, refused }: Stopped): boolean {
  return ending !== 'verified_done' || refused.length > 0;
}

/** Every gate of the untouched project passes, or has nothing to look at yet. */
export function isGreen({ setup }: Row): boolean {
  return (
    setup !== undefined &&
    setup.code === 0 &&
    setup.gates.every(({ verdict }) => verdict === null || verdict === 'pass' || verdict === 'skip')
  );
}
