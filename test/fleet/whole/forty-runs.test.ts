/** Forty runs over four workers: all of them verified, and no limit ever exceeded. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectNoSecrets } from '../../support/fleet/expect-no-secrets.ts';
import { expectVerified } from '../../support/fleet/expect-verified.ts';
import { Fleet } from '../../support/fleet/fleet.ts';
import { mostAtOnce, type Span, spansOf } from '../../support/fleet/ledger.ts';
import { isLong } from '../../support/long.ts';

const LIMITS = { all: 6, repo: 4, label: 2 };
const WORKERS = [
  { name: 'w1', labels: [] },
  { name: 'w2', labels: [] },
  { name: 'w3', labels: ['gpu'] },
  { name: 'w4', labels: ['gpu', 'linux'] },
];

/** Only a guard: forty runs cost a minute of work. */
const LIMIT_MS = 280_000;

const COUNT = 40;

describe(`${COUNT} runs over 4 workers`, () => {
  test(
    'all are verified, and the limits hold at every moment',
    async () => {
      const fleet = await Fleet.open({ repos: 2, pieces: isLong ? 2 : 1 });
      onTestFinished(() => fleet.close());
      const { all, repo, label } = LIMITS;
      await fleet.ok(
        ...['fleet', 'limits', '--runs', `${all}`, '--per-repo', `${repo}`, '--label', `gpu=${label}`],
      );
      const each = COUNT / 4;
      const [first, second] = fleet.remotes;
      const score = { workMs: 100 };
      const submitted = await Promise.all([
        fleet.submit(['--count', `${each * 2}`], score, first),
        fleet.submit(['--count', `${each}`], score, second),
        fleet.submit(['--count', `${each}`, '--labels', 'gpu'], score, second),
      ]);
      const runs = submitted.flat();
      expect(new Set(runs).size).toBe(COUNT);
      const workers = WORKERS.map(({ name, labels }) =>
        fleet.startWorker(name, ['--concurrency', '2', ...labelArgs(labels)]),
      );
      await fleet.untilEnded(runs, LIMIT_MS);
      const histories = runs.map((run) => ({ run, ...expectVerified(fleet, run) }));

      const runOf = ({ cwd }: { cwd: string }) => runs.find((run) => cwd.includes(run)) ?? '';
      const inSession = spansOf(fleet.deeds(), runOf);
      const inJournal = histories.map(({ run, lines }) => spanOf(run, lines));
      const needing = new Set(submitted[2]);
      for (const spans of [inSession, inJournal]) {
        expect(spans.length).toBe(COUNT);
        const most = (of: (span: Span) => boolean) => mostAtOnce(spans.filter(of));
        expect(most(() => true)).toBeLessThanOrEqual(all);
        for (const remote of [0, 1]) {
          const own = new Set(remote === 0 ? submitted[0] : [...(submitted[1] ?? []), ...needing]);
          expect(most(({ run }) => own.has(run))).toBeLessThanOrEqual(repo);
        }
        expect(most(({ run }) => needing.has(run))).toBeLessThanOrEqual(label);
        // Else the limits would have limited nothing.
        expect(most(() => true)).toBeGreaterThan(1);
      }
      for (const { cwd } of fleet.deeds().filter((deed) => needing.has(runOf(deed))))
        expect(cwd).toMatch(/machines\/w[34]\//);

      for (const { worker } of workers) worker.signal('SIGTERM');
      const ends = await Promise.all(workers.map(({ worker }) => worker.ended));
      expect(ends.map(({ code }) => code)).toEqual(WORKERS.map(() => 0));
      await fleet.untilGone();
      expectNoSecrets(fleet);
    },
    LIMIT_MS * 2,
  );
});

function labelArgs(labels: readonly string[]): string[] {
  return labels.length === 0 ? [] : ['--labels', labels.join(',')];
}

function spanOf(run: string, lines: readonly { at: string }[]): Span {
  const times = lines.map(({ at }) => Date.parse(at));
  return { run, from: Math.min(...times), to: Math.max(...times) };
}
