import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { quoteForShell } from '../../../src/engine/core/shell/words.ts';
import { CLAUDE } from '../../support/live/demo.ts';
import { processesOf, waitFor } from '../../support/live/processes.ts';
import type { Scene } from '../../support/live/scene.ts';
import { hasTerminal, PTY } from '../../support/live/terminal.ts';
import { sceneOfTest } from '../../support/live/test-scene.ts';
import { BIN, decisionsOf, journalOf, loopOf, startCall, untildone } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

/** The person's Claude Code is on PATH. */
const CLAUDE_ON_PATH = `${dirname(CLAUDE)}:${process.env.PATH}`;

async function project(): Promise<Scene> {
  const scene = await sceneOfTest({ git: true, project: "it's a project" });
  scene.environment.PATH = CLAUDE_ON_PATH;
  writeFileSync(join(scene.project, 'Makefile'), 'test:\n\ttest -f done.txt\n');
  return scene;
}

/** `untildone setup` in a terminal, answered by a person. */
function inTerminal(scene: Scene) {
  const command = `exec ${[process.execPath, BIN, 'setup'].map(quoteForShell).join(' ')}`;
  const terminal = spawn(PTY, ['-qec', command, '/dev/null'], {
    cwd: scene.project,
    env: { ...scene.environment, NO_COLOR: '1' },
  });
  let screen = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const ended = new Promise<number | null>((resolve) => terminal.on('close', resolve));
  return {
    type: (text: string) => terminal.stdin.write(text),
    sees: (words: string) => waitFor(() => screen.includes(words), undefined, `"${words}" in:\n${screen}`),
    ended,
    screen: () => screen,
  };
}

describe('from nothing', () => {
  longTest.runIf(hasTerminal)('one command and one yes lead to a Stop that is held', async () => {
    const scene = await project();
    const terminal = inTerminal(scene);
    await terminal.sees('[y/N]');
    expect(terminal.screen()).toMatch(/fail +tests +\d+\.\d s {2}`make test` fails/);
    terminal.type('y\r');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toMatch(/Proven:.* Claude Code \d\S+ was held at a Stop here/);
    expect(terminal.screen()).toContain('Next: claude');
    expect(readdirSync(scene.environment.TMPDIR ?? '')).toEqual([]);

    const start = startCall('Make done.txt');
    const { requests } = await scene.runClient({
      prompt: 'Run the command, then do it.',
      script: {
        turns: [
          { tools: [start] },
          { text: 'I am done.' },
          { tools: [{ name: 'Write', input: { file_path: join(scene.project, 'done.txt'), content: 'x' } }] },
          { text: 'Now I am done.' },
        ],
      },
    });
    expect(JSON.stringify(requests[2]?.body)).toContain('The work is not done yet');
    const loop = await loopOf(scene);
    expect(decisionsOf(await journalOf(scene, loop.id))[0]).toBe('block');
  });

  test.runIf(hasTerminal)('interrupted in the proof nothing of it stays, and all is set up', async () => {
    const scene = await project();
    const bin = join(scene.root, 'bin');
    mkdirSync(bin);
    // A Claude Code that never comes to its end.
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\ntouch "$TMPDIR/begun"\nsleep 1000\n', { mode: 0o755 });
    scene.environment.PATH = `${bin}:${process.env.PATH}`;
    const terminal = inTerminal(scene);
    await terminal.sees('Is making this pass the work?');
    terminal.type('y\r');
    await terminal.sees('add the hooks?');
    terminal.type('y\r');
    const temporary = scene.environment.TMPDIR ?? '';
    await waitFor(() =>
      readdirSync(temporary, { recursive: true }).some((name) => String(name).endsWith('begun')),
    );
    terminal.type('\x03');
    expect(await terminal.ended).toBe(130);
    expect(terminal.screen()).toContain('Only the proof was interrupted');
    expect(readdirSync(temporary)).toEqual([]);
    expect(await processesOf(join(temporary, 'untildone-proof-'))).toEqual([]);
    const { code, stdout } = await untildone(scene, ['setup', '--no-proof', '--no-gates', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ result: 'already_set_up' });
  });
});

test('hooks that are switched off elsewhere: the proof says that nobody is held, and where', async () => {
  const scene = await project();
  mkdirSync(join(scene.home, '.claude'), { recursive: true });
  writeFileSync(join(scene.home, '.claude', 'settings.json'), '{"disableAllHooks": true}');
  const plan = JSON.parse((await untildone(scene, ['setup', '--json', '--no-gates'])).stdout);
  const { code, stdout } = await untildone(scene, [
    'setup',
    '--no-gates',
    '--yes',
    '--accept',
    plan.fingerprint,
  ]);
  expect(stdout).toMatch(
    /^NOT HELD: Claude Code \S+ was not held at a Stop here: "disableAllHooks" is true in /m,
  );
  expect(stdout).toContain(join(scene.home, '.claude', 'settings.json'));
  expect(code).toBe(3);
});
