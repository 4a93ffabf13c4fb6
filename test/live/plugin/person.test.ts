/** What a person at the prompt of the interactive Claude Code types and sees: commands and the status line. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractScene } from '../../support/live/contract.ts';
import { pluginIn } from '../../support/live/plugin.ts';
import { NO_MODS, underPolicy } from '../../support/live/policy.ts';
import { waitFor } from '../../support/live/processes.ts';
import { hasTerminal, inTerminal, type TerminalClient } from '../../support/live/terminal.ts';
import { BIN, bash, journalOf, loopOf, must } from '../../support/live/untildone.ts';
import { isLong } from '../../support/long.ts';

const CONTRACT = `gates:
  good: { approve: Is it good? }
  made: { run: test -e made }
`;
const ASK = `'${process.execPath}' '${BIN}' ask 'Which colour?' --option red --option blue`;
const TURNS = [
  { tools: [bash(ASK)] },
  { text: 'ASKED' },
  { tools: [bash('touch made')] },
  { text: 'MADE' },
  { text: 'THANKS' },
  { text: 'SECOND' },
  { hang: true },
  { text: 'THIRD' },
  { hang: true },
];

/** Types a line at the prompt, and sends it when it stands there. */
async function typeLine(client: TerminalClient, line: string): Promise<void> {
  client.type(line);
  const end = line.slice(-25).replace(/[^\w\s]/g, '.');
  await client.untilShown(new RegExp(end), `the line ${line}`);
  client.type('\r');
}

/** Nothing turns: a word with a sign before it and dots behind it. */
const IDLE = /^(?!.*\n\S [\w'-]+…).+/s;

/** Interrupts the turn of the n-th request, once the model was asked: before that, Esc takes the prompt back. */
async function interrupt(client: TerminalClient, request: number): Promise<void> {
  await waitFor(() => client.requests().length >= request, undefined, `request ${request}`);
  client.type('\u001b');
  await client.untilShown(/Interrupted/, 'the interruption');
  await client.untilShown(IDLE, 'nothing at work');
}

const WAYS = isLong ? [false, true] : [false];

if (hasTerminal)
  test.each(WAYS)(
    'what a person types is done and seen (under a policy without mods: %s)',
    async (managed) => {
      const scene = await contractScene({ 'untildone.yaml': CONTRACT });
      await must(scene, ['install', '--statusline']);
      const client = inTerminal(scene, {
        prompt: '/untildone:loop Make it',
        args: ['--plugin-dir', pluginIn(scene)],
        script: { turns: TURNS },
        ...(managed ? { binary: underPolicy(scene, NO_MODS) } : {}),
      });
      await client.untilShown(/the agent asks you: question 1: Which colour/, 'the question');
      await client.untilShown(/untildone \w{6} 1\/50 asks you/, 'a status line that asks');
      const { id } = await loopOf(scene);
      await typeLine(client, '/untildone:answer red, not "blue"');
      await client.untilShown(/MADE/, 'the work after the answer');
      await client.untilShown(/untildone \w{6} 1\/50 asks you .good .made/, 'what is left is yours');
      await typeLine(client, '/untildone:approve looks "good" to me');
      await client.untilShown(/untildone \w{6} 1\/50 verified_done/, 'the end on the status line');
      const first = await journalOf(scene, id);
      expect(first).toContainEqual(expect.objectContaining({ kind: 'answered', note: 'red, not "blue"' }));
      expect(first).toContainEqual(expect.objectContaining({ said: 'approved', note: 'looks "good" to me' }));

      rmSync(join(scene.project, 'made'));
      await typeLine(client, '/untildone:loop Once more');
      await client.untilRequest((body) => body.includes('SECOND'), 'the hold');
      await client.untilShown(/untildone \w{6} 2\/50 .good .made/, 'a hold on the status line');
      // Bands are the module's: a policy without mods has none.
      const untilBand = async (band: RegExp, what: string) =>
        managed ? undefined : client.untilShown(band, what);
      await untilBand(/untildone: held: .*iteration 2 of 50/, 'the band');
      await untilBand(/Ends: when all gates pass, at the latest after iteration 50/, 'the end');
      await interrupt(client, 7);
      await typeLine(client, '/untildone:pause "it\'s" $(touch pwned)');
      await client.untilShown(/paused\. Its session may stop now/, 'the answer');
      await untilBand(/untildone: paused, the session may stop/, 'the band of a paused loop');
      await typeLine(client, "/untildone:cancel it's enough");
      await client.untilShown(/cancelled/, 'the end');
      const second = await loopOf(scene);
      expect(second).toMatchObject({ status: 'cancelled', iteration: 2 });
      const entries = await journalOf(scene, second.id);
      expect(entries).toContainEqual(
        expect.objectContaining({ command: 'pause', note: `"it's" $(touch pwned)` }),
      );
      expect(entries.at(-1)).toMatchObject({ note: "it's enough" });
      if (!isLong) return;

      await typeLine(client, '/untildone:loop The third time');
      await client.untilRequest((body) => body.includes('THIRD'), 'the hold');
      await interrupt(client, 9);
      await typeLine(client, '/untildone:release the rest is mine');
      await client.untilShown(/released/, 'the end');
      const third = await loopOf(scene);
      expect(third).toMatchObject({ status: 'released', iteration: 2 });
      const last = await journalOf(scene, third.id);
      expect(last.at(-1)).toMatchObject({ command: 'release', note: 'the rest is mine' });
    },
  );
