import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GateSpec, PromptRule } from '../../../../src/engine/core/contract/contract.ts';
import type { Answer } from '../../../../src/engine/core/loop/event.ts';
import { textGate } from '../../../../src/engine/gates/text/index.ts';
import { recordTrust, setStanding } from '../../../../src/engine/home/trust.ts';
import { GUARDED_BLOCKS } from '../../../../src/engine/hook/guard/guard-work.ts';
import { T0 } from '../../../support/core/samples.ts';
import { type HookScene, hookScene, messageOf, reasonOf } from '../../../support/hook/hook-scene.ts';
import { all, contractWith, FAIL, frozenWith, PASS, run, type Says } from '../../../support/hook/judging.ts';

const CLEAR: GateSpec = { kind: 'text', options: { forbid: [], custom: [], atLeast: 10 } };
const contractOf = (prompt: PromptRule) =>
  contractWith(
    { tests: run(), clear: CLEAR, own: run('own'), both: all('clear', 'own') },
    { done: ['tests'], prompt },
  );

type Place = 'loop' | 'session';

/** The same contract in a loop, and in a session without one. */
function scened(
  place: Place,
  prompt: PromptRule,
  says: Record<string, Says> = {},
  trusted = true,
): HookScene {
  const scene = hookScene(says);
  scene.judges.gates = { ...scene.judges.gates, text: textGate };
  const contract = contractOf(prompt);
  const { home, project } = scene;
  const fingerprint = trusted ? 'print' : 'another';
  if (place === 'loop') scene.begin(contract, { fingerprint });
  else setStanding(home, project, frozenWith(contract, { project, fingerprint }));
  recordTrust(home, project, 'print', T0);
  return scene;
}
const say = (scene: HookScene, prompt: string) => scene.hook({ name: 'UserPromptSubmit', prompt });
const kinds = async (scene: HookScene, prompt: string, times: number) => {
  const found: string[] = [];
  for (let i = 0; i < times; i++) found.push((await say(scene, prompt)).kind);
  return found;
};
const contextOf = (answer: Answer) => (answer.kind === 'inject' ? answer.context : answer.kind);

