import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach } from 'vitest';
import { type InitOptions, type StateCall, stateInit, stateSet } from '../../../src/cli/formats/state.ts';
import { verifiedDoneFormat } from '../../../src/engine/formats/verified-done/index.ts';
import { foreignFiles } from '../../../src/engine/project/files.ts';
import { T0 } from '../core/samples.ts';
import { temporaryFolder } from '../files/workers.ts';

let homeFolder = '';
let worldOfTest: StateCall;

/** What the commands said, line by line. */
export const lines: string[] = [];

/** A fresh home for every test of a file, gone after it. */
export function useStateFiles(): void {
  beforeEach(() => {
    homeFolder = temporaryFolder();
    lines.length = 0;
    worldOfTest = { env: { HOME: homeFolder }, now: T0, out: (line) => void lines.push(line) };
  });
}

export const home = () => homeFolder;
export const world = () => worldOfTest;

export const file = (name: string, session = 's1') =>
  join(homeFolder, '.ralph/state', session, `${name}.json`);
export const put = (name: string, text: string) => {
  mkdirSync(dirname(file(name)), { recursive: true });
  writeFileSync(file(name), text);
};
export const text = (name: string) => readFileSync(file(name), 'utf8');
export const content = (name: string) => JSON.parse(text(name)) as Record<string, unknown>;
export const init = (options: Partial<InitOptions> = {}) =>
  stateInit('s1', { file: 'loop', task: 'fix it', force: false, ...options }, worldOfTest);
export const set = (name: string, ...words: string[]) => stateSet('s1', name, words, worldOfTest);

const reading = () =>
  verifiedDoneFormat.read({ session: 's1', folder: homeFolder, userHome: homeFolder, now: T0 }, foreignFiles);
export const held = () => {
  const read = reading();
  return read.kind === 'loop' && read.loop.rest === undefined;
};
