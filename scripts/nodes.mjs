#!/usr/bin/env node
// Fetches the newer Nodes on which hooks are tested and measured: each once, with npm, from the registry that npm is set to.
// They are no dependencies, because few need them and each takes 130 MB. Prints a line for each: its version, a space, its path.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** By version: the digest of the package for each platform that has one. */
const NODES = JSON.parse(readFileSync(new URL('nodes.json', import.meta.url), 'utf8'));
const PLATFORM = `${process.platform}-${process.arch}`;

/** Newer Nodes, the oldest first, with where each lies; fetches those that are missing. Throws a sentence for people. */
export function newerNodes(kept = resolve('node_modules/.cache/untildone-nodes')) {
  return Object.keys(NODES).map((version) => {
    const digest = NODES[version][PLATFORM];
    if (digest === undefined)
      throw new Error(
        `scripts/nodes.json names no Node ${version} for ${PLATFORM}; only Linux has them all.`,
      );
    const folder = join(kept, `${version}-${PLATFORM}`);
    const path = join(folder, 'bin/node');
    if (!existsSync(path)) fetchNode(version, digest, kept, folder);
    return { version, path };
  });
}

/** What lies in the folder is whole: it is made beside it. */
function fetchNode(version, digest, kept, folder) {
  process.stderr.write(`Fetching Node ${version} ...\n`);
  mkdirSync(kept, { recursive: true });
  const made = mkdtempSync(join(kept, 'fetch-'));
  try {
    const name = `node-${PLATFORM}@${version}`;
    npm(version, ['pack', name, '--pack-destination', made, '--ignore-scripts', '--fetch-retries=1']);
    const [file = ''] = readdirSync(made);
    const found = `sha512-${createHash('sha512')
      .update(readFileSync(join(made, file)))
      .digest('base64')}`;
    if (found !== digest)
      throw new Error(`${name} is not the package that scripts/nodes.json records: nothing of it was run.`);
    run(version, 'tar', ['-xzf', join(made, file), '-C', made, 'package/bin/node']);
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(made, 'package'), folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function npm(version, args) {
  const script = process.env.npm_execpath;
  if (script) run(version, process.execPath, [script, ...args]);
  else run(version, 'npm', args);
}

function run(version, command, args) {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return;
  const said =
    error?.message ?? /^npm error (?!code |errno |syscall )(.+)$/m.exec(stderr)?.[1] ?? stderr.trim();
  throw new Error(
    `Node ${version} could not be fetched (${said}): connect to the registry of npm, then run "node scripts/nodes.mjs".`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    for (const { version, path } of newerNodes()) process.stdout.write(`${version} ${path}\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
