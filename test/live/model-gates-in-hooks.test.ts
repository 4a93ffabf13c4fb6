/** The gates that ask a model, judged by the built hook at every Stop of one home. */
import { expect, test } from 'vitest';
import type { Script } from '../../src/dev/simulator/script.ts';
import { contractScene, startedSession } from '../support/live/contract.ts';
import { bash, decisionsOf, journalOf, loopOf } from '../support/live/untildone.ts';
import { few, isLong } from '../support/long.ts';

const opinion = (verdict: 'pass' | 'fail', reason: string, more: object) => ({
  tools: [{ name: 'StructuredOutput', input: { verdict, reason, missing: [], ...more } }],
});
const write = (text: string) => ({ tools: [bash(`echo '${text}' > add.js`)] });

/** The work changes before every Stop, so that no verdict is used again. */
const worker = (asked: string, more: object): Script => ({
  rules: [
    {
      when: { first: asked },
      turns: [
        opinion('fail', 'the first look', more),
        ...(isLong ? [opinion('fail', 'another look', more)] : []),
        opinion('pass', 'the last look', more),
      ],
    },
  ],
  turns: [
    write('one'),
    { text: 'done' },
    ...(isLong ? [write('two'), { text: 'now it is done' }] : []),
    write('three'),
    { text: 'fixed' },
  ],
});

const KINDS: [kind: string, gate: string, asked: string, more: object][] = [
  ['judge', '{ judge: "Does it add?" }', 'The question:', {}],
  ['agent', '{ agent: "Check that it adds." }', 'Check that it adds', { evidence: ['add.js:1'] }],
];

test.each(few(KINDS, 1))(
  '%s: the model is asked at every further Stop as at the first',
  async (_, gate, asked, more) => {
    const scene = await contractScene({ 'untildone.yaml': `gates:\n  review: ${gate}\n`, 'add.js': '' });
    const session = await startedSession(scene);
    await scene.runClient({ prompt: 'go', args: ['--session-id', session], script: worker(asked, more) });

    const loop = await loopOf(scene);
    const journal = await journalOf(scene, loop.id);
    const verdicts = journal.flatMap((entry) => (entry.kind === 'stop' ? entry.verdicts : []));
    expect(verdicts.map(({ outcome, summary }) => [outcome, summary])).toEqual([
      ['fail', 'the first look'],
      ...(isLong ? [['fail', 'another look']] : []),
      ['pass', 'the last look'],
    ]);
    expect(decisionsOf(journal).slice(0, -1)).toEqual(isLong ? ['block', 'block'] : ['block']);
    expect(loop.status).not.toBe('active');
  },
);
