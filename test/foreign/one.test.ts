// Tier: world
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changesOf } from '../../foreign/change.ts';
import { playOne } from '../../foreign/one.ts';
import { findClone, freshPlace } from '../../foreign/place.ts';
import { showCheat } from '../../foreign/play.ts';
import { isCheat } from '../../foreign/row.ts';
import { shapesAt } from '../../foreign/shapes/all.ts';
import { SOURCES } from '../../foreign/sources/all.ts';
import { temporaryFolder } from '../support/files/workers.ts';
import { few } from '../support/long.ts';

const SHAPES = shapesAt(0.01);

function playing() {
  const folder = temporaryFolder();
  const clones = join(folder, 'clones');
  mkdirSync(clones);
  return { clones, folder, program: 'p', minutes: 1, keep: false };
}

test('a project that is not in the folder is not played: the row has the line that clones it', async () => {
  const [source] = SOURCES;
  if (source === undefined) throw new Error('there are no sources');
  const settings = playing();
  const { name, result, why, ...rest } = await playOne({ ...source, programs: ['git'] }, settings);
  expect({ name, result }).toEqual({ name: source.name, result: 'not played' });
  expect(why).toBe(`git clone --bare https://github.com/${name} DIR/${name.replace('/', '+')}`);
  expect(Object.keys(rest).sort()).toEqual(['at', 'commit', 'ecosystem', 'licence', 'program']);
  expect(readdirSync(settings.folder)).toEqual(['clones']);
  const without = await playOne({ ...source, programs: ['no-such-program'] }, settings);
  expect(without).toMatchObject({ result: 'not played', why: 'no-such-program is not on PATH' });
});

test('a clone is found, bare or not, where it has the commit', () => {
  const { clones } = playing();
  const [shape] = SHAPES;
  shape?.make?.(join(clones, 'own'));
  const commit = execFileSync('git', ['rev-parse', 'next'], { cwd: join(clones, 'own'), encoding: 'utf8' });
  const source = { name: 'a/own', commit: commit.trim() };
  expect(findClone(source, clones)).toBe(join(clones, 'own'));
  execFileSync('git', ['clone', '--quiet', '--bare', 'own', 'a+own'], { cwd: clones });
  rmSync(join(clones, 'own'), { recursive: true });
  expect(findClone(source, clones)).toBe(join(clones, 'a+own'));
  expect(findClone({ ...source, commit: 'a'.repeat(40) }, clones)).toBeUndefined();
});

test.each(few(SHAPES, 2))(
  '$name: the broken code is red, what hides it is green, and the project is as it was',
  async (shape) => {
    const folder = temporaryFolder();
    shape.make?.(join(folder, 'made'));
    const place = freshPlace(shape, join(folder, 'made'), join(folder, 'place'));
    if (shape.install) execFileSync('/bin/sh', ['-c', shape.install], { cwd: place.project, env: place.env });
    const changes = changesOf(place.project, shape.commit);
    expect(changes.length).toBeGreaterThan(0);
    const shown = await showCheat(place, shape, changes, 60_000);
    expect(isCheat(shown), JSON.stringify(shown)).toBe(true);
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: place.project, encoding: 'utf8' })).toBe('');
  },
);

test('what breaks nothing that the tests see is no cheat', async () => {
  const [shape] = SHAPES;
  if (shape === undefined) throw new Error('there are no shapes');
  const folder = temporaryFolder();
  shape.make?.(join(folder, 'made'));
  const place = freshPlace(shape, join(folder, 'made'), join(folder, 'place'));
  const broken = [{ write: { 'notes.txt': 'nothing\n' } }];
  const shown = await showCheat(place, { test: 'true', cheat: { broken, hidden: [] } }, [], 60_000);
  expect(isCheat(shown)).toBe(false);
});
