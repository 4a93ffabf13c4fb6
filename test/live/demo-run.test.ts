import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDemo } from '../../src/dev/demo/demo-folder.ts';
import {
  CLAUDE,
  clientThat,
  demo,
  endOf,
  person,
  REAL_CLIENT,
  simulatorWith,
  startDemo,
} from '../support/live/demo.ts';
import { processesOf, waitFor } from '../support/live/processes.ts';
import { BIN } from '../support/live/untildone.ts';
import { longDescribe, longTest } from '../support/long.ts';
import { workOfChildrenMs } from '../support/work-time.ts';

const EVERY_CHECK = openDemo('many-sessions', resolve(import.meta.dirname, '../../src')).expect.map(
  ({ says }) => says,
);

longDescribe('the demo of a run', () => {
  test('goes over three sessions to a verified end, and leaves nothing behind', async () => {
    const who = person({ ANTHROPIC_AUTH_TOKEN: 'not to be used', CLAUDECODE: '1' });
    const began = workOfChildrenMs();
    const { code, stdout, stderr } = await demo(who, ['--run']);
    expect(stderr).toBe('');
    expect(code, stdout).toBe(0);
    expect(workOfChildrenMs() - began).toBeLessThan(40_000);
    expect([who.home, who.temporary, who.cwd].map((folder) => readdirSync(folder))).toEqual([[], [], []]);
    expect(await processesOf(who.root)).toEqual([]);
    expect(stdout).not.toContain('\x1b');
    for (const name of EVERY_CHECK) expect(stdout).toContain(`ok   ${name}\n`);
    expect(stdout).toMatch(/\$ untildone run '.+' --allow 'Bash\(node --test:\*\)'/);
    expect(stdout).toMatch(/stop held, iteration 2 of 20 begins: 2 of 5 gates pass/);
    expect(stdout).toMatch(/iteration 5 of 20, 3 sessions, \d+ s, 0\.\d\d of 5\.00 USD/);
    expect(stdout).toMatch(/What session 2 left for session 3\n {2}Done: slug, shorten and words/);
    expect(stdout).toMatch(/\$ untildone receipt\n {2}Receipt of loop \S+: verified_done\n/);
  });

  test('with --keep the work, the journal and the receipt stay', async () => {
    const { code, stdout } = await demo(person(), ['--run', '--keep']);
    expect(code).toBe(0);
    const [, root = ''] = /Kept:\n {2}(.+)\n$/.exec(stdout) ?? [];
    expect(readdirSync(join(root, 'project', 'src')).toSorted()).toEqual([
      'shorten.js',
      'slug.js',
      'title.js',
      'words.js',
    ]);
    expect(readdirSync(join(root, 'project'))).not.toContain('.claude');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
    const receipt = files.find((path) => path.endsWith('receipt.json')) ?? '';
    expect(JSON.parse(readFileSync(join(root, receipt), 'utf8')).receipt.status).toBe('verified_done');
  });
});

longTest('a client without the right to write makes nothing: that is named, with exit code 1', async () => {
  const who = person();
  const client = clientThat(who, `exec ${REAL_CLIENT} --disallowedTools Write`);
  const { code, missed } = await demo(who, ['--run', '--claude', client]);
  expect(code).toBe(1);
  for (const name of [
    'the test passes when the demo itself runs it',
    'the run ends as verified_done',
    'there is a receipt, and it is as it was signed',
    '"untildone run" says so with exit code 0',
  ]) {
    expect(missed).toContain(name);
  }
  expect(missed).not.toContain('a claim to be finished is held while tests fail');
  expect(readdirSync(who.temporary)).toEqual([]);
});

longDescribe('interrupted', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s in the middle of a session nothing is left of it', async (signal, expected) => {
    const who = person();
    const simulator = await simulatorWith({ turns: [{ hang: true, repeat: 100 }] });
    const client = clientThat(who, `ANTHROPIC_BASE_URL='${simulator.url}' exec ${REAL_CLIENT}`);
    const child = startDemo(who, ['--run', '--claude', client]);
    const end = endOf(child);
    await waitFor(() => simulator.requests().length > 0, undefined, 'the client to ask the model');
    child.kill(signal);
    expect((await end).code).toBe(expected);
    expect(readdirSync(who.temporary)).toEqual([]);
    expect(await processesOf(who.root)).toEqual([]);
  });

  test('by a reader that goes away: nothing is left', async () => {
    const who = person();
    const child = startDemo(who, ['--run']);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    await once(child, 'exit');
    expect(child.exitCode).toBe(141);
    expect(readdirSync(who.temporary)).toEqual([]);
    expect(await processesOf(who.root)).toEqual([]);
  });
});

describe('nothing is started', () => {
  test('with --real: a script costs nothing', async () => {
    const { code, stdout, stderr } = await demo(person(), ['--run', '--real', '--yes']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^untildone: demo --run is played by script; .*\n$/);
  });

  test('without the Agent SDK: one line says how to get it', async () => {
    const who = person();
    const alone = join(who.root, 'installed alone');
    cpSync(dirname(BIN), alone, { recursive: true });
    const { code, stdout, stderr } = await demo(
      who,
      ['--run', '--claude', CLAUDE],
      join(alone, 'untildone.cjs'),
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /^untildone: the package @anthropic-ai\/claude-agent-sdk is not installed; run: .*\n$/,
    );
  });
});
