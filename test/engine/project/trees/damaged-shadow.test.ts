/** A shadow that a power cut damaged, or that somebody changed: it mends itself, and no verdict rests on a forgery. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWorkspace } from '../../../../src/engine/project/trees/workspace.ts';
import { isLong, longDescribe } from '../../../support/long.ts';
import { commit, git, type Scene, scene, write } from '../../../support/project/project-scene.ts';

const KEY = 'a key';

/** A project with two trees: the start, and the work. */
async function worked({ inGit = true } = {}) {
  const place = scene({ git: inGit });
  write(place.project, 'test/a.test.js', 'one\ntwo\n');
  write(place.project, 'src/a.js', 'a\n');
  if (inGit) commit(place.project);
  // Not in the repository, so that its objects are in the shadow.
  write(place.project, 'test/b.test.js', 'three\n');
  const open = () => openWorkspace({ ...place, key: KEY });
  const base = await open().tree();
  write(place.project, 'test/b.test.js', 'three\nfour\n');
  write(place.project, 'src/b.js', 'b\n');
  const now = await open().tree();
  return { ...place, open, base, now };
}

type Worked = Awaited<ReturnType<typeof worked>>;

const CHANGES = [
  { path: 'src/b.js', change: 'added' },
  { path: 'test/b.test.js', change: 'modified' },
];

async function expectWhole({ open, base, now }: Worked): Promise<void> {
  expect(await open().tree()).toBe(now);
  expect(await open().changes(base, now)).toEqual(CHANGES);
  expect(await open().contentAt(base, 'test/b.test.js')).toBe('three\n');
  expect((await open().addedLines(base, now)).map(({ text }) => text)).toEqual(['b', 'four']);
}

