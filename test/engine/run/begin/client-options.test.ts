import { describe, expect, test } from 'vitest';
import { clientFor } from '../../../../src/engine/run/begin/client-options.ts';
import { planOf } from '../../../../src/engine/run/begin/driver-ports.ts';

const REF = { loop: 'l1', dir: '/nowhere' };

describe('how sessions of a run are started', () => {
  test('without a word: they may edit files of the project, nothing more', () => {
    expect(clientFor({})).toMatchObject({ permissionMode: 'acceptEdits', allow: [], client: {} });
  });

  test('the contract counts where nothing else was said', () => {
    const rules = { model: 'haiku', permissionMode: 'dontAsk', maxTurns: 3, idleMs: 1, sessionMs: 2 };
    expect(clientFor({}, rules)).toMatchObject(rules);
    expect(clientFor({ model: 'opus', permissionMode: 'plan' }, rules)).toMatchObject({
      ...rules,
      model: 'opus',
      permissionMode: 'plan',
    });
  });

  test('rules of both are allowed, each once', () => {
    expect(clientFor({ allow: ['Bash', 'Read'] }, { allow: ['Edit', 'Bash'] }).allow).toEqual([
      'Edit',
      'Bash',
      'Read',
    ]);
  });

  test('what is said about the run itself is no option of its sessions', () => {
    expect(clientFor({}, { mode: 'fresh', freshEvery: 2 })).toEqual(clientFor({}));
  });

  test('system prompt and options of the SDK reach the plan', () => {
    const client = clientFor({}, { systemPrompt: 'Be brief.', client: { tools: ['Bash'] } });
    expect(planOf(REF, client, '/project').session).toMatchObject({
      cwd: '/project',
      appendSystemPrompt: 'Be brief.',
      client: { tools: ['Bash'] },
    });
    expect(planOf(REF, clientFor({}), '/project').session.appendSystemPrompt).toBeUndefined();
  });
});
