/** Bare repositories as remotes of a fleet: some of them refuse pushes, answer slowly, or are away for a while. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'gc.auto=0'];

export interface BareRemote {
  /** Its path, which is its URL. */
  url: string;
  /** The commit that main began with. */
  first: string;
  git(...args: string[]): string;
  /** All refs by their name. */
  refs(): Record<string, string>;
  /** The first lines of the commits of a ref, the newest first. */
  log(ref: string): string[];
  /** Refuses every push, as a server does that is being worked on. */
  refusePushes(on: boolean): void;
  /** Refuses pushes to refs whose name holds this text, and those alone. */
  refuseRef(part: string | undefined): void;
  /** Takes the repository away, and brings it back. */
  away(on: boolean): void;
  /** Lets no push get on before it is let go. */
  holdPushes(on: boolean): void;
  /** Moves the refs, and then never answers. */
  loseAnswers(on: boolean): void;
}

/** A remote with these files on main. */
export function makeRemote(url: string, files: Record<string, string> = { 'a.txt': 'one\n' }): BareRemote {
  const seed = `${url}.seed`;
  mkdirSync(seed, { recursive: true });
  const run = (cwd: string, args: string[]) =>
    execFileSync('git', [...IDENTITY, ...args], {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
      maxBuffer: 2 ** 28,
    }).trimEnd();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(seed, path)), { recursive: true });
    writeFileSync(join(seed, path), text);
  }
  run(seed, ['init', '--quiet', '--initial-branch=main', '--template=']);
  run(seed, ['add', '--all', '--force']);
  run(seed, ['commit', '--quiet', '--allow-empty', '-m', 'first']);
  run(seed, ['clone', '--quiet', '--bare', '--template=', '--no-local', seed, url]);
  rmSync(seed, { recursive: true, force: true });
  const git = (...args: string[]) => run(url, args);
  const hook = (name: string, script: string | undefined) => {
    const path = join(url, 'hooks', name);
    rmSync(path, { force: true });
    if (script === undefined) return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, `#!/bin/sh\n${script}\n`);
    chmodSync(`${path}.new`, 0o755);
    renameSync(`${path}.new`, path);
  };
  const when = (on: boolean, script: string) => (on ? script : undefined);
  return {
    url,
    first: git('rev-parse', 'main'),
    git,
    refs() {
      const lines = git('for-each-ref', '--format=%(refname) %(objectname)').split('\n');
      return Object.fromEntries(lines.filter((line) => line !== '').map((line) => line.split(' ')));
    },
    log: (ref) => git('log', '--first-parent', '--format=%s', ref).split('\n'),
    refusePushes: (on) =>
      hook('pre-receive', when(on, 'echo "no pushes: the server is being worked on" >&2; exit 1')),
    refuseRef: (part) =>
      hook(
        'update',
        part === undefined
          ? undefined
          : `case "$1" in *${part}*) echo "not this ref: $1" >&2; exit 1;; esac; exit 0`,
      ),
    away(on) {
      const [from, to] = on ? [url, `${url}.away`] : [`${url}.away`, url];
      if (existsSync(from)) renameSync(from, to);
    },
    holdPushes(on) {
      const go = join(url, 'let-go');
      if (!on) return writeFileSync(go, '');
      rmSync(go, { force: true });
      hook('pre-receive', 'until [ -e let-go ]; do sleep 0.05; done');
    },
    // The client of a local push ends when the hook kills the process that speaks to it.
    loseAnswers: (on) => hook('post-receive', when(on, 'kill -9 $PPID')),
  };
}
