/** A turn whose Stop never reached us is noticed when the session goes on, and told. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MISSED_STOP, MISSED_WORDS } from '../../../src/engine/core/loop/missed-stop.ts';
import { contractScene, startedSession } from '../../support/live/contract.ts';
import { BIN, bash, decisionsOf, journalOf, loopOf } from '../../support/live/untildone.ts';

test('a turn that ended while hooks were switched off is told at the next start, and judged after it', async () => {
  const scene = await contractScene({ 'untildone.yaml': 'gates:\n  made: { run: test -e made }\n' });
  const session = await startedSession(scene);
  const unheld = await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session],
    settings: { disableAllHooks: true },
    script: { turns: [{ text: 'I am done.' }] },
  });
  expect(unheld.requests).toHaveLength(1);
  const { id } = await loopOf(scene);
  expect(decisionsOf(await journalOf(scene, id))).toEqual([]);

  const status = bash(`'${process.execPath}' '${BIN}' status > seen; touch made`);
  const held = await scene.runClient({
    prompt: 'go on',
    args: ['--resume', session],
    script: { turns: [{ tools: [status] }, { text: 'Done.' }] },
  });
  expect(JSON.stringify(held.lines)).toContain(`untildone: loop ${id}: ${MISSED_WORDS}`);
  const journal = await journalOf(scene, id);
  const missed = journal.filter((entry) => entry.kind === 'event' && entry.event === MISSED_STOP);
  expect(missed).toHaveLength(1);
  expect(journal.indexOf(missed[0] as (typeof journal)[number])).toBeLessThan(
    journal.findIndex(({ kind }) => kind === 'stop'),
  );
  expect(decisionsOf(journal)).toEqual(['verified_done']);
  expect(readFileSync(join(scene.project, 'seen'), 'utf8')).toContain(MISSED_WORDS.slice(0, 40));
});
