import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { approve, contractScene, startedSession } from '../support/live/contract.ts';
import { sceneOfTest } from '../support/live/test-scene.ts';
import {
  bash,
  decisionsOf,
  journalOf,
  loopOf,
  must,
  startCall,
  untildone,
} from '../support/live/untildone.ts';
import { longTest } from '../support/long.ts';

const PROJECT = {
  'untildone.yaml': 'gates:\n  tests: { run: npm test }\n  intact: { tests_intact: true }\n',
  'package.json': '{ "scripts": { "test": "node --test" } }\n',
  'add.js': 'exports.add = (a, b) => a - b;\n',
  'add.test.js':
    "const { test } = require('node:test');\nconst assert = require('node:assert');\n" +
    "const { add } = require('./add.js');\ntest('adds', () => {\n  assert.equal(add(1, 2), 3);\n});\n",
};
const FIX = bash("echo 'exports.add = (a, b) => a + b;' > add.js");

test('fails twice, is fixed, and ends as verified with a receipt', async () => {
  const scene = await contractScene(PROJECT, { recording: 'Stop/hold' });
  const session = await startedSession(scene);
  const run = await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session],
    script: {
      turns: [
        { text: 'done!' },
        { tools: [bash("echo 'exports.add = (a, b) => a * b;' > add.js")] },
        { text: 'now it is done' },
        { tools: [FIX] },
        { text: 'fixed' },
      ],
    },
  });
  const loop = await loopOf(scene);
  expect(loop).toMatchObject({ status: 'verified_done', iteration: 3 });
  expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'block', 'verified_done']);
  const reason = JSON.stringify(run.requests[1]?.body);
  expect(reason).toContain('Fails: tests');
  expect(reason).toContain('adds');
  const receipt = JSON.parse(await must(scene, ['receipt', '--format', 'json']));
  expect(receipt.receipt).toMatchObject({ status: 'verified_done', loop: loop.id });
  expect(receipt.receipt.verdicts[0]).toMatchObject({
    gate: 'tests',
    outcome: 'pass',
    command: 'npm test',
    exitCode: 0,
  });
});

longTest('an unapproved contract runs nothing and holds nobody', async () => {
  const scene = await sceneOfTest({ git: true });
  const ran = join(scene.root, 'ran');
  await writeFile(
    join(scene.project, 'untildone.yaml'),
    `gates:\n  evil: { run: "touch '${ran}'; false" }\n`,
  );
  await must(scene, ['install']);
  const session = await startedSession(scene);
  const script = { turns: [{ text: 'one' }] };
  const run = await scene.runClient({ prompt: 'go', args: ['--session-id', session], script });
  expect(run.requests).toHaveLength(1);
  expect(existsSync(ran)).toBe(false);
  expect(await loopOf(scene)).toMatchObject({
    status: 'active',
    iteration: 1,
    waiting: { why: 'needs_person' },
  });
  expect(run.lines.some((line) => JSON.stringify(line).includes('untildone trust'))).toBe(true);

  await approve(scene);
  const again = await scene.runClient({
    prompt: 'go on',
    args: ['--resume', session],
    script: {
      turns: [
        { text: 'two' },
        { tools: [bash('echo x')] },
        { text: 'three' },
        { text: 'four' },
        { text: 'five' },
      ],
    },
  });
  expect(existsSync(ran)).toBe(true);
  expect(again.requests.length).toBeGreaterThan(1);
});

longTest('a green project: held until something changed and passes', async () => {
  const scene = await contractScene({ ...PROJECT, 'add.js': 'exports.add = (a, b) => a + b;\n' });
  const session = await startedSession(scene);
  const { requests } = await scene.runClient({
    prompt: 'add a discount',
    args: ['--session-id', session],
    script: {
      turns: [
        { text: 'It is there already.' },
        { tools: [bash('echo 1 > discount.js')] },
        { text: 'Added.' },
      ],
    },
  });
  expect(JSON.stringify(requests[1]?.body)).toContain('nothing was changed since the start');
  expect(requests).toHaveLength(3);
  expect(await loopOf(scene)).toMatchObject({ status: 'verified_done', iteration: 2 });
});

