import { join } from 'node:path';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import { git } from './contract.ts';
import type { Scene } from './scene.ts';
import { bash, loopsOf } from './untildone.ts';

/** As a session would, also one that was cut off and goes on: the work, the word that it is done, and a stop. */
export function worker(first: string, command: string) {
  return [
    { when: { first, last: 'it is there now' }, turns: [{ text: 'built' }] },
    { when: { first }, turns: [{ tools: [bash(`${command} && echo it is there now`)] }] },
  ];
}

/** Builds one feature, and says so in the list. */
export const builds = (id: number, command: string) =>
  worker(
    `Build feature ${id}:`,
    `${command} && sed -i 's/"id":${id},\\(.*\\)"passes":false/"id":${id},\\1"passes":true/' features.json`,
  );

export function kinds<Kind extends Entry['kind']>(journal: readonly Entry[], kind: Kind) {
  return journal.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind);
}

export async function familyOf(scene: Scene) {
  const loops = await loopsOf(scene);
  const parent = loops.find((loop) => loop.run?.parent === null);
  if (!parent) throw new Error('there is no run');
  return { parent, children: loops.filter((loop) => loop.run?.parent === parent.id) };
}

export function branchOf(scene: Scene, run: string): string {
  return git(scene, 'branch', '--list', `*${run}`, '--format=%(refname:short)').trim();
}

/** As feature lists are written: a line a feature, so that neighbours conflict. */
export function listOf(features: readonly object[]): string {
  return `[\n${features.map((feature) => `  ${JSON.stringify(feature)}`).join(',\n')}\n]\n`;
}

/** A bare repository that the project knows as origin, with its main branch. */
export function withRemote(scene: Scene): string {
  const remote = join(scene.root, 'remote.git');
  git(scene, 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  git(scene, 'remote', 'add', 'origin', remote);
  git(scene, 'push', '--quiet', 'origin', 'main');
  return remote;
}
