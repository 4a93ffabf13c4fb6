// Tier: world
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prune } from '../../../src/cli/loop/prune.ts';
import { keptReceipt, removeLoop, sessionFilesByLoop } from '../../../src/cli/loop/remove-loops.ts';
import { status } from '../../../src/cli/loop/status.ts';
import type { RunMode } from '../../../src/engine/core/run/option-values.ts';
import { holdLock } from '../../../src/engine/files/lock.ts';
import { baselineFiles, baselinesIn } from '../../../src/engine/home/baselines.ts';
import { claimFiles } from '../../../src/engine/home/claims.ts';
import { createHome, driverLock, type Home, homeAt, projectFolder } from '../../../src/engine/home/layout.ts';
import { FileStore } from '../../../src/engine/home/store.ts';
import type { LoopRef } from '../../../src/engine/ports/ports.ts';
import { openWorkspace } from '../../../src/engine/project/trees/workspace.ts';
import { writeRunGitRecord } from '../../../src/engine/run/git/record.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { contractWith, frozenWith, run } from '../../support/hook/judging.ts';

const DAY = 86_400_000;
const NOW = Date.now();

interface Scene {
  home: Home;
  project: string;
  store: FileStore;
  /** A loop that began and, unless it lives, was cancelled that many days ago. */
  loop(name: string, endedDaysAgo?: number, more?: LoopParts): LoopRef;
  prune(options?: Partial<Parameters<typeof prune>[0]>): Promise<string>;
  status(ended?: boolean): string;
  names(): string[];
}

interface LoopParts {
  baseTree?: string;
  run?: { mode: RunMode; parent?: string };
  receipt?: string;
}

function scened(): Scene {
  const folder = temporaryFolder();
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const project = join(folder, 'project');
  mkdirSync(project);
  let now = NOW;
  const store = new FileStore(home, { now: () => now });
  const said = async (work: (out: (line: string) => void) => void | Promise<void>) => {
    const lines: string[] = [];
    await work((line) => lines.push(line));
    return lines.join('\n');
  };
  return {
    home,
    project,
    store,
    loop(name, endedDaysAgo, { receipt, ...more } = {}) {
      now = NOW - (endedDaysAgo ?? 0) * DAY;
      const contract = frozenWith(contractWith({ tests: run() }), { project });
      const parts = { dialect: 'native', task: `task of ${name}`, transcriptOffset: 0, contract, ...more };
      const ref = store.create({ loop: name, session: `session-of-${name}`, project, ...parts });
      if (receipt !== undefined) writeFileSync(join(ref.dir, 'receipt.json'), receipt);
      if (endedDaysAgo !== undefined) store.append(ref, () => ({ kind: 'command', command: 'cancel' }));
      now = NOW;
      return ref;
    },
    prune: (options = {}) =>
      said((out) =>
        prune(
          { olderThanMs: 30 * DAY, dryRun: false, receipts: false, ...options },
          { store, home, now: NOW },
          out,
        ),
      ),
    status(ended = false) {
      const lines: string[] = [];
      status({ json: false, all: true, ended, project, foreign: [] }, store, NOW, (line) => lines.push(line));
      return lines.join('\n');
    },
    names: () =>
      store
        .loops()
        .map(({ loop }) => loop)
        .sort(),
  };
}

