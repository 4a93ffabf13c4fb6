import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Enclosure } from '../../../src/engine/project/walls/walls.ts';
import { wallsFor } from '../../../src/engine/project/walls/walls-for.ts';

/** A folder for PATH with all programs of the system but these. */
export function pathWithout(folder: string, ...names: string[]): string {
  mkdirSync(folder);
  const programs = ['/usr/bin', dirname(process.execPath)].flatMap((from) =>
    readdirSync(from).map((name): [string, string] => [name, join(from, name)]),
  );
  for (const [name, path] of new Map(programs))
    if (!names.includes(name)) symlinkSync(path, join(folder, name));
  return folder;
}

/** A home with secrets. Not below /tmp, of which commands within walls have their own. */
export class SecretiveHome {
  readonly root = realpathSync(mkdtempSync('/var/tmp/untildone-walls-test-'));
  readonly untildone = join(this.root, '.untildone');
  readonly secrets = [
    '.untildone/key',
    '.ssh/id_ed25519',
    '.claude/.credentials.json',
    '.claude.json',
    '.aws/credentials',
    '.config/gh/hosts.yml',
    '.netrc',
    '.npmrc',
  ].map((path) => join(this.root, path));

  constructor() {
    for (const path of this.secrets) this.write(path, 'a secret');
    this.write(join(this.root, 'notes'), 'no secret');
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  get env(): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, HOME: this.root };
  }

  /** The walls of this machine. Without any, the message says how to get them. */
  walls(network = false): Enclosure {
    const { walls, problem } = wallsFor(
      { choice: 'required', network },
      { env: this.env, untildoneHome: this.untildone },
    );
    if (!walls) throw new Error(problem);
    return walls;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
