/**
 * A home with loops of the examples. Their entries were recorded from `untildone demo --keep` (test/fixtures/dashboard) and
 * are written again, at times that the caller chooses, by the store that writes all journals.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FrozenContract } from '../../../src/engine/core/contract/contract.ts';
import type { Entry, StartedEntry } from '../../../src/engine/core/loop/entry.ts';
import { makeReceipt } from '../../../src/engine/core/loop/receipt.ts';
import { hasEnded } from '../../../src/engine/core/loop/state.ts';
import { sha256 } from '../../../src/engine/files/digest.ts';
import { holdLock } from '../../../src/engine/files/lock.ts';
import { traitsOf } from '../../../src/engine/gates/traits.ts';
import { createHome, driverLock, type Home, homeAt } from '../../../src/engine/home/layout.ts';
import { writeReceipt } from '../../../src/engine/home/receipts.ts';
import { FileStore } from '../../../src/engine/home/store.ts';
import { recordTrust } from '../../../src/engine/home/trust.ts';
import type { AppendOptions, LoopRef, NewLoop } from '../../../src/engine/ports/ports.ts';

const FIXTURES = resolve('test/fixtures/dashboard');

export type Example = 'one-session' | 'four-chunks' | 'many-sessions' | 'eight-cheats';

interface Recorded {
  task: string;
  started: StartedEntry;
  contract: FrozenContract;
  /** `after`: milliseconds since the start. */
  entries: { after: number; entry: Entry }[];
}

export interface Played {
  example: Example;
  loop: string;
  /** The name of the project's folder. */
  project: string;
  /** When it began, and when the last recorded entry was written; what lies between is spread over that time. */
  at: number;
  until: number;
  session?: string;
  task?: string;
  /** How many of the recorded entries; all when absent. */
  entries?: number;
  /** Written after them, so many milliseconds apart. */
  more?: Entry[];
  apartMs?: number;
}

export class ExampleHome {
  readonly root: string;
  readonly home: Home;
  readonly store: FileStore;
  readonly clock = { time: 0, now: (): number => this.clock.time };

  constructor(root: string) {
    this.root = root;
    this.home = homeAt(join(root, 'home'));
    createHome(this.home);
    this.store = new FileStore(this.home, this.clock);
  }

  projectPath(name: string): string {
    return join(this.root, name);
  }

  play(played: Played): LoopRef {
    const project = this.projectPath(played.project);
    mkdirSync(project, { recursive: true });
    const recorded = readRecorded(played.example, project);
    const { at, until, apartMs = 60_000 } = played;
    const entries = recorded.entries.slice(0, played.entries);
    const took = entries.at(-1)?.after || 1;
    this.clock.time = at;
    const { frozen } = recorded.contract;
    recordTrust(this.home, frozen.project, frozen.fingerprint, at);
    const ref = this.store.create(newLoop(recorded, played, project));
    for (const { after, entry } of entries) {
      this.clock.time = Math.round(at + (after / took) * (until - at));
      this.store.append(ref, () => entry, { durable: false, first: this.receiptFor(ref, recorded, entry) });
    }
    for (const entry of played.more ?? []) {
      this.clock.time += apartMs;
      this.store.append(ref, () => entry, { durable: false });
    }
    const state = this.store.read(ref);
    // A run is driven by this process.
    if (state.run && !hasEnded(state)) holdLock(driverLock(ref));
    return ref;
  }

  /** Where an entry ends a loop as done, its receipt is written before it. */
  private receiptFor(ref: LoopRef, recorded: Recorded, entry: Entry): AppendOptions['first'] {
    if (entry.kind !== 'stop' || entry.decision.kind !== 'end') return undefined;
    const { verdicts, seen } = entry;
    return (state, journal) => {
      const facts = {
        state,
        verdicts,
        journal,
        frozen: recorded.contract,
        contractSha256: state.contractSha256,
        contractFileNow: recorded.contract.frozen.contractFile ?? null,
        task: this.store.taskDigest(ref),
        commit: recorded.started.baseCommit ?? null,
        tree: seen.tree ?? null,
      };
      writeReceipt(ref.dir, makeReceipt(facts, traitsOf), this.home);
    };
  }
}

function readRecorded(example: Example, project: string): Recorded {
  const text = readFileSync(join(FIXTURES, `${example}.json`), 'utf8');
  return JSON.parse(text.replaceAll('{project}', JSON.stringify(project).slice(1, -1))) as Recorded;
}

function newLoop({ task, started, contract }: Recorded, played: Played, project: string): NewLoop {
  const { dialect, baseTree, baseCommit, baseGates, run } = started;
  return {
    loop: played.loop,
    session: played.session ?? sessionOf(played.loop),
    project,
    dialect,
    task: played.task ?? task,
    contract,
    transcriptOffset: 0,
    baseTree,
    baseCommit,
    baseGates,
    run,
  };
}

/** The same for the same loop, and looks like one of Claude Code. */
function sessionOf(loop: string): string {
  return sha256(loop).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
}
