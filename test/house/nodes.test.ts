import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/nodes.mjs');
const NODES = JSON.parse(readFileSync(SCRIPT.replace(/\.mjs$/, '.json'), 'utf8')) as Record<string, object>;
const PLATFORM = `${process.platform}-${process.arch}`;
const VERSIONS = Object.keys(NODES);
const [FIRST = ''] = VERSIONS;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-nodes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const kept = () => join(folder, 'node_modules/.cache/untildone-nodes');

/** Fetches with something that stands for npm. */
function fetched(npm: string) {
  const script = join(folder, 'npm.cjs');
  writeFileSync(script, npm);
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], {
    cwd: folder,
    env: { PATH: process.env.PATH, npm_execpath: script },
    encoding: 'utf8',
  });
  return { status, stdout, said: stderr.split('\n').slice(1, -1) };
}

test('what is there is not fetched again', () => {
  const paths = VERSIONS.map((version) => join(kept(), `${version}-${PLATFORM}`, 'bin/node'));
  for (const path of paths) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
  }
  const lines = VERSIONS.map((version, i) => `${version} ${paths[i]}\n`);
  expect(fetched('process.exit(1)')).toEqual({ status: 0, stdout: lines.join(''), said: [] });
});

test('a package with another digest is refused, and nothing of it stays', () => {
  const npm = `const [, name, , folder] = process.argv.slice(2);
    require('node:fs').writeFileSync(folder + '/node.tgz', name);`;
  expect(fetched(npm)).toEqual({
    status: 1,
    stdout: '',
    said: [
      `node-${PLATFORM}@${FIRST} is not the package that scripts/nodes.json records: nothing of it was run.`,
    ],
  });
  expect(readdirSync(kept())).toEqual([]);
});

test('without a network it is said in a sentence what to do', () => {
  const npm = `console.error('npm error code ENOTFOUND\\nnpm error network request failed'); process.exit(1);`;
  expect(fetched(npm)).toEqual({
    status: 1,
    stdout: '',
    said: [
      `Node ${FIRST} could not be fetched (network request failed): connect to the registry of npm, then run "node scripts/nodes.mjs".`,
    ],
  });
});
