import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Scene, SceneOptions } from './scene.ts';
import { sceneOfTest } from './test-scene.ts';
import { must } from './untildone.ts';

/** A project in git with our hooks installed and its contract approved, as a person would have left it. */
export async function contractScene(
  files: Record<string, string>,
  options: Pick<SceneOptions, 'recording'> = {},
): Promise<Scene> {
  const scene = await sceneOfTest({ git: true, ...options });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(scene.project, path)), { recursive: true });
    await writeFile(join(scene.project, path), text);
  }
  await must(scene, ['install']);
  git(scene, 'add', '-A');
  git(scene, 'commit', '--quiet', '-m', 'begin');
  await approve(scene);
  return scene;
}

export async function approve(scene: Scene): Promise<void> {
  const shown = await must(scene, ['trust', '--show']);
  const fingerprint = /Fingerprint: (\w+)/.exec(shown)?.[1] ?? '';
  await must(scene, ['trust', '--fingerprint', fingerprint]);
}

export function git(scene: Scene, ...args: string[]): string {
  return execFileSync('git', args, { cwd: scene.project, env: scene.environment, encoding: 'utf8' });
}

/** Starts a loop for a session that the client is then started with. */
export async function startedSession(scene: Scene, ...flags: string[]): Promise<string> {
  const session = randomUUID();
  await must(scene, ['start', 'Make add() add', '--session', session, ...flags]);
  return session;
}
