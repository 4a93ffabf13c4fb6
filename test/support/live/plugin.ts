/** The plugin as a person has it: a folder of its own, with the program in it. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Scene } from './scene.ts';
import { BIN } from './untildone.ts';

const PLUGIN = resolve(import.meta.dirname, '../../../plugin');

/** Changes a file of the plugin. Throws when the text that it replaces is not there. */
export interface Change {
  file: string;
  from: string;
  to: string;
}

export function pluginIn(scene: Scene, changes: readonly Change[] = []): string {
  const folder = join(scene.root, 'the plugin');
  cpSync(PLUGIN, folder, { recursive: true, filter: (path) => path !== join(PLUGIN, 'dist') });
  symlinkSync(dirname(BIN), join(folder, 'dist'));
  for (const { file, from, to } of changes) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
    writeFileSync(path, text.replaceAll(from, to));
  }
  return folder;
}