describe.each(['loop', 'session'] as const)('a prompt in a %s', (place) => {
  test('that fails is not sent, and the person reads why and what to do', async () => {
    const scene = scened(place, { gates: ['clear'] });
    const reason = reasonOf(await say(scene, 'go'));
    expect(reason).toContain('untildone: this prompt was not sent to the model.');
    expect(reason).toContain('Fails: clear - the prompt has 2 characters, at least 10 are asked for');
    expect(reason).toContain('What to do: say more about what is to be done.');
    expect(reason).toContain('send it again');
    expect((await say(scene, 'go on with the parser')).kind).toBe('silence');
  });
  test('no tree is taken to look at a text', async () => {
    const scene = scened(place, { gates: ['clear'] });
    await say(scene, 'go');
    expect(scene.judges.treesTaken).toBe(0);
  });
  test('a text gate never gives in', async () => {
    const scene = scened(place, { gates: ['clear'] });
    expect(new Set(await kinds(scene, 'go', GUARDED_BLOCKS + 3))).toEqual(new Set(['refuse']));
  });
  test('nor does one inside an all', async () => {
    const scene = scened(place, { gates: ['both'] }, { own: FAIL });
    expect(new Set(await kinds(scene, 'go', GUARDED_BLOCKS + 3))).toEqual(new Set(['refuse']));
  });
  test.each([FAIL, { outcome: 'unproven' as const, summary: 'no such command' }])(
    'any other gate lets go after so many refusals in a row, and that is said ($outcome)',
    async (says) => {
      const scene = scened(place, { gates: ['own'] }, { own: says });
      expect(await kinds(scene, 'a prompt', GUARDED_BLOCKS)).toEqual(Array(GUARDED_BLOCKS).fill('refuse'));
      expect(messageOf(await say(scene, 'a prompt'))).toBe(
        `untildone: this prompt was sent after ${GUARDED_BLOCKS} refusals in a row, although own still refuses it.`,
      );
      expect((await say(scene, 'a prompt')).kind).toBe('tell');
    },
  );
  test('one that is sent after all is sent with what is told with every prompt', async () => {
    const scene = scened(place, { gates: ['own'], tell: 'Be brief.' }, { own: FAIL });
    await kinds(scene, 'a prompt', GUARDED_BLOCKS);
    const answer = await say(scene, 'a prompt');
    expect(contextOf(answer)).toContain('Be brief.');
    expect(answer).toMatchObject({ message: expect.stringContaining('refusals in a row') });
  });
  test('one that passes begins the count anew', async () => {
    let says = FAIL;
    const scene = scened(place, { gates: ['own'] }, { own: () => says });
    await kinds(scene, 'a prompt', GUARDED_BLOCKS - 1);
    says = PASS;
    expect(await kinds(scene, 'a prompt', 1)).toEqual(['silence']);
    says = FAIL;
    expect(await kinds(scene, 'a prompt', GUARDED_BLOCKS)).toEqual(Array(GUARDED_BLOCKS).fill('refuse'));
  });
  test('is judged anew each time, though the tree is the same', async () => {
    const scene = scened(place, { gates: ['own'] });
    await kinds(scene, 'a prompt', 2);
    expect(scene.judges.judged).toEqual(['own', 'own']);
  });
  test('the gate is told the event', async () => {
    const seen: unknown[] = [];
    const scene = scened(
      place,
      { gates: ['own'] },
      {
        own: ({ request }) => {
          seen.push(request.event);
          return PASS;
        },
      },
    );
    await say(scene, 'look at this');
    expect(seen).toMatchObject([{ name: 'UserPromptSubmit', prompt: 'look at this' }]);
  });
  test('what nobody typed is not judged, and nothing is told with it', async () => {
    const scene = scened(place, { gates: ['clear'], tell: 'Answer in English.' });
    const notice = '<task-notification>\n<task-id>a1</task-id>\n</task-notification>';
    expect((await say(scene, notice)).kind).toBe('silence');
    const inAgent = { name: 'UserPromptSubmit' as const, prompt: 'go', agentId: 'a1' };
    expect((await scene.hook(inAgent)).kind).toBe('silence');
  });
  test('before a person approved it nothing is judged and nothing told', async () => {
    const scene = scened(place, { gates: ['own'], tell: 'x' }, { own: FAIL }, false);
    expect((await say(scene, 'go')).kind).toBe('silence');
    expect(scene.judges.judged).toEqual([]);
  });
  test('a text is told with every prompt that is sent, and with none that is not', async () => {
    const scene = scened(place, { gates: ['clear'], tell: 'Answer in English.\n' });
    expect(contextOf(await say(scene, 'go on with the parser'))).toBe(
      'untildone: this project tells you with every prompt:\n\nAnswer in English.',
    );
    expect((await say(scene, 'go')).kind).toBe('refuse');
  });
  test('a file is told as it is then, and no more than its beginning', async () => {
    const scene = scened(place, { gates: [], tell: 'First.', tellFile: 'docs/context.md' });
    mkdirSync(join(scene.project, 'docs'));
    writeFileSync(join(scene.project, 'docs/context.md'), 'The API is in src/api.');
    expect(contextOf(await say(scene, 'go'))).toMatch(/First\.\n\nThe API is in src\/api\.$/);
    writeFileSync(join(scene.project, 'docs/context.md'), 'x'.repeat(100_000));
    const long = contextOf(await say(scene, 'go'));
    expect(long.length).toBeLessThan(4200);
    expect(long).toContain('characters more]');
  });
  test('a file that is not there, or leads out of the project, is not told, and that is said', async () => {
    const scene = scened(place, { gates: [], tellFile: 'context.md' });
    expect(messageOf(await say(scene, 'go'))).toBe(
      'untildone: prompt: context.md is not there, so nothing is added',
    );
    writeFileSync(join(scene.project, '..', 'secret'), 'outside');
    symlinkSync('../secret', join(scene.project, 'context.md'));
    expect(messageOf(await say(scene, 'go'))).toContain('leads out of the project');
    const both = scened(place, { gates: [], tell: 'Still.', tellFile: 'context.md' });
    expect(await say(both, 'go')).toMatchObject({
      kind: 'inject',
      message: expect.stringContaining('context.md is not there'),
    });
  });
});

describe('in a loop', () => {
  test('a refusal is journaled without the text, and nothing begins', async () => {
    const scene = scened('loop', { gates: ['both'] }, { own: () => ({ ...FAIL, summary: 'no: hunter2' }) });
    expect(reasonOf(await say(scene, 'hunter2'))).toContain('hunter2');
    expect(scene.lastEntry()).toMatchObject({
      kind: 'guard',
      event: 'UserPromptSubmit',
      subject: 'prompt',
      refused: true,
      verdicts: [{ gate: 'both', outcome: 'fail', children: [{ gate: 'clear' }, { gate: 'own' }] }],
    });
    expect(JSON.stringify(scene.lastEntry())).not.toContain('hunter2');
    expect(scene.state()).toMatchObject({ iteration: 1, status: 'active', guarded: { prompt: 1 } });
  });
  test('one that is sent is an event as before', async () => {
    const scene = scened('loop', { gates: ['clear'] });
    await say(scene, 'go on with the parser');
    expect(scene.lastEntry()).toEqual({ kind: 'event', event: 'UserPromptSubmit' });
  });
  test('that is paused, prompts are looked at all the same', async () => {
    const scene = scened('loop', { gates: ['clear'] });
    const ref = scene.store.loopOfSession('s1');
    if (ref) scene.store.append(ref, () => ({ kind: 'command', command: 'pause' }));
    expect((await say(scene, 'go')).kind).toBe('refuse');
  });
  test('that is a run, the prompts are ours: nothing is judged', async () => {
    const scene = scened('loop', { gates: ['clear'], tell: 'x' });
    const ref = scene.store.loopOfSession('s1');
    if (ref) scene.store.append(ref, () => ({ kind: 'run_begun' }));
    expect((await say(scene, 'go')).kind).toBe('silence');
  });
});
