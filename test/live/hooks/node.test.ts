import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STATUSLINE_LINE } from '../../../src/engine/home/statusline-line.ts';
import { type LineWorld, lineWorld } from '../../support/chaos/line-world.ts';
import { contractScene, startedSession } from '../../support/live/contract.ts';
import { decisionsOf, journalOf, loopOf } from '../../support/live/untildone.ts';
import { otherNode } from '../../support/node-of-program.ts';

// `npm run test:all` plays this on the Node of vitest, and on every one of scripts/nodes.json.

const DIST = resolve(import.meta.dirname, '../../../dist');
/** Of the Node that was asked for, by itself. */
const VERSION = otherNode
  ? execFileSync(otherNode, ['--version'], { encoding: 'utf8' }).trim()
  : process.version;
/** From 22.8 on. */
const ASK = 'typeof require("node:module").enableCompileCache';
const keepsCode = execFileSync(process.execPath, ['--print', ASK], { encoding: 'utf8' }) === 'function\n';

let at: LineWorld;
let ran: string;
let preload: string;
beforeAll(() => {
  at = lineWorld();
  ran = join(at.world.folder, 'ran.txt');
  preload = join(at.world.folder, 'says-its-version.cjs');
  const line = `process.version + ' ' + process.argv.slice(2).join(' ') + '\\n'`;
  writeFileSync(preload, `require('node:fs').appendFileSync(${JSON.stringify(ran)}, ${line});`);
  at.cli('install', '--scope', 'user', '--statusline');
});
afterAll(() => at.close());

/** The Nodes that ran, with their words. */
function nodesOf(work: (env: Record<string, string>) => void): string[] {
  writeFileSync(ran, '');
  work({ NODE_OPTIONS: `--require=${preload}` });
  return readFileSync(ran, 'utf8').trimEnd().split('\n');
}

function program(args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: at.world.project,
    env: { ...at.world.env, ...env },
    input: '',
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('the installed line runs the hook on the Node that is tested', () => {
  const held = { status: 0, stderr: '', stdout: expect.stringContaining('"decision":"block"') };
  const nodes = nodesOf((env) => expect(at.stop({ env })).toEqual(held));
  expect(nodes).toEqual([`${VERSION} hook`]);
});

test('so do the script of the status line and the name on PATH', () => {
  const nodes = nodesOf((env) => {
    const said = at.give(JSON.stringify({ session_id: 's1' }), { line: STATUSLINE_LINE, env });
    expect(said).toMatchObject({ status: 0, stdout: expect.stringContaining('untildone'), stderr: '' });
    expect(at.give('', { line: 'node --version', env })).toMatchObject({ stdout: `${VERSION}\n` });
  });
  expect(nodes.slice(0, 1)).toEqual([`${VERSION} statusline`]);
});

/** What a newer Node has deprecated, or calls experimental, it says on stderr. */
test.each([
  { args: ['--version'], status: 0 },
  { args: ['--help'], status: 0 },
  { args: ['status'], status: 0 },
  { args: ['status', '--json'], status: 0 },
  { args: ['log', '--json'], status: 0 },
  { args: ['verify'], status: 1 },
  { args: ['doctor'], status: 0 },
  { args: ['stats'], status: 0 },
  { args: ['reflect'], status: 0 },
  { args: ['prune', '--dry-run'], status: 0 },
  { args: ['statusline'], status: 0 },
  { args: ['simulate', '--help'], status: 0 },
])('untildone $args says nothing but its own words', ({ args, status }) => {
  const strict = { NODE_OPTIONS: '--pending-deprecation' };
  const said = program([join(DIST, 'untildone.cjs'), ...args], strict);
  expect(said).toMatchObject({ status, stderr: '' });
  expect(said.stdout).not.toBe('');
});

test('the library is imported without a warning', () => {
  const code = `import(${JSON.stringify(join(DIST, 'index.mjs'))}).then((all) => console.log(typeof all.run))`;
  const said = program(['--pending-deprecation', '--eval', code]);
  expect(said).toEqual({ status: 0, stdout: 'function\n', stderr: '' });
});

test('with the real client, hooks run on the Node that installed them', async () => {
  const scene = await contractScene({ 'untildone.yaml': 'gates: { made: { run: test -f made } }\n' });
  const session = await startedSession(scene);
  await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session, '--max-turns', '2'],
    script: { turns: [{ text: 'done' }, { text: 'really done' }] },
  });
  const { id } = await loopOf(scene);
  expect(decisionsOf(await journalOf(scene, id))).toContain('block');
  const script = readFileSync(join(scene.untildoneHome, 'hook.sh'), 'utf8');
  expect(script).toContain(`\nnode='${process.execPath}'\n`);
  // Node names its cache after itself, and only hooks and the status line write to it.
  const cache = join(scene.untildoneHome, 'compile-cache');
  const caches = existsSync(cache) ? readdirSync(cache).map((name) => name.split('-')[0]) : [];
  expect(caches).toEqual(keepsCode ? [VERSION] : []);
});
