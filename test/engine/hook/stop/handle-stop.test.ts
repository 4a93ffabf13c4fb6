import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withPromise } from '../../../../src/engine/core/contract/contract.ts';
import { type HookScene, hookScene, messageOf, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, PASS, run } from '../../../support/hook/judging.ts';

const TESTS = contractWith({ tests: run('npm test') });

/** A loop whose tests fail until they are told to pass. */
function failing(): HookScene & { work: { fixed: boolean } } {
  const work = { fixed: false };
  return Object.assign(hookScene({ tests: () => (work.fixed ? PASS : FAIL) }), { work });
}

describe('a Stop of a loop', () => {
  test('is held with what fails, and let go with a receipt when it passes', async () => {
    const scene = failing();
    scene.begin(TESTS);
    const held = reasonOf(await scene.stop());
    expect(held).toContain('Fails: tests - fails');
    expect(held).toContain('a.ts:1 wrong');
    expect(scene.receipts).toEqual([]);
    scene.work.fixed = true;
    scene.judges.tree = 'tree 2';
    expect(messageOf(await scene.stop({ lastMessage: 'fixed' }))).toContain('done, and verified');
    expect(scene.state()).toMatchObject({ status: 'verified_done', iteration: 2 });
    expect(scene.receipts).toMatchObject([
      {
        status: 'verified_done',
        work: { tree: 'tree 2', commit: 'commit 1' },
        contract: { fileAtStart: 'the contract file', fileNow: 'the contract file' },
        verdicts: [{ gate: 'tests', outcome: 'pass', reused: false }],
      },
    ]);
  });
  test('that comes again without anything done costs no judging, and the reason does not repeat itself', async () => {
    const scene = failing();
    scene.begin(TESTS);
    await scene.stop();
    const again = reasonOf(await scene.stop({ lastMessage: 'still not' }));
    expect(scene.judges.judged).toEqual(['tests']);
    expect(again).toContain('unchanged since iteration');
    expect(again).not.toContain('a.ts:1 wrong');
  });
  test('a tool call in between is a reason to judge again', async () => {
    const scene = failing();
    scene.begin(TESTS);
    await scene.stop();
    await scene.hook({ name: 'PreToolUse', tool: 'Bash', input: { command: 'ls' } });
    await scene.stop();
    expect(scene.judges.judged).toEqual(['tests', 'tests']);
  });
  test('without a receipt nothing is verified, and the loop goes on', async () => {
    const scene = hookScene();
    scene.begin(TESTS);
    const { receipts } = scene.ports;
    scene.ports.receipts = () => Promise.reject(new Error('disk full'));
    await expect(scene.stop()).rejects.toThrow('the receipt could not be written: disk full');
    expect(scene.state().status).toBe('active');
    scene.ports.receipts = receipts;
    expect(messageOf(await scene.stop())).toContain('done, and verified');
    expect(scene.receipts).toMatchObject([{ status: 'verified_done', journal: { lines: 2 } }]);
  });
  test('a claim without a receipt stays a claim, and the journal says so', async () => {
    const scene = hookScene();
    const { limits } = TESTS;
    scene.begin(withPromise({ ...TESTS, gates: {}, done: [], limits }, 'DONE'), { fingerprint: '' });
    scene.ports.receipts = () => Promise.reject(new Error('disk full'));
    expect(messageOf(await scene.stop())).toContain('nothing was measured');
    const message = 'the receipt could not be written: disk full';
    expect(scene.lastEntry()).toEqual({ kind: 'error', message });
  });
  test('what goes wrong after an ending is written does not keep anybody from being told of it', async () => {
    const scene = hookScene();
    scene.begin(TESTS);
    const { store } = scene;
    const contract = store.contract.bind(store);
    scene.store.contract = (ref) => {
      if (scene.state().status !== 'active') throw new Error('gone');
      return contract(ref);
    };
    expect(messageOf(await scene.stop())).toMatch(/done, and verified.*gone/s);
    expect(scene.state().status).toBe('verified_done');
  });
  test('only the word of the agent makes a claim of it', async () => {
    const scene = hookScene();
    const { limits } = TESTS;
    scene.begin(withPromise({ ...TESTS, gates: {}, done: [], limits }, 'DONE'), { fingerprint: '' });
    expect(messageOf(await scene.stop())).toContain('nothing was measured');
    expect(scene.receipts).toMatchObject([{ status: 'claimed_done', work: { tree: null } }]);
  });
});

