import { expect, onTestFinished } from 'vitest';
import { newestOf, renewal, shapeOf, writeRecording } from './recording.ts';
import { openScene, type Scene, type SceneOptions } from './scene.ts';
import { journalOf, loopsOf, must } from './untildone.ts';

/** A scene that ends with the test that opened it: every process in it is ended, its folder removed. */
export async function sceneOfTest(options: SceneOptions = {}): Promise<Scene> {
  const scene = await openScene(options);
  onTestFinished(async ({ task }) => {
    try {
      if (task.result?.state !== 'fail') await compareRecording(scene, options.recording);
    } finally {
      await scene.close();
    }
  });
  return scene;
}

/** Fails where the client sends something else than it did when the recording was made. */
async function compareRecording(scene: Scene, name: string | undefined): Promise<void> {
  if (scene.recorder === undefined || name === undefined) return;
  const test = (expect.getState().testPath ?? '').replaceAll('\\', '/').replace(/^.*(?=test\/live)/, '');
  const journals = (await loopsOf(scene)).map(({ id }) => journalOf(scene, id));
  const status = await must(scene, ['status', '--json', '--all']);
  const now = scene.recorder.recording(test, status, (await Promise.all(journals)).flat());
  if (process.env.UNTILDONE_RECORD !== undefined) {
    writeRecording(name, now);
    return;
  }
  const known = newestOf(name);
  const why = `not as recorded (${name}) is what Claude Code ${now.client} sends, or what becomes of it`;
  expect(shapeOf(now), `${why}. If that is right: ${renewal(test)}`).toEqual(known && shapeOf(known));
}