longTest(
  'a person updates the contract in mid-loop; until then the frozen one rules and the change is reported',
  async () => {
    const scene = await contractScene(PROJECT);
    const session = await startedSession(scene);
    await writeFile(join(scene.project, 'untildone.yaml'), 'gates:\n  there: { run: test -e there }\n');
    const client = await scene.startClient({
      prompt: 'go',
      args: ['--session-id', session],
      script: { turns: [{ tools: [bash('touch there')] }, { text: 'there' }, { hang: true }] },
    });
    const held = await client.untilRequest(3);
    expect(JSON.stringify(held.body)).toContain('untildone.yaml was changed since this loop began');
    client.process.kill('SIGINT');
    await client.finished;
    expect(await loopOf(scene)).toMatchObject({ status: 'active', iteration: 2 });
    const refused = await untildone(scene, ['contract', 'update']);
    expect(refused.stderr).toContain('untildone trust');
    await approve(scene);
    await must(scene, ['contract', 'update']);
    await scene.runClient({
      prompt: 'go on',
      args: ['--resume', session],
      script: { turns: [{ text: 'there' }] },
    });
    expect(await loopOf(scene)).toMatchObject({ status: 'verified_done' });
  },
);

describe('standing gates in a session without a loop', () => {
  const standing = {
    'untildone.yaml':
      'gates:\n  lint: { run: "echo run >> ../runs; ! grep -q bad *.txt" }\ndone: [lint]\nevery_stop: { gates: [lint], blocks: 2 }\n',
    'a.txt': 'good\n',
  };

  test('block at most so many times a prompt, then let go and say so', async () => {
    const scene = await contractScene(standing, { recording: 'Stop/standing-gates' });
    const turns = [
      { tools: [bash('echo bad > a.txt')] },
      { text: 'one' },
      { text: 'two' },
      { text: 'three' },
    ];
    const run = await scene.runClient({ prompt: 'break it', script: { turns } });
    expect(run.requests).toHaveLength(4);
    expect(run.lines.some((line) => JSON.stringify(line).includes('allowed to stop after 2 holds'))).toBe(
      true,
    );
  });

  longTest('run nothing when nothing changed', async () => {
    const scene = await contractScene(standing);
    const run = await scene.runClient({ prompt: 'hello', script: { turns: [{ text: 'hi' }] } });
    expect(run.requests).toHaveLength(1);
    expect(existsSync(join(scene.root, 'runs'))).toBe(false);
  });

  longTest('a fix within the prompt lets go at once', async () => {
    const scene = await contractScene(standing);
    const turns = [
      { tools: [bash('echo bad > a.txt')] },
      { text: 'one' },
      { tools: [bash('echo good > a.txt')] },
      { text: 'two' },
    ];
    const run = await scene.runClient({ prompt: 'go', script: { turns } });
    expect(run.requests).toHaveLength(4);
    expect(await readFile(join(scene.root, 'runs'), 'utf8')).toBe('run\n');
  });
});

longTest(
  'a session in a package of a repository obeys the contract of the repository, and the person finds its loop',
  async () => {
    const scene = await contractScene(PROJECT);
    const folder = join(scene.project, 'packages', 'a');
    await mkdir(folder, { recursive: true });
    await must(scene, ['install', '--scope', 'user']);
    const client = await scene.startClient({
      prompt: 'go',
      project: folder,
      script: { turns: [{ tools: [startCall('Make add() add')] }, { text: 'done' }, { hang: true }] },
    });
    const held = await client.untilRequest(3);
    expect(JSON.stringify(held.body)).toContain('Fails: tests');
    await must(scene, ['cancel'], { cwd: folder });
    client.process.kill('SIGINT');
    await client.finished;
    expect(await loopOf(scene)).toMatchObject({ status: 'cancelled', iteration: 2 });
  },
);

longTest('a loop that ends is told to whom the contract names', async () => {
  const notify = 'notify: [{ command: "cat > ../told.json", on: [done] }]\n';
  const scene = await contractScene({ ...PROJECT, 'untildone.yaml': PROJECT['untildone.yaml'] + notify });
  const session = await startedSession(scene);
  await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session],
    script: { turns: [{ tools: [FIX] }, { text: 'fixed' }] },
  });
  const told = JSON.parse(await readFile(join(scene.root, 'told.json'), 'utf8'));
  expect(told).toMatchObject({ event: 'verified_done', title: 'untildone: done: Make add() add' });
});
