import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { GateOptions } from '../../../src/engine/core/contract/gate-options.ts';
import type { Gate, GateContext, Judgement } from '../../../src/engine/gates/gate.ts';
import { openSourceReader } from '../../../src/engine/project/source/parser.ts';
import { commit, git, type Scene, scene, write } from '../project/project-scene.ts';
import { type Given, gateContext } from './context.ts';

/** Grammars are loaded once for all tests of a process. */
const source = openSourceReader();

/** Files by path; undefined takes one away. */
export type Files = Record<string, string | undefined>;

type Kind = 'git' | 'forbid' | 'tests_intact' | 'suppressions' | 'artefact' | 'changed';

export interface WorkScene extends Scene {
  change(files: Files): void;
  commit(message?: string): void;
  /** Judges what was done since the scene began. */
  judge<K extends Kind>(gate: Gate<K>, options: GateOptions[K], more?: Given): Promise<Judgement>;
}

/** A repository with these files in its first commit; the loop starts there. */
export async function workScene(files: Files = {}): Promise<WorkScene> {
  const place = scene();
  change(place.project, files);
  commit(place.project, 'start');
  const { workspace, project } = place;
  const base = { baseTree: await workspace.tree(), baseCommit: git(project, 'rev-parse', 'HEAD') };
  return {
    ...place,
    change: (more) => change(project, more),
    commit: (message) => commit(project, message),
    async judge(gate, options, more = {}) {
      const tree = await workspace.tree();
      return gate.judge(options, contextOf(place, { ...base, tree, ...more }), new AbortController().signal);
    },
  };
}

export function contextOf({ project, workspace, folder }: Scene, more: Given): GateContext {
  return gateContext({ project, workspace, outputDir: join(folder, 'output'), source, ...more });
}

function change(project: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    if (text === undefined) rmSync(join(project, path));
    else write(project, path, text);
  }
}
