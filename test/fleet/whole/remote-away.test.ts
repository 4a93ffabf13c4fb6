/** The remote of a repository refuses pushes for a while, or is gone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { expectVerified } from '../../support/fleet/expect-verified.ts';
import { Fleet } from '../../support/fleet/fleet.ts';
import { few } from '../../support/long.ts';

const FORMS = [
  { name: 'refuses pushes', away: 'refusePushes' },
  { name: 'is gone', away: 'away' },
] as const;

test.each(few(FORMS, 1))(
  'a remote that $name for a while: the run waits with its iteration, and ends verified',
  async ({ away }) => {
    const fleet = await Fleet.open({ pieces: 3 });
    onTestFinished(() => fleet.close());
    const go = join(fleet.root, 'go');
    const [run = ''] = await fleet.submit([], { waitFor: { 2: go } });
    fleet.startWorker('w1');
    await fleet.until(() => fleet.deeds().some(({ piece }) => piece === 2), 'the second piece');
    const before = fleet.history(run).commits.length;
    fleet.remotes[0]?.[away](true);
    writeFileSync(go, '');
    const second = () => fleet.deeds().some(({ piece, kind }) => piece === 2 && kind === 'made');
    await fleet.until(second, 'the second piece');
    await wait(2_500);
    // The third piece is begun only when the second one is published.
    expect(fleet.deeds().some(({ piece }) => piece === 3)).toBe(false);
    fleet.remotes[0]?.[away](false);
    await fleet.untilEnded([run]);
    const { commits } = expectVerified(fleet, run);
    expect(commits.length).toBeGreaterThan(before);
    expect(fleet.deeds().filter(({ kind: deed }) => deed === 'made').length).toBe(3);
  },
);
