/** Which run is worked on, where and when: priority, what comes after what, labels, money, one work folder for two workers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectVerified } from '../../support/fleet/expect-verified.ts';
import { Fleet, type FleetOptions } from '../../support/fleet/fleet.ts';
import { git } from '../../support/fleet/history.ts';
import { longTest } from '../../support/long.ts';

async function open(options: Partial<FleetOptions> = {}): Promise<Fleet> {
  const fleet = await Fleet.open({ pieces: 1, ...options });
  onTestFinished(() => fleet.close());
  return fleet;
}

/** The runs in the order in which they were begun. */
function begun(fleet: Fleet, runs: readonly string[]): string[] {
  const began = fleet.deeds().filter(({ kind }) => kind === 'began');
  return began.map(({ cwd }) => runs.find((run) => cwd.includes(run)) ?? cwd);
}

test('what is more urgent comes first; what comes after another run begins with its work', async () => {
  const fleet = await open();
  const contract = join(fleet.root, 'second.yaml');
  writeFileSync(contract, 'gates:\n  both: { run: "grep -q 1 made.txt && test -f second.txt" }\n');
  const [idle = ''] = await fleet.submit(['--priority', '50']);
  const [urgent = ''] = await fleet.submit(['--priority', '1']);
  const [second = ''] = await fleet.submit(['--priority', '0', '--after', urgent, '--contract', contract], {
    command: 'cp made.txt second.txt',
  });
  const [middle = ''] = await fleet.submit(['--priority', '20']);
  const runs = [idle, urgent, second, middle];
  fleet.startWorker('w1');
  await fleet.untilEnded(runs);
  for (const run of [idle, urgent, middle]) expectVerified(fleet, run);
  const order = begun(fleet, runs);
  expect(order.filter((run) => run !== second)).toEqual([urgent, middle, idle]);
  expect(order.indexOf(second)).toBeGreaterThan(order.indexOf(urgent));
  const { state, work } = fleet.history(second);
  expect(state.status).toBe('verified_done');
  expect(git(fleet.remotes[0]?.url ?? '', 'show', `${work}:second.txt`)).toBe('1');
});

test('a worker without the label never takes what asks for it', async () => {
  const fleet = await open();
  const [wanting = ''] = await fleet.submit(['--labels', 'gpu']);
  const [plain = ''] = await fleet.submit();
  fleet.startWorker('plain', ['--labels', 'linux']);
  await fleet.untilEnded([plain]);
  const engine = await fleet.engine();
  expect((await engine.job(wanting))?.state).toBe('waiting');
  expect((await engine.job(wanting))?.takes).toBe(0);
  fleet.startWorker('gpu', ['--labels', 'gpu,linux']);
  await fleet.untilEnded([wanting]);
  expectVerified(fleet, wanting);
  expect(fleet.deeds().find(({ cwd }) => cwd.includes(wanting))?.cwd).toContain('machines/gpu/');
});

test('no iteration begins after the money of the day is used up, and the run goes on when there is more', async () => {
  const fleet = await open({ pieces: 6 });
  await fleet.ok('fleet', 'limits', '--usd-per-day', '0.05');
  // All its iterations are of one session, whose bill comes at its end.
  const [run = ''] = await fleet.submit([], { usd: 0.02 });
  fleet.startWorker('w1');
  const engine = await fleet.engine();
  const waiting = await fleet.until(async () => {
    const job = await engine.job(run);
    return job?.state === 'delayed' ? job : undefined;
  }, 'a run that waits');
  expect(waiting.why).toMatch(/USD|money|budget/i);
  // Three pieces of 0.02 are the first that cost 0.05.
  const made = () => fleet.deeds().filter(({ kind }) => kind === 'made').length;
  expect(made()).toBe(3);
  expect(fleet.hasEnded(run)).toBe(false);
  await fleet.ok('fleet', 'limits', '--usd-per-day', '5');
  await fleet.ok('fleet', 'resume', run);
  await fleet.untilEnded([run]);
  expectVerified(fleet, run);
  expect(made()).toBe(6);
});

longTest(
  'two workers on one work folder: not by one name; by two names they share the clone and nothing else',
  async () => {
    const fleet = await open({ pieces: 2 });
    const { machine, worker } = fleet.startWorker('w1');
    const engine = await fleet.engine();
    await fleet.until(async () => (await engine.workers()).length === 1, 'the worker');
    const beside = (name: string) =>
      machine.start(['worker', '--name', name, '--workdir', machine.workdir, '--health-port', 'off']);
    const { code, stderr } = await beside('w1').ended;
    expect(code).toBe(2);
    expect(stderr).toContain(machine.workdir);
    expect(stderr).not.toMatch(/\n\s+at /);
    const second = beside('w2');
    const runs = await fleet.submit(['--count', '4'], { workMs: 200 });
    await fleet.untilEnded(runs);
    for (const run of runs) expectVerified(fleet, run);
    const places = fleet.deeds().map(({ cwd }) => /workers\/(\w+)\//.exec(cwd)?.[1]);
    expect(new Set(places)).toEqual(new Set(['w1', 'w2']));
    for (const each of [worker, second]) each.signal('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    expect((await second.ended).code).toBe(0);
    await fleet.untilGone();
  },
);
