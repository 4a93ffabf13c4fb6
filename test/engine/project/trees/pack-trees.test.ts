import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { requireInEsm } from '../../../../scripts/esm-require.mjs';
import { dropUnnamed, packLoose } from '../../../../src/engine/project/trees/pack-trees.ts';
import { isLong, rounds } from '../../../support/long.ts';
import { commit, EMPTY_TREE, git, type Scene, scene, write } from '../../../support/project/project-scene.ts';

const DAY = 24 * 3_600_000;
/** A time in the future, at which everything is old. */
const LATER = () => Date.now() + DAY;

function counted({ shadowDir }: Scene): Record<string, number> {
  const said = git(shadowDir, 'count-objects', '-v');
  return Object.fromEntries(
    [...said.matchAll(/^([\w-]+): (\d+)$/gm)].map(([, name, n]) => [name, Number(n)]),
  );
}

/** Writes so many trees of a project, with one file changed each time. */
async function stops(place: Scene, times: number, from = 0): Promise<string[]> {
  const trees: string[] = [];
  for (let i = from; i < from + times; i++) {
    write(place.project, 'src/work.ts', `export const step = ${i};\n`);
    trees.push(await place.workspace.tree());
  }
  return trees;
}

const stepAt = ({ workspace }: Scene, tree: string) => workspace.contentAt(tree, 'src/work.ts');

