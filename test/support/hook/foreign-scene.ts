import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Contract } from '../../../src/engine/core/contract/contract.ts';
import type { Answer, StopEvent } from '../../../src/engine/core/loop/event.ts';
import type { LoopState } from '../../../src/engine/core/loop/state.ts';
import { ALL_FORMATS } from '../../../src/engine/formats/all.ts';
import type { StateFormat } from '../../../src/engine/formats/format.ts';
import { foreignLoops } from '../../../src/engine/formats/take-up/foreign-loops.ts';
import { recordTrust, setStanding } from '../../../src/engine/home/trust.ts';
import { openForeign } from '../../../src/engine/hook/wiring/foreign.ts';
import { freeze } from '../../../src/engine/judging/freeze-contract.ts';
import { contractFileDigest } from '../../../src/engine/project/facts/command-parts.ts';
import { T0 } from '../core/samples.ts';
import { type HookScene, hookScene } from './hook-scene.ts';
import { frozenWith, type Says } from './judging.ts';

/** A scene whose project may hold foreign state. */
export interface ForeignScene extends HookScene {
  write(path: string, text: string): void;
  text(path: string): string | undefined;
  remove(path: string): void;
  stopOf(session: string, changes?: Partial<StopEvent>): Promise<Answer>;
  /** The states of all loops, oldest first. */
  states(): LoopState[];
}

export function foreignScene(
  says: Record<string, Says> = {},
  formats: readonly StateFormat[] = ALL_FORMATS,
): ForeignScene {
  const scene = hookScene(says) as ForeignScene;
  const { home, store, project, ports } = scene;
  ports.foreign = (event, hasNative) => {
    const place = { session: event.session, folder: project, userHome: dirname(project), now: scene.now };
    const open = openForeign({ home, ports, place });
    return foreignLoops(event, hasNative, { ...open, formats }, ports);
  };
  scene.write = (path, text) => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  scene.text = (path) =>
    existsSync(join(project, path)) ? readFileSync(join(project, path), 'utf8') : undefined;
  scene.remove = (path) => rmSync(join(project, path));
  scene.stopOf = (session, changes = {}) => scene.stop({ session, ...changes });
  scene.states = () =>
    store
      .loops(project)
      .map((ref) => store.read(ref))
      .sort((a, b) => a.startedAt - b.startedAt);
  return scene;
}

/** Gives the project of a scene a contract that a person trusts. */
export async function trustContract(scene: ForeignScene, contract: Contract): Promise<void> {
  scene.write('untildone.yaml', 'gates: {}\n');
  const { frozen } = await freeze(contract, scene.project, scene.judges);
  const contractFile = contractFileDigest(scene.project) ?? '';
  setStanding(scene.home, scene.project, frozenWith(contract, { ...frozen, contractFile }));
  recordTrust(scene.home, scene.project, frozen.fingerprint, T0);
}

/** Where a ralph loop has its state. */
export const RALPH = '.claude/ralph-loop.local.md';

/** A state of a ralph loop; it belongs to the session s1 unless said otherwise. */
export function ralph(fields: Record<string, string | number> = {}, prompt = 'Fix it.'): string {
  const all = {
    iteration: 1,
    session_id: 's1',
    max_iterations: 5,
    completion_promise: '"DONE"',
    started_at: 'then',
    ...fields,
  };
  return ['---', ...Object.entries(all).map(([k, v]) => `${k}: ${v}`), '---', prompt, ''].join('\n');
}
