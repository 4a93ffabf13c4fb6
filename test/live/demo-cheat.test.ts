import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openDemo } from '../../src/dev/demo/demo-folder.ts';
import { demo, person } from '../support/live/demo.ts';
import { longTest } from '../support/long.ts';
import { workOfChildrenMs } from '../support/work-time.ts';

const EVERY_CHECK = openDemo('eight-cheats', resolve(import.meta.dirname, '../../src')).expect.map(
  ({ says }) => says,
);

longTest(
  'the demo of cheats shows eight of them, each caught by name, in less than a minute of work',
  async () => {
    const who = person({ ANTHROPIC_AUTH_TOKEN: 'not to be used', CLAUDECODE: '1' });
    const began = workOfChildrenMs();
    const { code, stdout, stderr } = await demo(who, ['--cheat']);
    expect(stderr).toBe('');
    expect(code, stdout).toBe(0);
    expect(workOfChildrenMs() - began).toBeLessThan(60_000);
    expect([who.home, who.temporary, who.cwd].map((folder) => readdirSync(folder))).toEqual([[], [], []]);
    expect(EVERY_CHECK.filter((name) => name.startsWith('cheat '))).toHaveLength(8);
    for (const name of EVERY_CHECK) expect(stdout).toContain(`ok   ${name}\n`);
    expect(stdout.match(/STOP HELD/g)).toHaveLength(8);
  },
);

test.each([
  [['--cheat', '--real', '--yes'], /^untildone: demo --cheat is played by script: .*\n$/],
  [['--cheat', '--run'], /^untildone: one at a time: demo --run, or demo --cheat\n$/],
])('%j starts nothing', async (args, said) => {
  const { code, stdout, stderr } = await demo(person(), args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(said);
});
