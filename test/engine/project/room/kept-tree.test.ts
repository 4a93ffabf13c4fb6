import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { requireInEsm } from '../../../../scripts/esm-require.mjs';
import type { Workspace } from '../../../../src/engine/ports/ports.ts';
import type { Room } from '../../../../src/engine/ports/rooms.ts';
import { openRoom, type RoomRequest } from '../../../../src/engine/project/room/room.ts';
import { openWorkspace } from '../../../../src/engine/project/trees/workspace.ts';
import { rounds } from '../../../support/long.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { contentOf } from '../../../support/project/folder-content.ts';
import { initRepository } from '../../../support/repository.ts';

let root: string;
let project: string;
let workspace: Workspace;
const opened: Room[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'untildone-kept-test-'));
  project = join(root, 'project');
  mkdirSync(project);
  initRepository(project);
  workspace = openWorkspace({
    project,
    shadowDir: join(root, 'home/shadow'),
    indexFile: join(root, 'home/index'),
  });
  write('.gitignore', 'node_modules/\n');
  write('main.txt', 'main\n');
  write('src/deep/one.js', 'one\n');
  write('src/deep/two.js', 'two\n');
  write('src/run.sh', '#!/bin/sh\n');
  chmodSync(join(project, 'src/run.sh'), 0o755);
  write('empty', '');
  symlinkSync('src/run.sh', join(project, 'link'));
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const room of opened.splice(0)) await room.dispose();
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

async function room(more: Partial<RoomRequest> = {}, rooms = 'rooms'): Promise<Room> {
  const made = await openRoom(
    { tree: await workspace.tree(), ...more },
    {
      folder: join(root, 'home', rooms),
      shadowDir: join(root, 'home/shadow'),
      key: 'a key',
      environment: ({ home }) => ({ PATH: process.env.PATH ?? '', HOME: home }),
    },
  );
  opened.push(made);
  return made;
}

async function run(inside: Room, command: string): Promise<string> {
  const { output } = await inside.shell.run({
    command,
    cwd: inside.dir,
    timeoutMs: PATIENCE_MS,
    oneStream: true,
  });
  return output.trim();
}

/** A room in which these commands run, and which is over then. */
async function visit(...commands: string[]): Promise<void> {
  const inside = await room();
  for (const command of commands) await run(inside, command);
  await inside.dispose();
}

/** Holds the next room against one that was written into an empty home. */
async function expectExactly(): Promise<Room> {
  const next = await room();
  const fresh = await room({}, `fresh-${Math.random()}`);
  expect(contentOf(next.dir)).toEqual(contentOf(fresh.dir));
  expect(await run(next, 'git status --porcelain --ignored')).toBe('');
  expect(await next.changed()).toEqual({ expected: [], code: [] });
  return next;
}

const inKept = (path: string) => join(root, 'home/rooms/0', path);
const inode = (path: string) => lstatSync(path).ino;
const isLinux = process.platform === 'linux';

describe.skipIf(!isLinux)('untouched files are those of the last room', () => {
  test('and everything else is that of the tree', async () => {
    const first = await room();
    const before = inode(join(first.dir, 'src/deep/one.js'));
    const link = inode(join(first.dir, 'link'));
    await first.dispose();
    write('src/deep/two.js', 'TWO\n');
    const next = await expectExactly();
    expect(inode(join(next.dir, 'src/deep/one.js'))).toBe(before);
    expect(inode(join(next.dir, 'link'))).toBe(link);
    expect(readFileSync(join(next.dir, 'src/deep/two.js'), 'utf8')).toBe('TWO\n');
  });

  test('they are as new as the room', async () => {
    await visit();
    const began = Date.now() - 1_000;
    const next = await room();
    for (const path of ['main.txt', 'src/deep/one.js', 'link'])
      expect(lstatSync(join(next.dir, path)).mtimeMs).toBeGreaterThan(began);
  });
});

