/** What you ask of runs that real workers have: more limits after the end, the journal, the work. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Fleet } from '../../support/fleet/fleet.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.open({ pieces: 2 });
});
afterAll(() => fleet.close());

test('a run that reached its limit goes on with more, on another machine, and its work can be fetched as shown', async () => {
  const [run = ''] = await fleet.submit(['--max-iterations', '1']);
  const first = fleet.startWorker('w1');
  await fleet.untilEnded([run]);
  expect(fleet.history(run).state).toMatchObject({ status: 'reached_limit', iteration: 1 });
  first.worker.signal('SIGTERM');
  await first.worker.ended;

  const refused = await fleet.command('fleet', 'retry', run);
  expect(refused.stderr).toContain(
    'has used up its limit of iterations: give it more, like --max-iterations +20',
  );
  expect(await fleet.ok('fleet', 'retry', run, '--max-iterations', '+5')).toContain('with iterations 1 -> 6');
  const second = fleet.startWorker('w2');
  const followed = await fleet.command('fleet', 'logs', run, '--follow');
  await fleet.untilEnded([run]);
  expect(fleet.history(run).state).toMatchObject({ status: 'verified_done', maxIterations: 6 });
  expect(followed.stdout).toMatch(/reached_limit[\s\S]*iterations 1 -> 6[\s\S]*verified_done/);

  const shown = JSON.parse(await fleet.ok('fleet', 'show', run, '--json'));
  expect(shown.published.workers).toEqual(['w2']);
  const clone = join(fleet.root, 'clone');
  execFileSync('git', ['clone', '-q', fleet.remotes[0]?.url ?? '', clone], { stdio: 'pipe' });
  const identity = ['-c', 'user.name=You', '-c', 'user.email=you@localhost'];
  for (const line of shown.fetch as string[]) {
    const [, ...words] = line.split(' ');
    execFileSync('git', [...identity, ...words], { cwd: clone, stdio: 'pipe' });
  }
  const made = execFileSync('git', ['show', 'HEAD:made.txt'], { cwd: clone, encoding: 'utf8' });
  expect(made.trim().split('\n')).toHaveLength(2);
  second.worker.signal('SIGTERM');
  await second.worker.ended;
});