describe('prune', () => {
  test('removes what ended long ago, and neither what lives nor what ended lately', async () => {
    const scene = scened();
    for (const [name, days] of [
      ['old', 40],
      ['older', 400],
      ['young', 3],
    ] as const)
      scene.loop(name, days);
    scene.loop('living');
    const said = await scene.prune();
    expect(said).toContain('Removing 2 loops that ended more than 30 d 0 h ago');
    expect(said).toContain('task of older');
    expect(scene.names()).toEqual(['living', 'young']);
    expect(scene.status()).not.toContain('UNREADABLE');
    expect(await scene.prune()).toBe('No loop ended more than 30 d 0 h ago that could be removed.');
  });
  test('a dry run says the same and removes nothing', async () => {
    const scene = scened();
    scene.loop('old', 40, { receipt: '{}' });
    const before = readFileSync(scene.store.journalFile(scene.store.loops()[0] as LoopRef));
    const said = await scene.prune({ dryRun: true });
    expect(said).toContain('Would remove 1 loop ');
    expect(said).toContain('Nothing was removed.');
    expect(readFileSync(scene.store.journalFile(scene.store.loops()[0] as LoopRef))).toEqual(before);
  });
  test('a session whose loop was removed has none, and can begin another', async () => {
    const scene = scened();
    scene.loop('old', 40);
    await scene.prune();
    expect(scene.store.loopOfSession('session-of-old')).toBeUndefined();
    expect(scene.store.isMarked('session-of-old')).toBe(false);
  });
  test('a session that has another loop by now keeps that one', async () => {
    const scene = scened();
    const old = scene.loop('old', 40);
    const next = scene.loop('next');
    scene.store.bind('session-of-old', scene.project, next);
    await scene.prune();
    expect(existsSync(old.dir)).toBe(false);
    expect(scene.store.loopOfSession('session-of-old')?.loop).toBe('next');
    expect(scene.store.isMarked('session-of-old')).toBe(true);
  });
  test('receipts stay, until they are asked for as well', async () => {
    const scene = scened();
    const ref = scene.loop('old', 40, { receipt: '{"receipt":1}' });
    expect(await scene.prune()).toContain('1 receipt stayed');
    expect(readFileSync(keptReceipt(ref), 'utf8')).toBe('{"receipt":1}');
    await scene.prune();
    expect(existsSync(keptReceipt(ref))).toBe(true);
    expect(await scene.prune({ receipts: true })).toContain('Removed 1 receipt of loops');
    expect(existsSync(keptReceipt(ref))).toBe(false);
    const other = scene.loop('other', 40, { receipt: '{}' });
    await scene.prune({ receipts: true });
    expect([existsSync(other.dir), existsSync(keptReceipt(other))]).toEqual([false, false]);
  });
  test('a run that is driven, or whose git work is open, stays, and so do its children', async () => {
    const scene = scened();
    const driven = scene.loop('driven', 40, { run: { mode: 'hybrid' } });
    const open = scene.loop('open', 40, { run: { mode: 'hybrid' } });
    scene.loop('child', 50, { run: { mode: 'hybrid', parent: 'open' } });
    scene.loop('finished', 40, { run: { mode: 'hybrid' } });
    const record = {
      v: 1 as const,
      mode: 'branch' as const,
      merge: false,
      task: 't',
      project: scene.project,
      folder: scene.project,
      branch: 'b',
      base: { commit: 'c' },
      kept: { commit: 'c', passing: [] },
    };
    writeRunGitRecord(scene.home, { ...record, loop: open.loop } as never);
    writeRunGitRecord(scene.home, { ...record, loop: 'finished', finished: true } as never);
    const lock = holdLock(driverLock(driven));
    const said = await scene.prune();
    lock?.release();
    expect(said).toContain('2 loops stay whose work is not committed');
    expect(scene.names()).toEqual(['child', 'driven', 'open']);
    expect(readdirSync(join(scene.home.root, 'git'))).toEqual(['open.json']);
  });
  test('a loop that stands for a foreign state stays: without it, that would begin anew', async () => {
    const scene = scened();
    const { dir } = scene.loop('foreign', 40);
    claimFiles(scene.home).change(
      '/some/state.md',
      () =>
        ({
          dialect: 'ralph',
          identity: 'x',
          session: 's',
          loopDir: dir,
        }) as never,
    );
    expect(await scene.prune()).toContain(
      '1 loop stays because state files of other systems still name them',
    );
    expect(scene.names()).toEqual(['foreign']);
  });
  test('a loop that was taken up again meanwhile stays', () => {
    const scene = scened();
    const ref = scene.loop('old', 40);
    const options = {
      keepReceipt: true,
      endedAt: NOW,
      stillGone: () => false,
      sessionFiles: sessionFilesByLoop(scene.home).get(ref.dir) ?? [],
    };
    expect(removeLoop(scene.home, ref, options)).toBe(false);
    expect(scene.store.loopOfSession('session-of-old')).toEqual(ref);
  });
  test('what cannot be read stays, and is said', async () => {
    const scene = scened();
    const { dir } = scene.loop('damaged', 40);
    writeFileSync(join(dir, 'journal.jsonl'), 'nothing of ours\n');
    writeFileSync(join(scene.home.root, 'ends', 'damaged'), 'nothing of ours\n');
    expect(await scene.prune()).toContain('1 loop stays that cannot be read');
    expect(scene.names()).toEqual(['damaged']);
  });
  test('what an earlier removal left behind is gone after the next', async () => {
    const scene = scened();
    const trash = join(projectFolder(scene.home, scene.project), 'removed', 'old.1-1');
    mkdirSync(trash, { recursive: true });
    writeFileSync(join(trash, 'task.md'), 'half removed');
    expect(scene.status()).toContain('No loops yet');
    await scene.prune();
    expect(existsSync(trash)).toBe(false);
  });
  test('trees go with the last loop that names them; those of other loops and of receipts stay', async () => {
    const scene = scened();
    const folder = projectFolder(scene.home, scene.project);
    const workspace = openWorkspace({
      project: scene.project,
      shadowDir: join(folder, 'shadow.git'),
      indexFile: join(folder, 'index'),
    });
    const treeOf = async (text: string) => {
      writeFileSync(join(scene.project, 'a.txt'), text);
      return workspace.tree();
    };
    const trees = {
      gone: await treeOf('gone'),
      living: await treeOf('living'),
      proven: await treeOf('proven'),
      session: await treeOf('session'),
      past: await treeOf('past'),
      now: await treeOf('now'),
    };
    const keep = (session: string, tree: string) =>
      baselineFiles(scene.home).change(scene.project, session, () => ({ tree, loops: [] }) as never);
    keep('young', trees.session);
    keep('over', trees.past);
    const [young, over] = baselinesIn(folder);
    const later = NOW + 31 * DAY;
    for (const file of [young ?? '', over ?? '']) {
      const time = readFileSync(file, 'utf8').includes(trees.session) ? later : NOW;
      utimesSync(file, time / 1000, time / 1000);
    }
    scene.loop('old', 40, { baseTree: trees.gone });
    scene.loop('done', 40, { receipt: `{"work":{"tree":"${trees.proven}"}}` });
    scene.loop('living', undefined, { baseTree: trees.living });
    const { store, home } = scene;
    const lines: string[] = [];
    const options = { olderThanMs: 30 * DAY, dryRun: false, receipts: false };
    await prune(options, { store, home, now: later }, (line) => lines.push(line));
    expect(lines.join('\n')).toMatch(/Packed 12 objects .*\nDropped 4 objects /);
    const content = (tree: string) => workspace.contentAt(tree, 'a.txt');
    expect(await content(trees.living)).toBe('living');
    expect(await content(trees.proven)).toBe('proven');
    expect(await content(trees.now)).toBe('now');
    await expect(content(trees.gone)).rejects.toThrow('is lost');
    expect(await content(trees.session)).toBe('session');
    await expect(content(trees.past)).rejects.toThrow('is lost');
    expect(baselinesIn(folder)).toHaveLength(1);
  });
});