describe('a room has exactly the tree after one of another tree', () => {
  const changes: Record<string, () => void> = {
    'a file changes': () => write('src/deep/one.js', 'ONE\n'),
    'a file is gone': () => rmSync(join(project, 'src/deep/one.js')),
    'a folder is gone': () => rmSync(join(project, 'src'), { recursive: true }),
    'everything is gone': () => {
      for (const path of ['src', 'main.txt', 'empty', 'link', '.gitignore'])
        rmSync(join(project, path), { recursive: true });
    },
    'a file becomes a folder': () => {
      rmSync(join(project, 'main.txt'));
      write('main.txt/inside', 'inside\n');
    },
    'a folder becomes a file': () => {
      rmSync(join(project, 'src'), { recursive: true });
      write('src', 'a file\n');
    },
    'a folder becomes a link': () => {
      rmSync(join(project, 'src/deep'), { recursive: true });
      symlinkSync('..', join(project, 'src/deep'));
    },
    'a link leads elsewhere': () => {
      rmSync(join(project, 'link'));
      symlinkSync('main.txt', join(project, 'link'));
    },
    'a link becomes a file': () => {
      rmSync(join(project, 'link'));
      write('link', 'src/run.sh');
    },
    'a mode changes': () => {
      chmodSync(join(project, 'src/run.sh'), 0o644);
      chmodSync(join(project, 'main.txt'), 0o755);
    },
    'a file is emptied': () => write('main.txt', ''),
    'two files change places': () => {
      write('src/deep/one.js', 'two\n');
      write('src/deep/two.js', 'one\n');
    },
    'names are odd': () => {
      write('a name\nof "two" lines', 'odd\n');
      if (!isLinux) return;
      const odd = Buffer.concat([Buffer.from(`${project}/`), Buffer.from([0xff])]);
      mkdirSync(odd);
      writeFileSync(Buffer.concat([odd, Buffer.from('/inside')]), 'inside\n');
      // What the name above reads like.
      write('\uFFFD', 'a file\n');
    },
    'a repository lies in it': () => {
      const inner = join(project, 'src/inner');
      mkdirSync(inner);
      initRepository(inner);
      writeFileSync(join(inner, 'file'), 'inner\n');
      execFileSync('git', ['add', '.'], { cwd: inner });
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'inner'], {
        cwd: inner,
      });
    },
  };
  test.each(Object.entries(changes))('%s', async (_, change) => {
    await visit();
    const before = await workspace.tree();
    change();
    await visit();
    await (await expectExactly()).dispose();
    // And back.
    const back = await room({ tree: before });
    const fresh = await room({ tree: before }, 'fresh');
    expect(contentOf(back.dir)).toEqual(contentOf(fresh.dir));
  });
});

