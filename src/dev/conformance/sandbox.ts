/** The scratch folders of one scenario: a project, a user's home, sessions, and files that can be broken. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Shape } from './scenario.ts';
import { Session } from './session.ts';

export class Sandbox {
  readonly root: string;
  readonly project: string;
  readonly home: string;
  /** Where untildone would keep its own state. */
  readonly untildoneHome: string;
  readonly #link: string;
  readonly #now = Date.now();
  readonly #sessions = new Map<string, Session>();

  constructor(folder: string) {
    this.root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'untildone-conformance-')));
    this.project = join(this.root, folder);
    this.home = join(this.root, 'home');
    this.untildoneHome = join(this.root, 'untildone');
    this.#link = join(this.root, 'link');
    for (const path of [this.project, this.home]) fs.mkdirSync(path, { recursive: true });
    fs.symlinkSync(this.project, this.#link);
  }

  session(name: string): Session {
    const known = this.#sessions.get(name);
    if (known) return known;
    const session = new Session(name, { project: this.project, home: this.home });
    this.#sessions.set(name, session);
    return session;
  }

  /** The project as a session sees it that was started through a symbolic link. */
  projectThrough(link: boolean): string {
    return link ? this.#link : this.project;
  }

  /** `project/x`, `home/x` or `outside/x` as an absolute path. */
  path(name: string): string {
    const [first = '', ...rest] = this.fill(name).split('/');
    const bases: Record<string, string> = { project: this.project, home: this.home, outside: this.root };
    const base = bases[first];
    if (base === undefined) throw new Error(`"${name}" has to begin with project/, home/ or outside/`);
    return join(base, ...rest);
  }

  /** `{S1}`: a session's id; `{project}`, `{home}`: folders; `{now}`, `{now-25h}`: times. */
  fill(text: string): string {
    return text.replace(/\{(S\d|project|home|now(?:-(\d+)h)?)\}/g, (_, word: string, hours?: string) => {
      if (word.startsWith('S')) return this.session(word).id;
      if (word === 'project') return this.project;
      if (word === 'home') return this.home;
      return new Date(this.#now - Number(hours ?? 0) * 3_600_000).toISOString();
    });
  }

  /** The same for bytes that need not be text. */
  fillBytes(content: Buffer): Buffer {
    const filled = content
      .toString('latin1')
      .replace(/\{[^{}\n]*\}/g, (found) => Buffer.from(this.fill(found)).toString('latin1'));
    return Buffer.from(filled, 'latin1');
  }

  write(name: string, content: Buffer | string): void {
    const path = this.path(name);
    fs.mkdirSync(dirname(path), { recursive: true });
    if (!isFile(path)) fs.rmSync(path, { recursive: true, force: true });
    fs.writeFileSync(path, typeof content === 'string' ? this.fill(content) : this.fillBytes(content));
  }

  remove(name: string): void {
    fs.rmSync(this.path(name), { recursive: true, force: true });
  }

  make(name: string, shape: Shape): void {
    const path = this.path(name);
    fs.mkdirSync(dirname(path), { recursive: true });
    reshape(path, shape.kind === 'link' ? { ...shape, to: this.path(shape.to) } : shape);
  }

  /** Returns a folder of a scenario as Claude Code names it to its hooks. */
  cwd(name: string, throughLink: boolean): string {
    const inProject = /^project(\/.*)?$/.exec(name);
    return inProject ? this.projectThrough(throughLink) + (inProject[1] ?? '') : this.path(name);
  }

  git(args: readonly string[]): void {
    const identity = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.org'];
    const env = { PATH: process.env.PATH ?? '', HOME: this.home, GIT_CONFIG_NOSYSTEM: '1' };
    execFileSync('git', [...identity, ...args], { cwd: this.project, env, stdio: 'pipe' });
  }

  async dispose(): Promise<void> {
    for (const session of this.#sessions.values()) await session.kill();
    makeRemovable(this.root);
    fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function reshape(path: string, shape: Shape): void {
  switch (shape.kind) {
    case 'unreadable':
      fs.chmodSync(path, 0o000);
      break;
    case 'read-only':
      fs.chmodSync(path, fs.statSync(path).isDirectory() ? 0o555 : 0o444);
      break;
    case 'not-executable':
      fs.chmodSync(path, 0o644);
      break;
    case 'older': {
      const then = (Date.now() - shape.ms) / 1000;
      fs.utimesSync(path, then, then);
      break;
    }
    case 'large':
      fs.writeFileSync(path, Buffer.alloc(shape.bytes, 'x\n'));
      break;
    default:
      fs.rmSync(path, { recursive: true, force: true });
      if (shape.kind === 'folder') fs.mkdirSync(path);
      if (shape.kind === 'fifo') execFileSync('mkfifo', [path]);
      if (shape.kind === 'link-to-itself') fs.symlinkSync(path, path);
      if (shape.kind === 'link') fs.symlinkSync(shape.to, path);
  }
}

function isFile(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Gives folders their permissions back: without them their content cannot be removed. */
function makeRemovable(folder: string): void {
  fs.chmodSync(folder, 0o700);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeRemovable(join(folder, entry.name));
}
