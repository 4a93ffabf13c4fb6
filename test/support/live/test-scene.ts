import { onTestFinished } from 'vitest';
import { openScene, type Scene, type SceneOptions } from './scene.ts';

/** A scene that ends with the test that opened it: every process in it is ended, its folder removed. */
export async function sceneOfTest(options: SceneOptions = {}): Promise<Scene> {
  const scene = await openScene(options);
  onTestFinished(() => scene.close());
  return scene;
}