describe('what commands did to a room reaches no later room, and not the project', () => {
  const commands: Record<string, string> = {
    'write in place, and append': 'printf MAIN >main.txt; echo more >>src/deep/one.js',
    'write the same size, with the old time':
      'touch -r main.txt ../t; printf MAIN | dd of=main.txt conv=notrunc 2>/dev/null; touch -r ../t main.txt; rm ../t',
    'change modes': 'chmod 755 empty; chmod 600 main.txt src/deep/one.js; chmod 644 main.txt',
    replace: 'echo other >x; mv x main.txt; cp src/deep/one.js x; mv x src/deep/one.js',
    remove: 'rm main.txt src/deep/one.js',
    'remove everything': 'rm -rf src .git * .gitignore',
    'remove the room itself': 'cd /; rm -rf "$OLDPWD"',
    'add a name': 'ln main.txt other-name; ln src/deep/one.js ../outside',
    'add files': 'mkdir -p src/deep/more; echo x >src/deep/more/x; echo y >src/deep/y; mkfifo pipe',
    'make a folder a link': 'mv src ../src-moved; ln -s ../src-moved src',
    'make a folder a file': 'rm -r src/deep; echo x >src/deep',
    'change a folder': 'chmod 2777 src/deep',
    'leave a folder nobody may write to': 'mkdir out; touch out/file; chmod 0 out src/deep',
    'change the repository':
      'git config core.fsmonitor x; echo exit 1 >.git/hooks; git rm -q --cached main.txt',
    'link out': `rm main.txt; ln -s "$ELSEWHERE" main.txt`,
  };
  test.each(Object.entries(commands))('%s', async (_, command) => {
    const before = contentOf(project);
    await visit(`ELSEWHERE='${project}/main.txt'; ${command}`);
    expect(contentOf(project)).toEqual(before);
    await expectExactly();
    expect(contentOf(project)).toEqual(before);
  });

  test.runIf(isLinux)('a file that was written and put back, times included, is written anew', async () => {
    const first = await room();
    await run(
      first,
      'touch -r main.txt ../t; echo main | dd of=main.txt conv=notrunc 2>/dev/null; touch -r ../t main.txt; rm ../t',
    );
    await run(first, `ln src/run.sh '${root}/name'; rm '${root}/name'`);
    await first.dispose();
    const untouched = inode(inKept('kept/src/deep/one.js'));
    expect(existsSync(inKept('kept/main.txt'))).toBe(false);
    expect(existsSync(inKept('kept/src/run.sh'))).toBe(false);
    expect(inode(join((await expectExactly()).dir, 'src/deep/one.js'))).toBe(untouched);
  });

  test('nothing is moved through a link that a command left in place of a folder', async () => {
    await visit(`mv src '${root}/mine'; ln -s '${root}/mine' src`);
    expect(existsSync(join(root, 'mine/deep/one.js'))).toBe(true);
    await expectExactly();
  });

  test('a name that a command gave a file outside leads to no file of a later room', async () => {
    await visit(`ln main.txt '${root}/outside'; ln src/deep/one.js '${root}/outside-too'`);
    const next = await room();
    for (const name of ['outside', 'outside-too']) writeFileSync(join(root, name), 'bad\n');
    expect(await run(next, 'cat main.txt src/deep/one.js')).toBe('main\none');
  });

  test.runIf(isLinux)('a process that a command left behind writes to no later room', async () => {
    // Its file is open already: it needs no path.
    await visit(
      `(exec 3>>main.txt; cd src/deep; touch '${root}/ready'; until [ -e '${root}/go' ]; do sleep 0.05; done; echo bad >&3; echo bad >planted; touch '${root}/gone') >/dev/null 2>&1 & until [ -e '${root}/ready' ]; do sleep 0.05; done`,
    );
    const next = await room();
    writeFileSync(join(root, 'go'), '');
    await expect.poll(() => existsSync(join(root, 'gone')), { timeout: PATIENCE_MS }).toBe(true);
    expect(await run(next, 'cat main.txt; ls src/deep')).toBe('main\none.js\ntwo.js');
  });
});

describe.runIf(isLinux)('kept files that somebody else touched are not used', () => {
  const changes: Record<string, (kept: string) => void> = {
    'one is changed, with its old time': (kept) => {
      const { atime, mtime } = lstatSync(join(kept, 'main.txt'));
      writeFileSync(join(kept, 'main.txt'), 'MAIN\n');
      utimesSync(join(kept, 'main.txt'), atime, mtime);
    },
    'one is added': (kept) => writeFileSync(join(kept, 'src/deep/conftest.py'), 'bad'),
    'one is a link': (kept) => {
      rmSync(join(kept, 'main.txt'));
      symlinkSync(join(project, 'main.txt'), join(kept, 'main.txt'));
    },
    'a folder is a link': (kept) => {
      rmSync(join(kept, 'src'), { recursive: true });
      symlinkSync(join(project, 'src'), join(kept, 'src'));
    },
    'a folder has another mode': (kept) => chmodSync(join(kept, 'src'), 0o777),
    'all are gone': (kept) => rmSync(kept, { recursive: true }),
    'one has another name outside': (kept) => {
      execFileSync('ln', [join(kept, 'main.txt'), join(root, 'outside')]);
    },
  };
  test.each(Object.entries(changes))('%s', async (_, change) => {
    await visit();
    const before = inode(inKept('kept/empty'));
    change(inKept('kept'));
    // The number of an inode that is free is soon used again.
    const holder = join(root, 'holder');
    if (existsSync(inKept('kept/empty'))) execFileSync('ln', [inKept('kept/empty'), holder]);
    const next = await expectExactly();
    if (existsSync(holder)) expect(inode(join(next.dir, 'empty'))).not.toBe(before);
  });

  test('their record is another, or cannot be read', async () => {
    for (const text of ['', 'x\n{}\n', `${'0'.repeat(64)}\n{"maker":"","stamps":[]}\n`, '{']) {
      await visit();
      writeFileSync(inKept('kept.json'), text);
      await (await expectExactly()).dispose();
    }
  });

  test('new files would get another mode', async () => {
    await visit();
    const before = inode(inKept('kept/main.txt'));
    execFileSync('ln', [inKept('kept/main.txt'), join(root, 'holder')]);
    await visit();
    vi.spyOn(process, 'umask').mockReturnValue(0o077);
    const next = await room();
    expect(inode(join(next.dir, 'main.txt'))).not.toBe(before);
  });
});

