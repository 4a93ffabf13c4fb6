import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KNOWN_EVENTS } from '../support/golden/events.ts';
import { type GoldenScene, goldenScene, SESSION } from '../support/golden/scene.ts';

/** What the hook answers to every event, and what it writes into the journal, in golden files. */

const CONTRACT = `gates:
  tests: { run: "test -f made" }
  tidy: { forbid: [debugger], paths: [src] }
done: [tests, tidy]
subagent: { "*": [tests] }
task_done: [tests]
teammate: [tests]
prompt: [tidy]
tools:
  deny: ["Bash(git push *)"]
  allow: ["Bash(npm test)"]
  rewrite:
    - { tool: Bash, field: command, pattern: '^npm install\\b', with: '$0 --ignore-scripts' }
`;

const STANDING = `${CONTRACT}every_stop: { gates: [tests], blocks: 2 }\n`;

async function played(scene: GoldenScene, ends: () => void): Promise<string> {
  const said: string[] = [];
  for (const event of KNOWN_EVENTS(scene.project)) said.push(await scene.hook(event));
  ends();
  said.push(await scene.hook({ hook_event_name: 'Stop', last_assistant_message: '<promise>DONE</promise>' }));
  said.push(await scene.hook({ hook_event_name: 'SessionEnd', reason: 'other' }));
  const entries = scene
    .journals()
    .map((line) => JSON.stringify((JSON.parse(line) as { entry: unknown }).entry));
  const written = `Journal\n${entries.join('\n')}\n\n${scene.foreignFiles()}`;
  return scene.steady(`${said.join('\n\n')}\n\n${written.trimEnd()}\n`);
}

const golden = (name: string) => join(import.meta.dirname, 'expected', `hook-${name}.txt`);

describe('what the hook answers and writes, event by event', () => {
  test('without anything that holds', async () => {
    const scene = await goldenScene();
    const said: string[] = [];
    for (const event of KNOWN_EVENTS(scene.project)) said.push(await scene.hook(event));
    await expect(`${said.join('\n\n')}\n`).toMatchFileSnapshot(golden('nothing'));
  });

  test('in a loop that only asks for a promise', async () => {
    const scene = await goldenScene();
    await scene.done('start', '--session', SESSION, 'Build the thing');
    await expect(await played(scene, () => {})).toMatchFileSnapshot(golden('promise'));
  });

  test('in a loop under a contract', async () => {
    const scene = await goldenScene();
    scene.write('untildone.yaml', CONTRACT);
    await scene.trust();
    await scene.done('start', '--session', SESSION, 'Build the thing');
    const ends = () => writeFileSync(join(scene.project, 'made'), '');
    await expect(await played(scene, ends)).toMatchFileSnapshot(golden('contract'));
  });

  test('in a session that a trusted contract guards without a loop', async () => {
    const scene = await goldenScene();
    scene.write('untildone.yaml', STANDING);
    await scene.trust();
    const said: string[] = [];
    for (const event of KNOWN_EVENTS(scene.project)) said.push(await scene.hook(event));
    await expect(`${said.join('\n\n')}\n`).toMatchFileSnapshot(golden('standing'));
  });

  test.each(['ralph-loop', 'verified-done', 'feature-list', 'lock'] as const)('of %s', async (format) => {
    const scene = await goldenScene();
    scene.layOut(format, 'DONE');
    await expect(await played(scene, () => {})).toMatchFileSnapshot(golden(format));
  });
});
