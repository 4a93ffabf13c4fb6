/** Runs that never come to an iteration end in the dead letters, with their cause, and go on when the cause is gone. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectVerified } from '../../support/fleet/expect-verified.ts';
import { Fleet } from '../../support/fleet/fleet.ts';
import { few } from '../../support/long.ts';

const FORMS = [
  { name: 'its process is killed each time', cause: 'driver', says: /process|signal|SIGKILL/ },
  { name: 'its worker is killed each time', cause: 'worker', says: /worker/ },
  { name: 'its setup fails', cause: 'setup', says: /setup/ },
] as const;

test.concurrent.each(few(FORMS, 2))('$name', async ({ cause, says }) => {
  const fleet = await Fleet.open({ pieces: 2 });
  try {
    const poison = join(fleet.root, 'poison');
    writeFileSync(poison, '');
    const contract = join(fleet.root, 'with-setup.yaml');
    writeFileSync(
      contract,
      `gates:\n  pieces: { run: sh check.sh }\nrun:\n  setup: ["test ! -e '${poison}'"]\n`,
    );
    const [run = ''] = await fleet.submit(
      ['--attempts', '2', ...(cause === 'setup' ? ['--contract', contract] : [])],
      cause === 'setup' ? {} : { kill: { whom: cause, whileThere: poison } },
    );
    const [other = ''] = await fleet.submit();
    const engine = await fleet.engine();
    let { worker } = fleet.startWorker('w1');
    const dead = await fleet.until(async () => {
      if (worker.hasEnded) ({ worker } = fleet.startWorker('w1'));
      const job = await engine.job(run);
      return job?.state === 'dead' ? job : undefined;
    }, 'a dead letter');
    expect(dead.why).toMatch(says);
    // In the store a seal follows.
    const why = (dead.why ?? '').replace(/ #[0-9a-f]+$/, '');
    expect(await fleet.ok('fleet', 'show', run)).toContain(why);
    // Others are none the worse for it.
    await fleet.untilEnded([other]);
    expectVerified(fleet, other);
    expect(existsSync(poison)).toBe(true);
    rmSync(poison);
    await fleet.ok('fleet', 'retry', run);
    await fleet.untilEnded([run]);
    expectVerified(fleet, run);
  } finally {
    await fleet.close();
  }
});