describe('status of many loops', () => {
  test('shows what lives and the newest that ended, and says how many there are besides', () => {
    const scene = scened();
    for (let i = 1; i <= 25; i++) scene.loop(`ended-${String(i).padStart(2, '0')}`, i);
    scene.loop('living');
    const said = scene.status();
    expect(said.match(/^ended-\d+ /gm)).toHaveLength(10);
    expect(said).toContain('ended-01');
    expect(said).toMatch(/^living /m);
    expect(said).toContain('15 more that ended earlier: untildone status --ended');
    expect(scene.status(true).match(/^ended-\d+ /gm)).toHaveLength(25);
  });
});

/** Writes a file of that age into the home, below the folder of the project unless its path begins with a slash. */
function keep(scene: Scene, path: string, daysAgo: number, text = 'x'): string {
  const folder = path.startsWith('/') ? scene.home.root : projectFolder(scene.home, scene.project);
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  const at = NOW / 1000 - daysAgo * 86_400;
  for (let each = file; each !== folder; each = join(each, '..')) utimesSync(each, at, at);
  return file;
}

const START = 'a'.repeat(32);
const OTHER_START = 'b'.repeat(32);
const NEED = 'c'.repeat(64);

describe('what the home keeps beside loops', () => {
  test.each<[what: string, path: string]>([
    ['clean rooms', 'rooms/0/setups/s/record'],
    ['clean rooms', 'rooms/npm-cache/x'],
    ['kept starts of loops', `starts/${START}.json`],
    ['kept starts of loops', `starts/needs/${NEED}`],
    ['kept measurements and outputs', 'measured/a.json'],
    ['kept measurements and outputs', 'verify/kept/a.json'],
    ['kept measurements and outputs', 'standing-output/kept/a.json'],
    ['kept measurements and outputs', 'holdout/output/a.log'],
    ['reflections on sessions', 'reflections/s.json'],
    ['reflections on sessions', '/reflections/s.json'],
    ['proposals of a deep reflection', 'proposals/20260101/proposal.patch'],
    ['days of figures about hooks', '/metrics/hooks-2026-01-01.jsonl'],
  ])('%s go when they are old: %s', async (what, path) => {
    const scene = scened();
    const file = keep(scene, path, 40);
    const said = `remove what was not used for as long: ${what}: 1 (1 KiB)`;
    expect(await scene.prune({ dryRun: true })).toContain(`Would ${said}`);
    expect(existsSync(file)).toBe(true);
    expect(await scene.prune()).toContain(`${said.replace('remove', 'Removed')}`);
    expect(existsSync(file)).toBe(false);
    expect(await scene.prune()).toBe('No loop ended more than 30 d 0 h ago that could be removed.');
    const young = keep(scene, path, 3);
    await scene.prune();
    expect(existsSync(young)).toBe(true);
  });

  test.each([
    'holdout/list',
    'holdout/files/a',
    'lessons.json',
    'lessons-loops.json',
    'trust.json',
    'imports/a',
    'receipts/a.json',
  ])('%s stays, however old it is', async (path) => {
    const scene = scened();
    const file = keep(scene, path, 400);
    await scene.prune();
    expect(existsSync(file)).toBe(true);
  });

  test('a room that is in use stays, and one that is entered again', async () => {
    const scene = scened();
    const used = keep(scene, 'rooms/0/setups/s/record', 40);
    const again = keep(scene, 'rooms/1/setups/s/record', 40);
    const lock = holdLock(join(projectFolder(scene.home, scene.project), 'rooms/0.lock'));
    utimesSync(join(again, '..'), NOW / 1000, NOW / 1000);
    expect(await scene.prune()).not.toContain('clean rooms');
    expect([used, again].map((file) => existsSync(file))).toEqual([true, true]);
    lock?.release();
    await scene.prune();
    expect([used, again].map((file) => existsSync(file))).toEqual([false, true]);
  });

  test('a start stays with its files as long as a loop, a receipt or a trusted contract names it', async () => {
    const scene = scened();
    const start = keep(scene, `starts/${START}.json`, 400, `seal\n{"sha256":"${NEED}"}`);
    const need = keep(scene, `starts/needs/${NEED}`, 400);
    const other = keep(scene, `starts/${OTHER_START}.json`, 400);
    const ref = scene.loop('old', 40, { receipt: `{"start":"${OTHER_START}"}` });
    writeFileSync(join(ref.dir, 'contract.json'), `seal\n{"frozen":{"start":"${START}"}}`);
    const living = scene.loop('living');
    const there = () => [start, need, other].map((file) => existsSync(file));
    writeFileSync(join(living.dir, 'contract.json'), `seal\n{"frozen":{"start":"${START}"}}`);
    await scene.prune();
    expect(there()).toEqual([true, true, true]);
    writeFileSync(join(living.dir, 'contract.json'), '{}');
    expect(await scene.prune({ dryRun: true })).toContain('kept starts of loops: 2 ');
    await scene.prune();
    expect(there()).toEqual([false, false, true]);
    await scene.prune({ receipts: true });
    expect(there()).toEqual([false, false, false]);
  });

  test('links are removed, not followed', async () => {
    const scene = scened();
    const outside = join(scene.project, 'mine');
    mkdirSync(outside);
    writeFileSync(join(outside, 'old'), 'x');
    utimesSync(join(outside, 'old'), 1, 1);
    keep(scene, 'verify/kept/a.json', 40);
    symlinkSync(outside, join(projectFolder(scene.home, scene.project), 'verify/link'));
    await scene.prune({ olderThanMs: 0 });
    expect(existsSync(join(outside, 'old'))).toBe(true);
  });
});
