import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, findClaude } from '../../../src/engine/client/sdk/find-client.ts';
import { quoteForShell } from '../../../src/engine/core/shell/words.ts';
import { blocksOf } from '../../support/docs/blocks.ts';
import type { Scene } from '../../support/live/scene.ts';
import { hasTerminal } from '../../support/live/terminal.ts';
import { sceneOfTest } from '../../support/live/test-scene.ts';
import { BIN, bash, decisionsOf, journalOf, loopOf } from '../../support/live/untildone.ts';
import { workOfChildrenMs } from '../../support/work-time.ts';

const TWO_MINUTES = 120_000;
/** `script` of util-linux gives a program a real terminal. */
const PTY = 'script';

/** What a page tells a new user to type. */
function firstSteps(page: string): string[] {
  return blocksOf(page)
    .filter(({ marks }) => marks.live === 'docs/start')
    .flatMap(({ commands }) => commands.map(({ text }) => text.replace(/ +#.*$/, '')));
}

const FILES = {
  'package.json': '{ "name": "greeting", "type": "module", "scripts": { "test": "node --test" } }\n',
  'greet.js': "export const greet = (name) => 'Hello ' + name;\n",
  'greet.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from './greet.js';

test('a greeting ends with an exclamation mark', () => assert.equal(greet('Ann'), 'Hello Ann!'));
`,
};
const MENDED = "export const greet = (name) => 'Hello ' + name + '!';\n";

/** A new machine with a project, `npx untildone` and `claude`. A prompt given to `claude` is answered by the scripted model. */
async function newMachine(start: string): Promise<{ scene: Scene; env: Record<string, string> }> {
  const scene = await sceneOfTest({ git: true, project: 'a greeting' });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(scene.project, name), text);
  scene.simulator.load('start', {
    turns: [
      { tools: [bash(start)] },
      { text: 'Everything is done.' },
      { tools: [bash(`printf %s ${quoteForShell(MENDED)} > greet.js`)] },
      { text: 'Now the tests pass.' },
    ],
  });
  const bin = join(scene.root, 'bin');
  mkdirSync(bin);
  const claude = quoteForShell(findClaude(undefined, { preferBundled: true })?.path ?? '');
  const asked = `-p --model claude-opus-5-5 --permission-mode acceptEdits --allowedTools Bash,Write`;
  const programs = {
    npx: `shift; exec ${quoteForShell(process.execPath)} ${quoteForShell(BIN)} "$@"`,
    claude: `case "$1" in -*) exec ${claude} "$@";; *) exec ${claude} ${asked} -- "$@";; esac`,
  };
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const { UNTILDONE_HOME = '', TMPDIR = '' } = scene.environment;
  const env = cleanEnvironment({
    home: scene.home,
    baseUrl: scene.simulator.urlFor('start'),
    extra: { UNTILDONE_HOME, TMPDIR, PATH: `${bin}:${process.env.PATH}`, NO_COLOR: '1', TERM: 'xterm' },
  });
  return { scene, env };
}

/** Types a line into a terminal, and says yes to each question. */
function typeInTerminal(
  line: string,
  cwd: string,
  env: Record<string, string>,
): Promise<{ code: number | null; screen: string }> {
  return new Promise((resolve, reject) => {
    const terminal = spawn(PTY, ['-qec', line, '/dev/null'], { cwd, env });
    let screen = '';
    let answered = 0;
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen += text;
      const asked = screen.match(/\[y\/N\]/gi)?.length ?? 0;
      for (; answered < asked; answered++) terminal.stdin.write('y\n');
    });
    terminal.stderr.resume();
    terminal.on('error', reject);
    terminal.on('close', (code) => resolve({ code, screen }));
  });
}

test('the first page of the docs and the README begin with the same two commands', () => {
  expect(firstSteps('docs/start.md')).toHaveLength(2);
  const sameTask = (line: string) => line.replace(/start "[^"]*"/, 'start "..."');
  expect(firstSteps('README.md').map(sameTask)).toEqual(firstSteps('docs/start.md').map(sameTask));
});

test.skipIf(!hasTerminal)(
  'from nothing to a held session, by typing what the first page says, in under two minutes',
  async () => {
    const [setup = '', claude = ''] = firstSteps('docs/start.md');
    const [start = ''] = /npx untildone start "[^"]*"/.exec(claude) ?? [];
    const { scene, env } = await newMachine(start);
    const began = workOfChildrenMs();
    const first = await typeInTerminal(setup, scene.project, env);
    expect(first.code, first.screen).toBe(0);
    expect(first.screen).toContain('was held at a Stop here');
    const second = await typeInTerminal(claude, scene.project, env);
    expect(second.code, second.screen).toBe(0);
    expect(workOfChildrenMs() - began).toBeLessThan(TWO_MINUTES);
    const loop = await loopOf(scene);
    expect(loop, second.screen).toMatchObject({ status: 'verified_done', iteration: 2 });
    expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'verified_done']);
  },
);
