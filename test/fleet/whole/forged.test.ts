/** A whole fleet whose store somebody else can write to: what they write is refused, what you ask works, and works once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine, RunCommand } from '../../../src/engine/ports/fleet.ts';
import { sealedEngine } from '../../../src/fleet/seals/sealed-engine.ts';
import { Fleet } from '../../support/fleet/fleet.ts';
import { type Forge, forgeIn } from '../../support/fleet/forge.ts';

const CONTRACT = `gates:
  pieces: { run: sh check.sh }
  signoff: { approve: "Is it good?" }
done: [pieces, signoff]
`;

let fleet: Fleet;
let forge: Forge;
beforeEach(async () => {
  fleet = await Fleet.open({ pieces: 1, files: { 'untildone.yaml': CONTRACT } });
  forge = forgeIn({ ...fleet.store, url: fleet.queue }, 'untildone');
});
afterEach(async () => {
  await forge.close();
  await fleet.close();
});

/** The commands that an operator asks, as they lie in the store. */
async function rowsOf(ask: (operator: Engine) => Promise<void>): Promise<RunCommand[]> {
  const rows: RunCommand[] = [];
  const command = async (_: string, row: RunCommand) => void rows.push(row);
  const raw = { ...(await fleet.engine()), command };
  await ask(sealedEngine(raw, { secret: fleet.secret, memory: { read: () => ({}), write: () => {} } }));
  return rows;
}

async function asks(run: string, iteration: number): Promise<void> {
  await fleet.until(async () => {
    const news = (await (await fleet.engine()).job(run))?.news;
    return news?.iteration === iteration && /Is it good\?/.test(news.doing);
  }, `the question in iteration ${iteration}`);
}

const shown = async (run: string) => JSON.parse(await fleet.ok('fleet', 'show', run, '--json'));
const approval = (iteration: number): RunCommand => ({
  id: `held-back-${iteration}`,
  command: 'approve' as const,
  about: 'signoff',
  at: Date.now(),
  seen: { iteration, questions: [] },
});

test('a forged yes, answer and cancel are refused and told; yours count for what you saw, and once', async () => {
  const [run = ''] = await fleet.submit();
  const { worker } = fleet.startWorker('w1');
  const engine = await fleet.engine();
  await asks(run, 1);
  const { seen: _, ...unseen } = approval(1);
  const rows = [
    approval(1),
    unseen,
    { ...unseen, command: 'cancel' },
    { ...unseen, command: 'answer', text: 'yes' },
  ];
  for (const [place, row] of rows.entries())
    await forge.command(run, `forged-${place}`, JSON.stringify({ ...row, id: `forged-${place}` }));
  await forge.command(run, 'poison', 'no JSON at all');
  await fleet.until(() => (worker.stdout.match(/refused: /g) ?? []).length >= 5, 'five refusals');
  expect(worker.stdout).toMatch(
    /refused: "cancel signoff" does not have the seal of this fleet .*upgrade operator and worker/,
  );
  expect((await shown(run)).queued.refused).toMatchObject({ count: 5 });
  expect(await fleet.ok('fleet', 'list')).toContain('refused 5 commands; the last: ');
  // The worker tells it with its next beat.
  const inStatus = async () =>
    (await fleet.ok('fleet', 'status')).includes("refused 5 of the queue's entries");
  await fleet.until(inStatus, 'the count in the status');
  expect(fleet.hasEnded(run)).toBe(false);

  // Somebody keeps a genuine yes to iteration 1 back, and puts it there when the run has gone on.
  const [yes = approval(1)] = await rowsOf((operator) => operator.command(run, approval(1)));
  await fleet.ok('fleet', 'reject', run, 'signoff', '--note', 'make one more');
  await asks(run, 2);
  await engine.command(run, yes);
  await fleet.until(() => /comes too late: it was said about iteration 1/.test(worker.stdout), 'the refusal');
  expect(fleet.hasEnded(run)).toBe(false);
  // It works on no other run either, and the one that you mean does.
  await fleet.ok('fleet', 'approve', run);
  await fleet.untilEnded([run]);
  expect(fleet.history(run).state.status).toBe('verified_done');
  const answers = readJournal(run).filter(({ kind }) => kind === 'answered');
  expect(answers).toMatchObject([{ said: 'rejected' }, { said: 'approved' }]);
});

function readJournal(run: string): { kind: string }[] {
  const text = fleet.remoteOf(run).git('show', `refs/untildone/runs/${run}/journal:journal.jsonl`);
  return text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { entry: { kind: string } }).entry);
}

test('limits that somebody else takes away or puts back still limit, and a command of before a retry is over', async () => {
  const go = join(fleet.root, 'go');
  await fleet.ok('fleet', 'limits', '--runs', '1');
  const [first = ''] = await fleet.submit([], { waitFor: { 1: go } });
  const { worker } = fleet.startWorker('w1', ['--concurrency', '2']);
  const engine = await fleet.engine();
  await fleet.until(() => fleet.deeds().some(({ piece }) => piece === 1), 'work');
  await forge.limits({ runs: 9 });
  await forge.kept('orders', 'limits', undefined);
  const [second = ''] = await fleet.submit();
  await fleet.until(async () => /a place: all/.test((await engine.job(second))?.why ?? ''), 'the limit');
  expect((await engine.job(second))?.state).toBe('delayed');
  await fleet.until(
    () => worker.stdout.includes('refused: the queue says the limits {"runs":9}'),
    'the refusal',
  );

  await fleet.ok('fleet', 'cancel', second);
  const [cancel = approval(0)] = await rowsOf((operator) =>
    operator.command(first, { id: 'early', command: 'cancel', at: Date.now() }),
  );
  await fleet.ok('fleet', 'cancel', first);
  await fleet.until(async () => (await engine.job(first))?.state === 'ended', 'the end of a cancelled run');
  await fleet.ok('fleet', 'retry', first);
  await fleet.until(async () => (await engine.job(first))?.state !== 'ended', 'the retry');
  await engine.command(first, cancel);
  await fleet.until(
    () => worker.stdout.includes('was asked before the run was taken up again'),
    'the refusal',
  );
  writeFileSync(go, '');
  expect(fleet.hasEnded(first)).toBe(false);
});