describe('what a person approved since the last Stop', () => {
  test('is told with their words, once', async () => {
    const scene = failing();
    const ref = scene.begin(TESTS);
    scene.store.append(ref, () => ({ kind: 'answered', gate: 'plan', said: 'approved', note: 'in blue' }));
    expect(reasonOf(await scene.stop())).toContain('a person approved plan: "in blue"');
    expect(reasonOf(await scene.stop({ lastMessage: 'more' }))).not.toContain('in blue');
  });
});

describe('what nobody approved', () => {
  test('is not run, holds nobody, and says who has to do what', async () => {
    const scene = failing();
    scene.begin(TESTS, { fingerprint: 'another' });
    const answer = messageOf(await scene.stop());
    expect(answer).toContain('nothing was judged');
    expect(answer).toContain('untildone trust');
    expect(scene.judges.judged).toEqual([]);
    expect(scene.state()).toMatchObject({ status: 'active', iteration: 1, waiting: { why: 'needs_person' } });
  });
});

describe('tampering', () => {
  const contractFile = (scene: HookScene) =>
    join(scene.store.loopOfSession('s1')?.dir ?? '', 'contract.json');
  const journalFile = (scene: HookScene) => join(scene.store.loopOfSession('s1')?.dir ?? '', 'journal.jsonl');

  test('another contract in the place of the frozen one: the loop has failed, and nothing of it is run', async () => {
    const scene = hookScene();
    scene.begin(TESTS);
    const text = readFileSync(contractFile(scene), 'utf8');
    writeFileSync(contractFile(scene), text.replace('npm test', 'true'));
    expect(messageOf(await scene.stop())).toContain('NOT done');
    expect(scene.state()).toMatchObject({ status: 'failed', ending: { cause: 'contract_replaced' } });
    expect(scene.judges.judged).toEqual([]);
    expect(scene.receipts).toEqual([]);
  });
  test.each<[string, string | undefined | Error]>([
    ['changed', 'another hash'],
    ['taken away', undefined],
    ['replaced by something that is no file', new Error('untildone.yaml is not a regular file')],
  ])('untildone.yaml was %s: said, and the frozen one rules', async (_, now) => {
    const scene = failing();
    scene.begin(TESTS);
    scene.judges.contractFileNow = now;
    const reason = reasonOf(await scene.stop());
    expect(reason).toContain('untildone.yaml was changed since this loop began. The change has no effect');
    expect(reason).toContain('Fails: tests');
    scene.work.fixed = true;
    scene.judges.tree = 'tree 2';
    await scene.stop();
    expect(scene.receipts).toMatchObject([{ contract: { fileAtStart: 'the contract file' } }]);
    expect(scene.receipts[0]?.contract.fileNow).toBe(typeof now === 'string' ? now : null);
  });
  test('lines in the journal that are not ours are named once and count for nothing', async () => {
    const scene = failing();
    scene.begin(TESTS);
    await scene.stop();
    const last = readFileSync(journalFile(scene), 'utf8').trimEnd().split('\n').at(-1) ?? '';
    const forged = last.replace('"status":"active"', '"status":"verified_done"');
    appendFileSync(journalFile(scene), `${forged}\n{"kind":"stop"}\n`);
    const told = 'lines in the journal of this loop were not written by untildone';
    expect(reasonOf(await scene.stop({ lastMessage: 'x' }))).toContain(`2 ${told}`);
    expect(reasonOf(await scene.stop({ lastMessage: 'y' }))).not.toContain(told);
    expect(scene.state()).toMatchObject({ status: 'active', foreignLines: 2 });
  });
});

