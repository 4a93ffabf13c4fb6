/** A machine stands still for longer than its lease, and goes on after another worker has taken its runs over. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectVerified } from '../../support/fleet/expect-verified.ts';
import { Fleet } from '../../support/fleet/fleet.ts';
import { git } from '../../support/fleet/history.ts';
import { isThere } from '../../support/fleet/machine.ts';

const LEASE_MS = 20_000;
const GONE_MS = 15_000;

test('a worker that was stopped past its lease publishes nothing more, and its processes go', async () => {
  const fleet = await Fleet.open({ pieces: 3 });
  onTestFinished(() => fleet.close());
  const go = { early: join(fleet.root, 'go-early'), late: join(fleet.root, 'go-late') };
  const [early = ''] = await fleet.submit([], { waitFor: { 2: go.early } });
  const [late = ''] = await fleet.submit([], { waitFor: { 2: go.late } });
  const sleeper = fleet.startWorker('sleeper', ['--concurrency', '2']);
  const working = (machine: string) =>
    fleet
      .deeds()
      .filter(({ kind, piece, cwd }) => kind === 'working' && piece === 2 && cwd.includes(machine));
  await fleet.until(() => working('machines/sleeper/').length === 2, 'two runs at work');
  const drivers = new Set(working('machines/sleeper/').flatMap(({ driver, pid }) => [driver, pid]));
  const asleep = (await sleeper.machine.processIds()).filter(({ pid }) => drivers.has(pid));
  await sleeper.machine.signal('SIGSTOP');

  const other = fleet.startWorker('other', ['--concurrency', '2']);
  await fleet.until(() => working('machines/other/').length === 2, 'the other worker', LEASE_MS * 3);
  // One run ends before the sleeper wakes up, the other one while both of them have a session at it.
  writeFileSync(go.early, '');
  await fleet.untilEnded([early]);
  const tips = () => git(fleet.remotes[0]?.url ?? '', 'for-each-ref', '--format=%(refname) %(objectname)');
  const ended = tips()
    .split('\n')
    .filter((row) => row.includes(early));
  await sleeper.machine.signal('SIGCONT');
  writeFileSync(go.late, '');
  await fleet.untilEnded([late]);
  await fleet.until(() => !asleep.some(isThere), 'the processes of the fenced runs to end', GONE_MS);

  expect(
    tips()
      .split('\n')
      .filter((row) => row.includes(early)),
  ).toEqual(ended);
  for (const run of [early, late]) {
    const { entries } = expectVerified(fleet, run);
    const movedTo = entries.flatMap((entry) => (entry.kind === 'moved' ? [entry.worker] : []));
    expect(movedTo.at(-1)).toBe('other');
    expect(movedTo.filter((worker) => worker === 'sleeper').length).toBeLessThanOrEqual(1);
  }
  // It is as good as new: it takes what comes next.
  other.worker.signal('SIGTERM');
  expect((await other.worker.ended).code).toBe(0);
  const [next = ''] = await fleet.submit();
  await fleet.untilEnded([next]);
  expectVerified(fleet, next);
  sleeper.worker.signal('SIGTERM');
  expect((await sleeper.worker.ended).code).toBe(0);
  await fleet.untilGone();
});
