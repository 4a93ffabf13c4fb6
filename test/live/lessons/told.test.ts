import { expect, test } from 'vitest';
import type { Lesson } from '../../../src/engine/core/lessons/lesson.ts';
import { isWithheld } from '../../../src/engine/core/lessons/telling.ts';
import { homeAt, projectFolder } from '../../../src/engine/home/layout.ts';
import { changeLessons } from '../../../src/engine/home/lessons/files.ts';
import { contractScene } from '../../support/live/contract.ts';
import { startRun } from '../../support/live/run.ts';
import type { Scene } from '../../support/live/scene.ts';
import { bash, journalOf, loopOf, startCall } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

const FILES = { 'untildone.yaml': 'gates:\n  lint: { run: test -f built }\n' };
const WORDS =
  '`test -f built` (gate `lint`) blocked 3 of the last 4 loops on `no-unused-vars`: run it before you finish.';

/** The lesson of a project whose next loop is told it, or not. */
function learned(scene: Scene, withheld: boolean): void {
  const home = homeAt(scene.untildoneHome);
  const now = Date.now();
  const lesson: Lesson = {
    id: 'Ltried',
    gate: 'lint',
    command: 'test -f built',
    rule: 'no-unused-vars',
    of: 4,
    usual: 1,
    evidence: ['l1', 'l2', 'l3'].map((loop) => ({ loop, iterations: [1] })),
    madeAt: now,
    expiresAt: now + 86_400_000,
    decided: 0,
  };
  while (isWithheld(lesson) !== withheld) lesson.decided++;
  changeLessons(home, projectFolder(home, scene.project), () => ({
    files: { kept: { v: 1, lessons: [lesson], dropped: [] } },
    result: undefined,
  }));
}

test('a lesson reaches the model at the start of a session, or is withheld', async () => {
  const scene = await contractScene(FILES);
  learned(scene, false);
  const turns = [{ tools: [startCall('Build it')] }, { tools: [bash('touch built')] }, { text: 'built' }];
  const told = await scene.runClient({ prompt: 'go', script: { turns } });
  expect(JSON.stringify(told.requests[0]?.body)).toContain(WORDS);
  const first = await loopOf(scene);
  expect(first.status).toBe('verified_done');
  expect((await journalOf(scene, first.id))[0]).toMatchObject({
    lessons: { shown: ['Ltried'], withheld: [] },
  });

  learned(scene, true);
  const silent = await scene.runClient({ prompt: 'go', script: { turns: [{ text: 'nothing to do' }] } });
  expect(JSON.stringify(silent.requests)).not.toContain('no-unused-vars');
});

longTest('and in each session of a run, also after a hand-over', async () => {
  const scene = await contractScene(FILES);
  learned(scene, false);
  const args = ['Build more', '--mode', 'fresh', '--model', 'claude-opus-5-5', '--allow', 'Bash'];
  const script = {
    turns: [{ text: 'not yet' }, { tools: [bash('touch built more')] }, { text: 'built' }],
  };
  const run = await startRun(scene, args, script).ended;
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
  const sessions = run.requests.filter((body) => !body.includes('tool_result'));
  expect(sessions.length).toBeGreaterThanOrEqual(2);
  const handedOver = sessions.find((body) => body.includes('an earlier session began'));
  for (const body of [sessions[0], handedOver]) expect(body).toContain(WORDS);
});
