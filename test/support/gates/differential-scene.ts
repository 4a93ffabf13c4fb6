import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DifferentialOptions } from '../../../src/engine/core/contract/gate-options.ts';
import { differentialGate } from '../../../src/engine/gates/differential/index.ts';
import type { Judgement } from '../../../src/engine/gates/gate.ts';
import type { Given } from './context.ts';
import { type JudgedProject, projectOfTest } from './judged-project.ts';
import { keptInMemory, roomsFor } from './rooms.ts';

/** Files by path; null removes one. */
export type Files = Readonly<Record<string, string | null>>;

export interface DifferentialScene {
  project: JudgedProject;
  opened: string[];
  change(files: Files): Promise<void>;
  judge(options: DifferentialOptions, more?: Given): Promise<Judgement>;
}

/** A project at the start of a loop. */
export async function differentialScene(files: Files): Promise<DifferentialScene> {
  const project = await projectOfTest();
  const change = async (changed: Files) => {
    for (const [path, text] of Object.entries(changed))
      await (text === null ? rm(join(project.dir, path), { recursive: true }) : project.write(path, text));
  };
  await change(files);
  const baseTree = await project.workspace.tree();
  const rooms = roomsFor(project);
  const kept = keptInMemory();
  return {
    project,
    opened: rooms.opened,
    change,
    judge: async (options, more = {}) =>
      differentialGate.judge(
        options,
        project.context({
          name: 'proof',
          task: 'Make the shop work.',
          baseTree,
          tree: await project.workspace.tree(),
          rooms,
          kept,
          answers: {},
          ...more,
        }),
        new AbortController().signal,
      ),
  };
}
