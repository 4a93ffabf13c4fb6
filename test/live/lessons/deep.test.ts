import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cleanEnvironment } from '../../../src/client/sdk/find-client.ts';
import type { Turn } from '../../../src/dev/simulator/script.ts';
import { contractScene } from '../../support/live/contract.ts';
import type { Scene } from '../../support/live/scene.ts';
import { bash, untildone } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

const CONTRACT = 'gates:\n  tests: { run: test -f built }\n';
const LINT = {
  file: 'untildone.yaml',
  why: 'the same lint error came back in every session',
  old: 'built }\n',
  new: 'built }\n  lint: { run: test ! -f bad }\n',
};

const answering = (input: Record<string, unknown>): Turn => ({
  tools: [{ name: 'StructuredOutput', input }],
});

async function deep(scene: Scene, name: string, after: Turn, ...flags: string[]) {
  scene.simulator.load(name, { after });
  const env = cleanEnvironment({
    home: scene.home,
    baseUrl: scene.simulator.urlFor(name),
    extra: { ...scene.environment, CLAUDE_CODE_MAX_RETRIES: '0' },
  });
  // As a process: the Agent SDK is not part of the program.
  return untildone(scene, ['reflect', '--deep', ...flags], { env, input: '' });
}

test('reflect --deep: a patch, and an answer that cannot be used', async () => {
  const scene = await contractScene({ 'untildone.yaml': CONTRACT });
  const turns = [{ tools: [bash('touch built')] }, { text: 'built' }];
  await scene.runClient({ prompt: 'go', script: { turns } });

  const proposed = await deep(scene, 'proposes', answering({ summary: 'Add lint.', edits: [LINT] }));
  expect({ ...proposed, stdout: '' }).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('at most 0.5 USD'),
  });
  expect(proposed.stdout).toContain('+  lint: { run: test ! -f bad }');
  expect(proposed.stdout).toMatch(/It cost \d\.\d+ USD, of at most 0\.5\./);
  const tried = /untildone replay --contract (\S+)/.exec(proposed.stdout)?.[1] ?? '';
  expect(readFileSync(tried, 'utf8')).toBe(`${CONTRACT}  lint: { run: test ! -f bad }\n`);
  expect(readFileSync(`${scene.project}/untildone.yaml`, 'utf8')).toBe(CONTRACT);
  const asked = JSON.stringify(scene.simulator.requests('proposes')[0]?.body);
  expect(asked).toContain('Figures and findings of past sessions');

  const bad = answering({ summary: 'x', edits: [{ ...LINT, old: 'not there' }] });
  const unusable = await deep(scene, 'errs', bad, '--json');
  expect(unusable.code).toBe(2);
  expect(JSON.parse(unusable.stdout).proposal).toMatchObject({
    result: 'unusable',
    problem: 'the text that it replaces in untildone.yaml is not there exactly once',
  });

  expect(readdirSync(scene.project).sort()).toEqual(['.claude', '.git', 'built', 'untildone.yaml']);
});

longTest('reflect --deep: no answer for the money', async () => {
  const scene = await contractScene({ 'untildone.yaml': CONTRACT });
  await scene.runClient({ prompt: 'go', script: { turns: [{ text: 'nothing to do' }] } });
  const greedy: Turn = { tools: [bash('true')], usage: { input_tokens: 500_000 } };
  const over = await deep(scene, 'overspends', greedy, '--max-cost', '0.01');
  expect(over.code).toBe(2);
  expect(over.stdout).toMatch(/There is no proposal: .*0\.01 USD[\s\S]*It cost \d/);
});
