import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
/** What a build reads. */
const SOURCES = ['src', 'scripts', 'examples', 'test/scenarios/bugs', 'package.json', 'package-lock.json'];
const MADE = ['dist', 'plugin/dist'];
const STAMP = join(ROOT, 'node_modules/.cache/untildone-build.txt');

/** The whole-program tests run what users run: the bundles. They are made anew when a source changed, or one of them. */
export default function setup(): void {
  const sources = digestOf(SOURCES, (path) => readFileSync(path));
  const current = () => `${sources} ${digestOf(MADE, sizeAndTime)}`;
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === current()) return;
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, current());
}

function sizeAndTime(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size} ${mtimeMs}`;
}

function digestOf(places: readonly string[], say: (path: string) => Buffer | string): string {
  const hash = createHash('sha256');
  for (const place of places)
    for (const path of filesIn(join(ROOT, place)))
      hash.update(`${path}\0`).update(createHash('sha256').update(say(path)).digest());
  return hash.digest('hex');
}

function filesIn(path: string): string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
