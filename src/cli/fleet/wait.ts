/** Follows runs until they have ended. Ctrl-C ends the following, not the runs. */
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { out, warn } from '../../engine/terminal/print.ts';
import { paint, paintStatus } from '../../engine/terminal/style.ts';
import type { Fleet } from '../../fleet/operate/fleet.ts';
import type { Submitted } from '../../fleet/operate/submit.ts';
import { exitCodeOf } from '../run-options.ts';
import type { loadFleet } from './load.ts';

type Bundle = Awaited<ReturnType<typeof loadFleet>>;

/** Runs `work` until Ctrl-C or SIGTERM asks it to stop. */
export async function untilInterrupted<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<{ result: Result; interrupted: boolean }> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const result = await work(stop.signal);
    return { result, interrupted: stop.signal.aborted };
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

export async function waitForEnd(
  submitted: readonly Submitted[],
  { json }: { json: boolean },
  fleet: Fleet,
  { waitForRuns }: Bundle,
): Promise<{ run: string; status: string }[]> {
  const runs = submitted.filter(({ state, result }) => !(state === 'ended' && result)).map(({ run }) => run);
  const several = submitted.length > 1;
  const tell = ({ run, text }: { run: string; text: string }) => {
    if (!json) out(several ? `${paint('quiet', run)}  ${text}` : text);
  };
  const note = (text: string) => warn(text);
  const { result: jobs, interrupted } = await untilInterrupted((signal) =>
    waitForRuns(runs, tell, { signal, note }, fleet),
  );
  const ended = [
    ...submitted.flatMap(({ run, state, result }) =>
      state === 'ended' && result ? [{ run, status: result.status }] : [],
    ),
    ...jobs.map(({ run, state, result }) => ({ run, status: result?.status ?? state })),
  ];
  const going = jobs.filter(({ state }) => state !== 'ended' && state !== 'dead');
  if (interrupted && going.length > 0) {
    warn(
      `Following has ended; ${going.length === 1 ? `run ${going[0]?.run} goes` : 'the runs go'} on: untildone fleet status`,
    );
    process.exitCode = EXIT.interrupted;
    return ended;
  }
  if (!json && !several) for (const { run, status } of ended) out(`Run ${run} ended: ${paintStatus(status)}`);
  process.exitCode = worstOf(ended.map(({ status }) => codeOf(status)));
  return ended;
}

function codeOf(status: string): number {
  return status === 'dead' ? EXIT.no : exitCodeOf(status as Parameters<typeof exitCodeOf>[0]);
}

/** A run that failed says more than one that was let go. */
function worstOf(codes: readonly number[]): number {
  if (codes.includes(EXIT.no)) return EXIT.no;
  return codes.includes(EXIT.letGo) ? EXIT.letGo : EXIT.ok;
}
