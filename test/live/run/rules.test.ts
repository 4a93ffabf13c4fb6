import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Script } from '../../../src/dev/simulator/script.ts';
import { contractScene } from '../../support/live/contract.ts';
import { startRun } from '../../support/live/run.ts';
import { sceneOfTest } from '../../support/live/test-scene.ts';
import { bash, journalOf, loopOf, untildone } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

const MAKES_IT: Script = {
  rules: [
    { when: { last: 'made' }, turns: [{ text: 'It is there.' }] },
    { when: { any: '.' }, turns: [{ tools: [bash('touch it && echo made')] }] },
  ],
};
const GATES = 'gates: { it: { run: test -e it } }\n';
const RULES = `${GATES}run:
  model: claude-haiku-4-5
  allow: ["Bash(touch it:*)", "Bash(echo made:*)"]
  system_prompt: Speak as a lighthouse keeper would.
  mode: fresh
  client: { tools: [Bash, Read], env: { MINE: from-the-contract } }
`;

const FEATURES = [{ id: 'F1', description: 'it is there', verify: 'test -e it', passes: false }];
const TICKED = FEATURES.map((feature) => ({ ...feature, passes: true }));

interface Body {
  model: string;
  tools?: { name: string }[];
}

const bodies = (requests: string[]) => requests.map((request) => JSON.parse(request) as Body);

describe('what a contract says about runs', () => {
  longTest('is what the sessions of a run are started with', async () => {
    const scene = await contractScene({ 'untildone.yaml': RULES });
    const run = await startRun(scene, ['Make it'], MAKES_IT).ended;
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    const [first] = bodies(run.requests);
    expect(first?.model).toMatch(/^claude-haiku-4-5/);
    expect(first?.tools?.map(({ name }) => name).sort()).toEqual(['Bash', 'Read']);
    expect(run.requests[0]).toContain('Speak as a lighthouse keeper would.');
    const loop = await loopOf(scene);
    expect(loop.status).toBe('verified_done');
    const [started] = await journalOf(scene, loop.id);
    expect(started).toMatchObject({ kind: 'started', run: { mode: 'fresh' } });
  });

  test('the command of a gate needs no permission; what is denied is named everywhere', async () => {
    const scene = await contractScene({
      'untildone.yaml': 'gates: { it: { run: node -e 0 && test -e it } }\n',
    });
    const script: Script = {
      turns: [
        { tools: [bash('node -e 0 && test -e it')] },
        { tools: [bash('node -e 0')] },
        { tools: [bash('git push origin main')] },
        { tools: [{ name: 'Write', input: { file_path: `${scene.project}/it`, content: 'x' } }] },
      ],
    };
    const run = await startRun(scene, ['Make it'], script).ended;
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    expect(run.stdout).toContain('! denied: git push origin main (to allow it: --allow "Bash(git push:*)")');
    expect(run.stdout).toContain('2 tool calls were denied: node -e 0; git push origin main');
    expect(run.stdout).not.toContain('denied: node -e 0 && test');
    const loop = await loopOf(scene);
    const { stdout: log } = await untildone(scene, ['log', loop.id]);
    expect(log).toContain('denied: git push origin main (to allow it: --allow "Bash(git push:*)")');
  });

  test('a feature list alone is the task and the contract, once you trust what it runs', async () => {
    const scene = await sceneOfTest({ git: true });
    await writeFile(`${scene.project}/f.json`, JSON.stringify(FEATURES));
    const refused = await startRun(scene, ['--features', 'f.json'], {}).ended;
    expect(refused).toMatchObject({ code: 2, requests: [] });
    expect(refused.stdout).toContain('test -e it');
    const trust = /untildone run --features f.json --trust (\w+)/.exec(refused.stderr)?.[1] ?? '';
    const script: Script = {
      turns: [
        {
          tools: [
            { name: 'Write', input: { file_path: `${scene.project}/it`, content: 'x' } },
            {
              name: 'Write',
              input: { file_path: `${scene.project}/f.json`, content: JSON.stringify(TICKED) },
            },
          ],
        },
      ],
    };
    const run = await startRun(scene, ['--features', 'f.json', '--trust', trust], script).ended;
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    expect(run.requests[0]).toContain('Make every feature of f.json pass');
    expect(await loopOf(scene)).toMatchObject({ status: 'verified_done' });
  });

  longTest('gives way to a flag', async () => {
    const scene = await contractScene({ 'untildone.yaml': RULES });
    const flags = ['--model', 'claude-sonnet-4-5', '--mode', 'session'];
    const run = await startRun(scene, ['Make it', ...flags], MAKES_IT).ended;
    expect(run.code).toBe(0);
    expect(bodies(run.requests)[0]?.model).toMatch(/^claude-sonnet-4-5/);
    const [started] = await journalOf(scene, (await loopOf(scene)).id);
    expect(started).toMatchObject({ run: { mode: 'session' } });
  });

  longTest('is shown to the person who approves it, and nothing begins before', async () => {
    const scene = await contractScene({ 'untildone.yaml': GATES });
    await writeFile(`${scene.project}/untildone.yaml`, RULES);
    const shown = await untildone(scene, ['trust', '--show']);
    for (const line of [
      'Sessions of "untildone run" are started with:',
      '  model: claude-haiku-4-5',
      '  allow: Bash(touch it:*), Bash(echo made:*)',
      '  client.tools: ["Bash","Read"]',
    ])
      expect(shown.stdout).toContain(line);
    const run = await startRun(scene, ['Make it'], MAKES_IT).ended;
    expect(run).toMatchObject({ code: 2, requests: [], stderr: expect.stringContaining('untildone trust') });
  });

  test('needs approval although nothing but a promise ends the loop', async () => {
    const scene = await contractScene({ 'untildone.yaml': GATES });
    await writeFile(
      `${scene.project}/untildone.yaml`,
      'gates: { it: { promise: DONE } }\nrun: { allow: [Bash] }\n',
    );
    const run = await startRun(scene, ['Make it'], {}).ended;
    expect(run).toMatchObject({ code: 2, requests: [] });
  });
});
