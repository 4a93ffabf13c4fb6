/** A project of a user: untildone is installed in it from the package that would be published. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Script } from '../../../src/dev/simulator/script.ts';
import { cleanEnvironment } from '../../../src/engine/client/sdk/find-client.ts';
import { isLong } from '../long.ts';
import type { Scene } from './scene.ts';

const REPOSITORY = resolve(import.meta.dirname, '../../..');

export interface Consumer {
  folder: string;
  /** Writes a file beside the installed package. */
  write(file: string, text: string): void;
  /** What the compiler says about a file; empty when nothing is wrong. */
  typeCheck(file: string): string;
  remove(): void;
}

export function installConsumer(): Consumer {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-consumer-'));
  const npm = (args: string[], cwd: string) =>
    execFileSync('npm', [...args, '--cache', join(folder, 'cache'), '--silent'], { cwd, stdio: 'pipe' });
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }');
  if (!isLong) {
    // As npm would lay it out; that it does is shown by long runs.
    const installed = join(folder, 'node_modules/untildone');
    for (const part of ['package.json', 'dist'])
      cpSync(join(REPOSITORY, part), join(installed, part), { recursive: true });
    return consumerIn(folder);
  }
  npm(['pack', '--ignore-scripts', '--pack-destination', folder], REPOSITORY);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'no package';
  npm(['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${tarball}`], folder);
  return consumerIn(folder);
}

function consumerIn(folder: string): Consumer {
  // What a user would have installed, too.
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of ['@anthropic-ai', '@types/node', 'undici-types'])
    symlinkSync(join(REPOSITORY, 'node_modules', name), join(folder, 'node_modules', name));
  return {
    folder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    typeCheck: (file) => {
      const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
      const flags = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--types', 'node'];
      const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'es2022'];
      try {
        execFileSync(process.execPath, [tsc, ...flags, ...modules, file], { cwd: folder, stdio: 'pipe' });
        return '';
      } catch (error) {
        return String((error as { stdout?: Buffer }).stdout ?? error);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface ProgramEnd {
  code: number | null;
  stdout: string;
  stderr: string;
  /** What the model was asked, each request as JSON. */
  requests: string[];
}

let started = 0;

/** Runs a program of the user in the project of a scene, with the simulator as its model. */
export function runProgram(
  { folder }: Consumer,
  scene: Scene,
  { file, args = [], script }: { file: string; args?: string[]; script: Script },
): Promise<ProgramEnd> {
  const name = `program-${++started}`;
  scene.simulator.load(name, script);
  const extra = { UNTILDONE_HOME: scene.untildoneHome, TMPDIR: `${scene.root}/tmp` };
  const child = spawn(process.execPath, [join(folder, file), ...args], {
    cwd: scene.project,
    env: cleanEnvironment({ home: scene.home, baseUrl: scene.simulator.urlFor(name), extra }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  return new Promise((done) => {
    child.on('close', (code) => {
      const requests = scene.simulator.requests(name).map((r) => JSON.stringify(r.body));
      done({ code, stdout, stderr, requests });
    });
  });
}
