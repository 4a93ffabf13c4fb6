import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StopEvent } from '../../../src/engine/core/loop/event.ts';
import { createHome, type Home, homeAt } from '../../../src/engine/home/layout.ts';
import { recordTrust } from '../../../src/engine/home/trust.ts';
import { handleHook } from '../../../src/engine/hook/handle-hook.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import type { ProjectPorts } from '../../../src/engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../../../src/engine/ports/ports.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { T0 } from '../core/samples.ts';
import { temporaryFolder } from '../files/workers.ts';
import { contractWith, fakeJudges, frozenWith, run } from '../hook/judging.ts';

export function openHome(folder = temporaryFolder()): Home {
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  return home;
}

/** A project whose loop was verified just now. Its tree is the words "tree 1". */
export async function verifiedLoop(): Promise<{ world: ProjectPorts; ref: LoopRef }> {
  const folder = temporaryFolder();
  const home = openHome(folder);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'untildone.yaml'), 'gates: { tests: { run: "true" } }\n');
  const env = { PATH: process.env.PATH, HOME: folder };
  const judges = async () => fakeJudges();
  const world = { ...openPorts(home, env, async () => judgeBundle), home, project, env, judges };
  recordTrust(home, project, 'print', T0);
  const contract = frozenWith(contractWith({ tests: run('true') }), { project });
  const ref = world.store.create({
    loop: 'l1',
    session: 's1',
    project,
    dialect: 'native',
    task: 'a task',
    transcriptOffset: 0,
    contract,
  });
  const stop: StopEvent = {
    name: 'Stop',
    session: 's1',
    stopHookActive: false,
    lastMessage: 'done',
    backgroundTasks: [],
    wakeUps: [],
  };
  await handleHook(stop, world);
  return { world, ref };
}
