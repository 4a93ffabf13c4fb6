import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { sessionGuard } from '../../../src/engine/client/settings/guard.ts';
import { readSubagentUsage } from '../../../src/engine/client/transcript/subagent-usage.ts';
import type { Contract, Frozen } from '../../../src/engine/core/contract/contract.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import type { Answer, HookEvent, StopEvent } from '../../../src/engine/core/loop/event.ts';
import type { Receipt } from '../../../src/engine/core/loop/receipt.ts';
import type { LoopState } from '../../../src/engine/core/loop/state.ts';
import type { TranscriptSignals } from '../../../src/engine/core/loop/transcript.ts';
import { lineMatcher } from '../../../src/engine/core/text/line-pattern.ts';
import { fallbackCounts } from '../../../src/engine/home/fallback-counts.ts';
import { createHome, type Home, homeAt } from '../../../src/engine/home/layout.ts';
import { FileStore } from '../../../src/engine/home/store.ts';
import { keepTranscript } from '../../../src/engine/home/transcript-copies.ts';
import { recordTrust, standingFiles } from '../../../src/engine/home/trust.ts';
import { handleHook } from '../../../src/engine/hook/handle-hook.ts';
import { openTools, otherEvents } from '../../../src/engine/hook/wiring/session.ts';
import type { Ports } from '../../../src/engine/judging/ports.ts';
import type { LoopRef } from '../../../src/engine/ports/ports.ts';
import { applyChanges, foreignFiles } from '../../../src/engine/project/files.ts';
import { T0 } from '../core/samples.ts';
import { temporaryFolder } from '../files/workers.ts';
import { type FakeJudges, fakeJudges, type Says } from './judging.ts';

/** Real files in a temporary home, around gates and a transcript that say what a test wants. */
export interface HookScene {
  home: Home;
  project: string;
  store: FileStore;
  judges: FakeJudges;
  ports: Ports & { store: FileStore };
  receipts: Receipt[];
  /** What the transcript shows at first, and after it was given time. */
  transcript: { now: TranscriptSignals; later?: TranscriptSignals; polls: number };
  /** When the last turn ended, as the transcript shows it. */
  turnEnd?: number;
  now: number;
  /** Begins a loop of session s1; approved unless its fingerprint is changed. */
  begin(contract: Contract, frozen?: Partial<Frozen>): LoopRef;
  hook(event: { name: HookEvent['name'] } & Record<string, unknown>): Promise<Answer>;
  stop(changes?: Partial<StopEvent>): Promise<Answer>;
  state(): LoopState;
  /** What the journal says, last first. */
  lastEntry(): Entry;
}

export function hookScene(says: Record<string, Says> = {}): HookScene {
  const folder = realpathSync(temporaryFolder());
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const project = join(folder, 'project');
  mkdirSync(project);
  const judges = fakeJudges(says);
  judges.contractFileNow = 'the contract file';
  const scene = { home, project, judges, receipts: [], now: T0 } as unknown as HookScene;
  scene.transcript = { now: {}, polls: 0 };
  scene.store = new FileStore(home, { now: () => scene.now });
  scene.ports = portsOf(scene, folder);
  scene.begin = (contract, frozen = {}) => begin(scene, contract, frozen);
  scene.hook = (event) => handleHook({ session: 's1', cwd: project, ...event } as HookEvent, scene.ports);
  scene.stop = (changes = {}) =>
    scene.hook({
      name: 'Stop',
      stopHookActive: false,
      lastMessage: 'not yet',
      backgroundTasks: [],
      wakeUps: [],
      ...changes,
    });
  scene.state = () => scene.store.read(refOf(scene));
  scene.lastEntry = () => scene.store.tail(refOf(scene)).line.entry;
  return scene;
}

function portsOf(scene: HookScene, folder: string): Ports & { store: FileStore } {
  const { home, project } = scene;
  return {
    clock: { now: () => scene.now },
    store: scene.store,
    projectOf: () => project,
    blockCap: 0,
    transcripts: {
      signals: () => scene.transcript.now,
      turnEnd: () => scene.turnEnd,
      poll: async () => {
        scene.transcript.polls++;
        return scene.transcript.later ?? scene.transcript.now;
      },
      usage: () => ({ offset: 0, tokens: 10, skippedBytes: 0 }),
      subagents: readSubagentUsage,
    },
    judges: async () => scene.judges,
    foreign: async () => ({ loops: [], messages: [] }),
    session: async () =>
      otherEvents({
        standing: standingFiles(home),
        fallbackCounts: fallbackCounts(folder),
        guard: {
          ...sessionGuard(home, join(folder, '.claude'), folder, {}),
          hasContract: () => scene.judges.contractFileNow !== undefined,
        },
        notes: {
          files: foreignFiles,
          change: (changes) => applyChanges(changes, join(folder, 'files.lock')),
        },
        keepTranscript,
      }),
    tools: async () =>
      openTools({ HOME: folder, PATH: process.env.PATH }, async () => ({
        patterns: async () => lineMatcher,
      })),
    receipts: async () => ({
      write: (_, receipt) => {
        scene.receipts.push(receipt);
        return undefined;
      },
      discard: () => {},
    }),
  };
}

function begin(scene: HookScene, contract: Contract, changes: Partial<Frozen>): LoopRef {
  const { home, project, store } = scene;
  const frozen = {
    project,
    fingerprint: 'print',
    parts: {},
    gates: {},
    judgeMs: 60_000,
    contractFile: 'the contract file',
  };
  recordTrust(home, project, 'print', T0);
  return store.create({
    loop: 'l1',
    session: 's1',
    project,
    dialect: 'native',
    task: 'a task',
    transcriptOffset: 0,
    contract: { contract, frozen: { ...frozen, ...changes } },
  });
}

function refOf({ store }: HookScene): LoopRef {
  const ref = store.loopOfSession('s1');
  if (!ref) throw new Error('the scene has no loop');
  return ref;
}

export const reasonOf = (answer: Answer): string => (answer.kind === 'refuse' ? answer.reason : answer.kind);
export const messageOf = (answer: Answer): string => (answer.kind === 'tell' ? answer.message : answer.kind);