const DAMAGES: [string, (path: string) => void][] = [
  ['empty', (path) => truncateSync(path, 0)],
  ['cut in half', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ['never written', (path) => writeFileSync(path, Buffer.alloc(statSync(path).size))],
  ['garbage', (path) => writeFileSync(path, 'garbage\n')],
  ['gone', (path) => rmSync(path)],
];

const SMALL = [
  'shadow/HEAD',
  'shadow/config',
  'shadow/untildone.json',
  'shadow/info/exclude',
  'shadow/info/attributes',
  'shadow/objects/info/alternates',
  'index',
  'index.settled',
];

test.each(DAMAGES)('files that are %s are put right, all at once', async (_, damage) => {
  const place = await worked();
  for (const name of SMALL) damage(join(place.folder, 'home', name));
  await expectWhole(place);
});

longDescribe.each(DAMAGES)('a file that is %s', (_, damage) => {
  test.each(SMALL)('%s is put right', async (name) => {
    const place = await worked();
    damage(join(place.folder, 'home', name));
    await expectWhole(place);
    await expectWhole(place);
  });
});

test('a folder in the place of a file goes out of the way, and is kept', async () => {
  const place = await worked();
  for (const name of ['HEAD', 'config', 'untildone.json']) {
    rmSync(join(place.shadowDir, name));
    mkdirSync(join(place.shadowDir, name));
  }
  await expectWhole(place);
});

test('empty folders that a power cut took are made again', async () => {
  const place = await worked();
  rmSync(join(place.shadowDir, 'refs'), { recursive: true });
  rmSync(join(place.shadowDir, 'info'), { recursive: true });
  await expectWhole(place);
});

function looseObjects({ shadowDir }: Scene): string[] {
  return readdirSync(join(shadowDir, 'objects'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /^[0-9a-f]{2}\/[0-9a-f]+$/.test(name))
    .map((name) => join(shadowDir, 'objects', name));
}

/** Writes other bytes under the name of an object. */
function forge({ shadowDir }: Scene, id: string, instead: string): void {
  const at = (each: string) => join(shadowDir, 'objects', each.slice(0, 2), each.slice(2));
  chmodSync(at(id), 0o600);
  copyFileSync(at(instead), at(id));
}

describe('objects', () => {
  test.each(DAMAGES.slice(0, isLong ? 4 : 1))(
    'that are %s: what is in the project is written again, the rest is lost',
    async (_, damage) => {
      const place = await worked({ inGit: false });
      const known = new Set(looseObjects(place).map((path) => path));
      for (const path of known) {
        const bytes = readFileSync(path);
        chmodSync(path, 0o600);
        damage(path);
        expect(await place.open().tree()).toBe(place.now);
        const seen = await place
          .open()
          .changes(place.base, place.now)
          .catch((error: Error) => error.message);
        if (typeof seen !== 'string') expect(seen).toEqual(CHANGES);
        // Only what is left of the start alone can be lost, and nothing is passed over in silence.
        else expect(seen).toMatch(/git diff-tree failed|does not fit its name/);
        expect(await place.open().tree()).toBe(place.now);
        if (existsSync(path)) chmodSync(path, 0o600);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, bytes);
      }
      await expectWhole(place);
    },
  );
  test('that were forged give no difference, no content and no added lines', async () => {
    const place = await worked({ inGit: false });
    const { open, base, now } = place;
    const idOf = (name: string) => git(place.shadowDir, 'rev-parse', name);
    const [oldBlob, newBlob] = [idOf(`${base}:test/b.test.js`), idOf(`${now}:test/b.test.js`)];
    const whole = join(place.folder, 'whole');
    cpSync(place.shadowDir, whole, { recursive: true });
    for (const [id, instead] of [
      [base, now],
      [idOf(`${base}:test`), idOf(`${now}:test`)],
      [oldBlob, newBlob],
    ] as const) {
      forge(place, id, instead);
      const seen = await open()
        .changes(base, now)
        .catch((error: Error) => error);
      if (!(seen instanceof Error)) expect(seen).toEqual(CHANGES);
      await expect(open().addedLines(base, now)).rejects.toThrow();
      if (id === oldBlob) await expect(open().contentAt(base, 'test/b.test.js')).rejects.toThrow();
      rmSync(place.shadowDir, { recursive: true });
      cpSync(whole, place.shadowDir, { recursive: true });
    }
    await expectWhole(place);
  });
});

describe('what somebody else changed does not count', () => {
  test('the record of the tree', async () => {
    const place = await worked();
    const record = join(place.folder, 'home', 'index.settled');
    const [, ...rest] = readFileSync(record, 'utf8').split(' ');
    writeFileSync(record, [place.base, ...rest].join(' '));
    expect(await place.open().tree()).toBe(place.now);
  });
  test('an index that says that a changed file is the old one', async () => {
    const place = await worked();
    const file = join(place.project, 'src/a.js');
    const { atime, mtime } = statSync(file);
    const env = {
      ...process.env,
      GIT_DIR: place.shadowDir,
      GIT_WORK_TREE: place.project,
      GIT_INDEX_FILE: place.indexFile,
    };
    const old = git(place.shadowDir, 'rev-parse', `${place.now}:src/a.js`);
    writeFileSync(file, 'x\n');
    utimesSync(file, atime, mtime);
    // Takes over the times of the new file, then names the old content.
    const run = (...args: string[]) =>
      execFileSync('git', args, { cwd: place.project, env, encoding: 'utf8' });
    run('add', 'src/a.js');
    const index = readFileSync(place.indexFile);
    const fresh = Buffer.from(git(place.shadowDir, 'hash-object', file), 'hex');
    const at = index.indexOf(fresh);
    expect(at).toBeGreaterThan(0);
    Buffer.from(old, 'hex').copy(index, at);
    writeFileSync(place.indexFile, index);
    const tree = await place.open().tree();
    expect(tree).not.toBe(place.now);
    expect(await place.open().contentAt(tree, 'src/a.js')).toBe('x\n');
  });
  test('patterns, attributes, settings and another folder for all of them', async () => {
    const place = await worked();
    const forged = join(place.folder, 'forged');
    cpSync(place.shadowDir, forged, { recursive: true });
    for (const dir of [place.shadowDir, forged]) {
      writeFileSync(join(dir, 'info/exclude'), '*.js\n');
      writeFileSync(join(dir, 'info/attributes'), '* filter=cheat\n');
      writeFileSync(join(dir, 'config'), '[core]\n\tbare = true\n[filter "cheat"]\n\tclean = echo cheat\n');
    }
    writeFileSync(join(place.shadowDir, 'commondir'), `${forged}\n`);
    write(place.project, 'src/c.js', 'c\n');
    const tree = await place.open().tree();
    expect(await place.open().contentAt(tree, 'src/c.js')).toBe('c\n');
  });
});

test('whatever the umask, nobody else can read what is kept', async () => {
  const before = process.umask(0);
  try {
    const place = await worked();
    const open = readdirSync(join(place.folder, 'home'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => statSync(join(place.folder, 'home', name)).mode & 0o077,
    );
    expect(open).toEqual([]);
  } finally {
    process.umask(before);
  }
});