describe('a Stop of a session whose tool call is still open', () => {
  const open = { answered: false, toolSinceBlock: true, openToolUse: 'toolu_1' };
  const stopOf = (scene: HookScene, promptId = 'p1') =>
    scene.stop({ transcript: '/t.jsonl', lastMessage: 'done', promptId });
  test('may not come from Claude Code: held, journaled, neither judged nor counted', async () => {
    const scene = hookScene();
    scene.begin(TESTS);
    scene.transcript.now = open;
    const answer = await stopOf(scene);
    expect(reasonOf(answer)).toContain('still open');
    expect(answer).toMatchObject({ message: expect.stringContaining('1 of 3') });
    expect(scene.lastEntry()).toMatchObject({
      kind: 'event',
      event: 'Stop',
      detail: { refused: expect.any(String), held: 'without judging' },
    });
    // Claude Code counts its holds in a row.
    expect(scene.state()).toMatchObject({ status: 'active', iteration: 1, blocksInARow: 1 });
    expect(scene.judges.judged).toEqual([]);
  });
  test('is held three times in a prompt; then the session may stop, and you are told', async () => {
    const scene = hookScene();
    scene.begin(TESTS);
    scene.transcript.now = open;
    for (const _ of [1, 2, 3]) expect((await stopOf(scene)).kind).toBe('refuse');
    expect(messageOf(await stopOf(scene))).toContain('nothing is proven');
    expect(scene.lastEntry()).toMatchObject({ detail: { letGo: 'without judging' } });
    expect((await stopOf(scene, 'p2')).kind).toBe('refuse');
    expect(scene.state()).toMatchObject({ status: 'active', iteration: 1 });
  });
  test('is judged where its process comes from Claude Code, whatever the transcript shows', async () => {
    const scene = hookScene();
    scene.begin(TESTS);
    scene.transcript.now = open;
    scene.ports.isFromClient = () => true;
    expect(messageOf(await stopOf(scene))).toContain('done, and verified');
  });
  test('a result that is only late on disk is waited for', async () => {
    const scene = hookScene();
    scene.begin(TESTS);
    scene.transcript = {
      now: open,
      later: { answered: true, lastText: 'done', toolSinceBlock: true },
      polls: 0,
    };
    expect(messageOf(await scene.stop({ transcript: '/t.jsonl' }))).toContain('done, and verified');
    expect(scene.transcript.polls).toBe(1);
  });
});

describe('what was said last', () => {
  const PROMISED = contractWith({ said: { kind: 'promise', options: { text: 'DONE' } } });
  /** What the gates were given as the last message, Stop by Stop. */
  async function heard(...stops: [sent: string | undefined, seen: object][]) {
    const messages: (string | undefined)[] = [];
    const scene = hookScene({
      said: ({ request }) => {
        messages.push(request.lastMessage);
        return FAIL;
      },
    });
    scene.begin(PROMISED, { fingerprint: '' });
    for (const [sent, seen] of stops) {
      scene.transcript.now = seen;
      await scene.hook({
        name: 'Stop',
        stopHookActive: true,
        backgroundTasks: [],
        wakeUps: [],
        transcript: '/t.jsonl',
        ...(sent === undefined ? {} : { lastMessage: sent }),
      });
    }
    return { messages, scene };
  }
  const said = (lastText: string) => ({ answered: true, lastText });

  test('is what the client sends', async () => {
    const { messages, scene } = await heard(['one', said('one')], ['one', said('one')]);
    expect(messages).toEqual(['one', 'one']);
    expect(scene.state().emptyAnswers).toBe(0);
    expect(scene.transcript.polls).toBe(0);
  });
  test.each([
    ['only thinking', { answered: true }],
    ['an empty text', { answered: true, lastText: '' }],
    ['no answer at all', { answered: false }],
  ])(
    '%s: the client repeats the message before it, three times over, and nothing was said',
    async (_, silent) => {
      const { messages, scene } = await heard(
        ['one', said('one')],
        ['one', silent],
        ['one', silent],
        ['one', silent],
      );
      expect(messages).toEqual(['one', '', '', '']);
      expect(scene.state()).toMatchObject({ status: 'idle', ending: { cause: 'empty_answers' } });
    },
  );
  test('a claim made once is not made again by silence', async () => {
    const { messages } = await heard(
      ['<promise>DONE</promise>', said('x')],
      ['<promise>DONE</promise>', { answered: false }],
    );
    expect(messages[1]).toBe('');
  });
  test('a new message counts although the transcript is behind', async () => {
    const { messages } = await heard(
      ['one', said('one')],
      ['two', { answered: false }],
      ['three', { answered: true }],
    );
    expect(messages).toEqual(['one', 'two', 'three']);
  });
  test('without a transcript the client is believed', async () => {
    const { messages } = await heard(['one', {}], ['one', {}]);
    expect(messages).toEqual(['one', 'one']);
  });
  test('a client that sends none: the transcript tells', async () => {
    const { messages } = await heard(
      [undefined, said('one')],
      [undefined, { answered: true }],
      [undefined, {}],
    );
    expect(messages).toEqual(['one', '', undefined]);
  });
  test('of a message of many megabytes its end is judged', async () => {
    const { messages } = await heard([`${'x'.repeat(3 * 1024 * 1024)}\nDONE`, said('x')]);
    expect(messages[0]).toBe('DONE');
  });
});
