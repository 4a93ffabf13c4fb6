/**
 * A home with loops of the examples. Their entries were recorded from `untildone demo --keep` (test/fixtures/dashboard) and
 * are written again, at times that the caller chooses, by the store that writes all journals.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FrozenContract } from '../../../src/core/contract/contract.ts';
import type { Entry, StartedEntry } from '../../../src/core/loop/entry.ts';
import { createHome, type Home, homeAt } from '../../../src/home/layout.ts';
import { FileStore } from '../../../src/home/store.ts';
import type { LoopRef, NewLoop } from '../../../src/ports/ports.ts';

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
  /** When it began. */
  at: number;
  session?: string;
  task?: string;
  /** How many of the recorded entries; all when absent. */
  entries?: number;
  /** Written after them, so many milliseconds apart. */
  more?: Entry[];
  apartMs?: number;
  /** How much longer everything takes than it was recorded. */
  slower?: number;
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
    const { slower = 1, apartMs = 60_000 } = played;
    this.clock.time = played.at;
    const ref = this.store.create(newLoop(recorded, played, project));
    for (const { after, entry } of recorded.entries.slice(0, played.entries)) {
      this.clock.time = played.at + after * slower;
      this.store.append(ref, () => entry, { durable: false });
    }
    for (const entry of played.more ?? []) {
      this.clock.time += apartMs;
      this.store.append(ref, () => entry, { durable: false });
    }
    return ref;
  }
}

function readRecorded(example: Example, project: string): Recorded {
  const text = readFileSync(join(FIXTURES, `${example}.json`), 'utf8');
  return JSON.parse(text.replaceAll('{project}', JSON.stringify(project).slice(1, -1))) as Recorded;
}

function newLoop({ task, started, contract }: Recorded, played: Played, project: string): NewLoop {
  const { dialect, baseTree, baseCommit, baseGates, run } = started;
  return {
    ...{ loop: played.loop, session: played.session ?? `session-of-${played.loop}`, project, dialect },
    ...{ task: played.task ?? task, contract, transcriptOffset: 0 },
    ...{ baseTree, baseCommit, baseGates, run },
  };
}