describe('packing what is loose', () => {
  test('leaves every tree readable, and the next ones the same as without it', async () => {
    const place = scene();
    write(place.project, 'a.txt', 'one\n');
    commit(place.project);
    const trees = await stops(place, 6);
    expect(await packLoose(place.shadowDir, { atLeast: 1 })).toBeGreaterThan(12);
    expect(counted(place)).toMatchObject({ count: 0, packs: 1, garbage: 0 });
    expect(await place.workspace.tree()).toBe(trees[5]);
    for (const [i, tree] of trees.entries())
      expect(await stepAt(place, tree)).toBe(`export const step = ${i};\n`);
    const [again] = await stops(place, 1, 0);
    expect(again).toBe(trees[0]);
  });

  test('leaves few objects alone', async () => {
    const place = scene();
    await stops(place, 2);
    expect(await packLoose(place.shadowDir, { atLeast: 1000 })).toBe(0);
    expect(counted(place)).toMatchObject({ packs: 0 });
  });

  test('keeps what the user’s repository holds too: it may be pruned there', async () => {
    const place = scene();
    const [tree = ''] = await stops(place, 1);
    commit(place.project);
    git(place.project, 'gc', '--quiet', '--prune=now');
    await packLoose(place.shadowDir, { atLeast: 1 });
    rmSync(join(place.project, '.git'), { recursive: true });
    expect(await stepAt(place, tree)).toBe('export const step = 0;\n');
  });

  test('a time that is out leaves everything as it was', async () => {
    const place = scene();
    const [tree = ''] = await stops(place, 1);
    const before = counted(place).count;
    await expect(packLoose(place.shadowDir, { atLeast: 1, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(counted(place).count).toBe(before);
    expect(await stepAt(place, tree)).toBe('export const step = 0;\n');
  });
});

describe('dropping what nothing names', () => {
  const drop = (place: Scene, named: string[], oldBefore = LATER()) =>
    dropUnnamed(place.shadowDir, {
      // What the index was settled as is named, too, or git would not write it again.
      named: [...named, readFileSync(`${place.indexFile}.settled`, 'utf8')],
      indexFiles: [place.indexFile],
      oldBefore,
    });

  test('keeps what is named, what the index holds and what is young, and nothing else', async () => {
    const place = scene();
    const trees = await stops(place, 5);
    const [lost = '', kept = ''] = trees;
    await packLoose(place.shadowDir, { atLeast: 1 });
    expect(await drop(place, [`{"tree":"${kept}"}`], Date.now() - DAY)).toEqual({ objects: 0, bytes: 0 });
    const dropped = await drop(place, [`{"tree":"${kept}"}`]);
    expect(dropped.objects).toBeGreaterThanOrEqual(6);
    expect(await stepAt(place, kept)).toBe('export const step = 1;\n');
    await expect(stepAt(place, lost)).rejects.toThrow('is lost');
    const now = await place.workspace.tree();
    expect(now).toBe(trees[4]);
    expect(await stepAt(place, now)).toBe('export const step = 4;\n');
  });

  test('a tree that was dropped and comes back is whole again', async () => {
    const place = scene();
    const [lost = ''] = await stops(place, 3);
    await packLoose(place.shadowDir, { atLeast: 1 });
    await drop(place, []);
    const [back = ''] = await stops(place, 1);
    expect(back).toBe(lost);
    expect(await stepAt(place, back)).toBe('export const step = 0;\n');
    expect(await place.workspace.changes(EMPTY_TREE, back)).toHaveLength(1);
  });

  test('what was old and is written again counts as young', async () => {
    const place = scene();
    const [first = ''] = await stops(place, 3);
    await packLoose(place.shadowDir, { atLeast: 1 });
    const packs = join(place.shadowDir, 'objects', 'pack');
    for (const name of readdirSync(packs)) utimesSync(join(packs, name), 1, 1);
    const [again = ''] = await stops(place, 1);
    expect(again).toBe(first);
    await stops(place, 1, 2);
    expect(await drop(place, [], Date.now() - DAY)).toEqual({ objects: 0, bytes: 0 });
    expect(await stepAt(place, first)).toBe('export const step = 0;\n');
  });

  test('while another process makes a tree, nothing goes', async () => {
    const place = scene();
    const [lost = ''] = await stops(place, 2);
    await packLoose(place.shadowDir, { atLeast: 1 });
    const copy = `${place.indexFile}.${process.pid}-0123abcd`;
    writeFileSync(copy, '');
    expect(await drop(place, [])).toEqual({ objects: 0, bytes: 0 });
    expect(await stepAt(place, lost)).toBe('export const step = 0;\n');
    rmSync(copy);
    expect((await drop(place, [])).objects).toBeGreaterThan(0);
  });

  test('what is named and borrowed from a repository that is gone keeps nothing from working', async () => {
    const place = scene();
    write(place.project, 'big/a.txt', 'one\n');
    commit(place.project);
    const trees = await stops(place, 3);
    rmSync(join(place.project, '.git'), { recursive: true });
    await packLoose(place.shadowDir, { atLeast: 1 });
    expect((await drop(place, [trees[1] ?? ''])).objects).toBeGreaterThan(0);
    expect(await stepAt(place, trees[1] ?? '')).toBe('export const step = 1;\n');
  });

  test('an index that cannot be read stops it before anything goes', async () => {
    const place = scene();
    const [lost = ''] = await stops(place, 2);
    await packLoose(place.shadowDir, { atLeast: 1 });
    writeFileSync(place.indexFile, 'this is no index');
    await expect(drop(place, [])).rejects.toThrow();
    expect(await stepAt(place, lost)).toBe('export const step = 0;\n');
  });
});

describe('killed and beside others', () => {
  async function program(folder: string): Promise<string> {
    const outfile = join(folder, 'keep.mjs');
    const contents = `import { dropUnnamed, packLoose } from './pack-trees.ts';
      const [shadowDir, index, ...named] = process.argv.slice(2);
      process.stdout.write('begun');
      await packLoose(shadowDir, { atLeast: 1 });
      await dropUnnamed(shadowDir, { named, indexFiles: [index], oldBefore: Date.now() + (named.length > 0 ? 1e8 : -1e4) });`;
    await build({
      stdin: {
        contents,
        resolveDir: fileURLToPath(new URL('../../../../src/engine/project/trees', import.meta.url)),
      },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: requireInEsm(),
      logLevel: 'error',
    });
    return outfile;
  }

  test('a kill at any time loses nothing that is named', async () => {
    const place = scene();
    const file = await program(place.folder);
    const named: string[] = [];
    const steps = isLong ? [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] : [1, 5, 9];
    for (const [round, step] of steps.entries()) {
      const [kept = ''] = await stops(place, 4, round * 4);
      named.push(kept);
      const child = spawn(process.execPath, [file, place.shadowDir, place.indexFile, ...named], {
        stdio: 'pipe',
        detached: true,
      });
      const ended = new Promise((resolve) => child.on('close', resolve));
      await new Promise((resolve) => child.stdout.once('data', resolve));
      // A later step each time: from the listing of what is loose to the removal of old packs.
      setTimeout(() => child.kill('SIGKILL'), step * 12);
      await ended;
      for (const [i, tree] of named.entries())
        expect(await stepAt(place, tree)).toBe(`export const step = ${i * 4};\n`);
      expect(git(place.shadowDir, 'fsck', '--connectivity-only', ...named)).not.toMatch(/missing|broken/);
    }
  });

  test('a tree that is made again while the old pack that holds it would go is whole', async () => {
    const place = scene();
    const file = await program(place.folder);
    const packs = join(place.shadowDir, 'objects', 'pack');
    for (let round = 0; round < rounds(10, 2); round++) {
      await stops(place, 3);
      await packLoose(place.shadowDir, { atLeast: 1 });
      for (const name of readdirSync(packs)) utimesSync(join(packs, name), 1, 1);
      const child = spawn(process.execPath, [file, place.shadowDir, place.indexFile], { stdio: 'pipe' });
      const ended = new Promise((resolve) => child.on('close', resolve));
      await new Promise((resolve) => child.stdout.once('data', resolve));
      const [tree = ''] = await stops(place, 1, round % 2);
      await ended;
      expect(await stepAt(place, tree)).toBe(`export const step = ${round % 2};\n`);
    }
  });
});
