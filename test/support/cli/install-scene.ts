import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type InstallOptions, install, uninstall } from '../../../src/cli/install/install.ts';
import { rendered } from '../../../src/engine/terminal/style.ts';

let folder = '';

/** What the last install or uninstall said, line by line. */
export const printed: string[] = [];

/** A fresh project and user for every test of a file, gone after it. */
export function useInstallScene(): void {
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-install-')));
    mkdirSync(join(folder, 'project'));
    printed.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
}

export const root = () => folder;
export const project = () => join(folder, 'project');
export const home = () => join(folder, 'user', '.untildone');
export const shared = () => join(project(), '.claude', 'settings.json');

export function options(more: Partial<InstallOptions> = {}): InstallOptions {
  return {
    scope: 'project',
    dryRun: false,
    project: project(),
    home: home(),
    claudeConfigDir: join(folder, 'user', '.claude'),
    hookEntry: join(folder, 'package', 'dist', 'hook.cjs'),
    nodePath: process.execPath,
    ...more,
  };
}

export async function runInstall(more: Partial<InstallOptions> = {}): Promise<number> {
  printed.length = 0;
  return install(options(more), (line) => printed.push(rendered(line)));
}

export async function runUninstall(more: Partial<InstallOptions> = {}): Promise<number> {
  printed.length = 0;
  return uninstall(options(more), (line) => printed.push(rendered(line)));
}

export const output = () => printed.join('\n');

export function put(path: string, bytes: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  chmodSync(path, mode);
}

/** Every path under the folder with its kind, mode and bytes. */
export function snapshot(below: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(below, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(below, name);
    const stat = lstatSync(path);
    const content = stat.isFile()
      ? readFileSync(path, 'latin1')
      : stat.isSymbolicLink()
        ? readlinkSync(path)
        : '';
    found[name] = `${stat.mode.toString(8)} ${content}`;
  }
  return found;
}

export const ODD_BYTES = Buffer.from(
  '\uFEFF{\r\n\t"model": "opus",\r\n\t"env" : { "KEY":"sk-secret" }\r\n}\r\n\r\n',
);
