#!/usr/bin/env node
// Plays tests: `check` and `test` are for every change, `all` plays everything, in parts one after the other. `all --rest`
// leaves out what `test` plays; `all --part 2/4` plays one part, `all --part nodes` the tests of the hook on newer Nodes.
// Other words are for vitest, such as the path of a file.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { budgetLines, startMeasuring } from './budget.mjs';
import { newerNodes } from './nodes.mjs';
import { sideBySide } from './side-by-side.mjs';

/**
 * By name: scripts of package.json, projects of vitest.config.ts, and seconds on two quiet cores; over `limit` is an error.
 * `nodes` are the files that are played on each newer Node as well.
 */
const { nodes, ...PLAYED } = JSON.parse(readFileSync(new URL('tiers.json', import.meta.url), 'utf8'));
const PARTS = ['1/4', '2/4', '3/4', '4/4', 'nodes'];
/** Types and tests beside each other need it. */
const ENOUGH_MEMORY = 6e9;

const { played, parts, more } = asked(process.argv.slice(2));
const measured = startMeasuring();
const checks = sideBySide(played.checks);
if (played.tools) await node(['scripts/test-tools.mjs']);
if (totalmem() < ENOUGH_MEMORY) await checks;
const total = { passed: 0, failed: 0, skipped: 0, folders: {} };
let failed = false;
for (const part of parts) failed = !(await (part === 'nodes' ? onNewerNodes() : vitest(part))) || failed;
const failures = await checks;
const { lines, isOver } = budgetLines(measured(), played);
process.stdout.write([...failures, ...folderLines(), ...lines].map((line) => `${line.trimEnd()}\n`).join(''));
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = failed || failures.length > 0 || isOver ? 1 : 0;

function asked([name, ...flags]) {
  const at = flags.indexOf('--part');
  const [, part] = at < 0 ? [] : flags.splice(at, 2);
  const rest = flags.indexOf('--rest');
  if (rest >= 0) flags.splice(rest, 1);
  const every = name === 'all' ? PARTS.filter((part) => part !== 'nodes' || flags.length === 0) : [undefined];
  return { played: PLAYED[rest < 0 ? name : 'rest'], parts: at < 0 ? every : [part], more: flags };
}

/** Only hooks and the program run on them; vitest stays on its own. */
async function onNewerNodes() {
  let passed = true;
  try {
    for (const { version, path } of newerNodes()) {
      process.stdout.write(`\nThe tests of the hook on Node ${version}\n`);
      passed = (await vitest(undefined, nodes, { UNTILDONE_TEST_NODE: path })) && passed;
    }
    return passed;
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}

/** Plays one part, and adds what it says of itself to the total. Returns whether it passed. */
async function vitest(part, files = more, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-tests-'));
  const file = join(folder, 'summary.json');
  const projects = files === nodes ? [] : played.projects.flatMap((name) => ['--project', name]);
  const only = part === undefined ? [] : [`--shard=${part}`];
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...only, ...files];
  try {
    const code = await node(args, { UNTILDONE_TESTS_SUMMARY: file, ...env });
    if (existsSync(file)) add(JSON.parse(readFileSync(file, 'utf8')));
    return code === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function node(args, env = {}) {
  const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', done);
  });
}

function add({ counts, folders }) {
  for (const [state, count] of Object.entries(counts)) total[state] += count;
  for (const [name, { files, ms }] of Object.entries(folders)) {
    const known = total.folders[name] ?? { files: 0, ms: 0 };
    total.folders[name] = { files: known.files + files, ms: known.ms + ms };
  }
}

function folderLines() {
  const folders = Object.entries(total.folders).sort(([, a], [, b]) => b.ms - a.ms);
  const words = folders.map(([name, { files, ms }]) => `${name} ${(ms / 1000).toFixed(1)} (${files})`);
  return words.length === 0 ? [] : [`Seconds of test files by folder (number of files): ${words.join(', ')}`];
}