describe('a killed process leaves nothing that a later room uses', () => {
  test.each([
    ['in an open room', async () => void (await run(await room(), 'echo bad >main.txt; echo bad >planted'))],
    [
      'while it moved files out of the room',
      async () => {
        await visit();
        rmSync(inKept('kept.json'), { force: true });
        writeFileSync(join(inKept('kept'), 'main.txt'), 'half');
        mkdirSync(inKept('project'), { recursive: true });
        writeFileSync(inKept('project/main.txt'), 'bad');
      },
    ],
    [
      'after it took the files, before it forgot them',
      async () => {
        await visit();
        const record = isLinux ? readFileSync(inKept('kept.json')) : '';
        await run(await room(), 'echo bad >main.txt; echo bad >planted');
        writeFileSync(inKept('kept.json'), record);
      },
    ],
    [
      'before it forgot them, and the files came back',
      async () => {
        await visit();
        const record = isLinux ? readFileSync(inKept('kept.json')) : '';
        await visit('echo more >>main.txt');
        writeFileSync(inKept('kept.json'), record);
      },
    ],
    [
      'of an older version, with a room that was not removed',
      () => {
        mkdirSync(inKept('project/.git'), { recursive: true });
        writeFileSync(inKept('project/main.txt'), 'bad');
        mkdirSync(inKept('home'));
        writeFileSync(inKept('home/bad'), '');
      },
    ],
  ])('%s', async (_, kill) => {
    await kill();
    opened.splice(0);
    // As after a kill: the lock's owner is gone.
    rmSync(join(root, 'home/rooms/0.lock'), { force: true });
    const next = await expectExactly();
    expect(await run(next, 'ls -A "$HOME"')).toBe('');
  });
});

test('a process that is killed at any moment leaves nothing that a later room uses', async () => {
  const outfile = join(root, 'visits.mjs');
  const entry = join(import.meta.dirname, '../../../support/project/room-visits.ts');
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: requireInEsm(),
    target: 'node20',
  });
  const trees = [await workspace.tree()];
  write('src/deep/two.js', 'TWO\n');
  write('src/new/three.js', 'three\n');
  trees.push(await workspace.tree());
  const args = [outfile, join(root, 'home/rooms'), join(root, 'home/shadow'), ...trees];
  for (let round = 0; round < rounds(40, 4); round++) {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await wait(Math.random() * LONGEST_VISIT_MS);
    child.kill('SIGKILL');
    await exited;
    await (await expectExactly()).dispose();
  }
});

const LONGEST_VISIT_MS = 250;

test('held-out tests are gone with the room', async () => {
  const inside = await room({ over: { 'held/out.test.js': 'a secret', 'main.txt': 'another' } });
  await inside.dispose();
  const left = execFileSync('sh', ['-c', `grep -rl -e 'a secret' -e another . || true`], {
    cwd: join(root, 'home/rooms'),
  });
  expect(left.toString()).toBe('');
  await (await expectExactly()).dispose();
});

test('two rooms at once have their own files, and so have those after them', async () => {
  const both = [await room(), await room()];
  await Promise.all(both.map((each, n) => run(each, `echo ${n} >main.txt`)));
  await Promise.all(both.map((each) => each.dispose()));
  const next = [await room(), await room()];
  expect(new Set(next.map(({ dir }) => inode(join(dir, 'empty')))).size).toBe(2);
  for (const each of next) expect(await run(each, 'cat main.txt')).toBe('main');
});

describe('where nothing can be kept or put aside', () => {
  test.each(['kept', 'kept.json', 'kept.json.new', 'trash', 'time'])('because of %s', async (name) => {
    await visit();
    for (const made of [inKept(name), inKept(`${name}/full`)]) {
      rmSync(inKept(name), { recursive: true, force: true });
      mkdirSync(made, { recursive: true });
      await (await expectExactly()).dispose();
    }
    rmSync(inKept(name), { recursive: true, force: true });
    writeFileSync(inKept(name), 'a file');
    await (await expectExactly()).dispose();
    expect(existsSync(inKept('project'))).toBe(false);
  });
});
