import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sceneOfTest } from './test-scene.ts';
import { must } from './untildone.ts';

/** A scene with our hooks installed, and files of another system in it. */
export async function formatScene(options: Parameters<typeof sceneOfTest>[0] = {}) {
  const scene = await sceneOfTest(options);
  await must(scene, ['install']);
  const place = (path: string) =>
    path.startsWith('~/') ? join(scene.home, path.slice(2)) : join(scene.project, path);
  return {
    ...scene,
    write: async (path: string, content: string | object) => {
      await mkdir(dirname(place(path)), { recursive: true });
      await writeFile(place(path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    },
    read: (path: string) => readFile(place(path), 'utf8'),
    place,
  };
}
