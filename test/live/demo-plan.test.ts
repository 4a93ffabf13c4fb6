import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDemo } from '../../src/dev/demo/demo-folder.ts';
import {
  clientThat,
  demo,
  endOf,
  person,
  REAL_CLIENT,
  simulatorWith,
  startDemo,
} from '../support/live/demo.ts';
import { processesOf, waitFor } from '../support/live/processes.ts';
import { longTest } from '../support/long.ts';

const EVERY_CHECK = openDemo('four-chunks', resolve(import.meta.dirname, '../../src')).expect.map(
  ({ says }) => says,
);

describe('the demo of a plan', () => {
  longTest('goes through its phases and chunks to a verified end, and keeps what is asked for', async () => {
    const who = person({ ANTHROPIC_AUTH_TOKEN: 'not to be used', CLAUDECODE: '1' });
    const { code, stdout, stderr } = await demo(who, ['--plan', '--keep']);
    expect(stderr).toBe('');
    expect(code, stdout).toBe(0);
    expect([who.home, who.cwd].map((folder) => readdirSync(folder))).toEqual([[], []]);
    expect(await processesOf(who.root)).toEqual([]);
    expect(stdout).not.toContain('\x1b');
    for (const name of EVERY_CHECK) expect(stdout).toContain(`ok   ${name}\n`);
    expect(inOrder(stdout)).toEqual([
      'The demo answers in your place',
      '$ untildone approve plan --note',
      'phase build begins',
      '1 of 4 chunks pass; now: basket',
      '2 of 4 chunks pass; now: discount',
      'From 20.00 on means at 20.00, too.',
      '3 of 4 chunks pass; now: bill',
      'phase verify begins',
      'verified_done: done, and verified',
      '$ untildone status',
      '$ untildone receipt',
    ]);
    const [, root = ''] = /Kept:\n {2}(.+)\n$/.exec(stdout) ?? [];
    expect(readdirSync(join(root, 'project', 'src')).toSorted()).toEqual([
      'basket.js',
      'bill.js',
      'discount.js',
      'money.js',
    ]);
    expect(readFileSync(join(root, 'project', 'PLAN.md'), 'utf8')).toContain('- [x] bill');
  });

  longTest(
    'with a client that may not write, nobody is asked, and every step that did not happen is named',
    async () => {
      const who = person();
      const client = clientThat(who, `exec ${REAL_CLIENT} --disallowedTools Write`);
      const { code, missed, stdout } = await demo(who, ['--plan', '--claude', client]);
      expect(code).toBe(1);
      expect(stdout).not.toContain('The demo answers in your place');
      expect(missed).toContain('a person is asked about PLAN.md, and approves it');
      expect(missed).toContain('the run ends as verified_done');
      expect(missed).not.toContain('the test of the sample project fails at first');
      expect(readdirSync(who.temporary)).toEqual([]);
    },
  );

  longTest('interrupted in the middle of a session, nothing is left of it', async () => {
    const who = person();
    const simulator = await simulatorWith({ turns: [{ hang: true, repeat: 100 }] });
    const client = clientThat(who, `ANTHROPIC_BASE_URL='${simulator.url}' exec ${REAL_CLIENT}`);
    const child = startDemo(who, ['--plan', '--claude', client]);
    const end = endOf(child);
    await waitFor(() => simulator.requests().length > 0, undefined, 'the client to ask the model');
    child.kill('SIGINT');
    expect((await end).code).toBe(130);
    expect(readdirSync(who.temporary)).toEqual([]);
    expect(await processesOf(who.root)).toEqual([]);
  });

  test.each([
    [['--plan', '--real', '--yes'], /^untildone: demo --plan is played by script; .*\n$/],
    [['--plan', '--run'], /^untildone: one at a time: .*\n$/],
  ])('%j starts nothing', async (args, said) => {
    const { code, stdout, stderr } = await demo(person(), args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(said);
  });
});

/** What a newcomer reads, sorted by where it stands first; what is missing is left out. */
function inOrder(stdout: string): string[] {
  const told = [
    'verified_done: done, and verified',
    'The demo answers in your place',
    '$ untildone approve plan --note',
    'phase build begins',
    'phase verify begins',
    '1 of 4 chunks pass; now: basket',
    '2 of 4 chunks pass; now: discount',
    '3 of 4 chunks pass; now: bill',
    'From 20.00 on means at 20.00, too.',
    '$ untildone status',
    '$ untildone receipt',
  ];
  return told
    .filter((text) => stdout.includes(text))
    .toSorted((a, b) => stdout.indexOf(a) - stdout.indexOf(b));
}
