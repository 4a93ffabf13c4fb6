import type { Receipt, ReceiptVerdict } from '../core/loop/receipt.ts';
import { traitsOf } from '../gates/traits.ts';
import type { Judges } from './ports.ts';

export interface Rerun {
  gate: string;
  command: string;
  before: number | null;
  /** Absent when it did not come to an exit code. */
  now?: number;
  output: string;
}

const LIMIT_MS = 3_600_000;

/** Runs every command of a receipt again, in a fresh copy of the very tree it speaks of. */
export async function rerun(
  receipt: Receipt,
  project: string,
  prepare: string | undefined,
  judges: Judges,
): Promise<Rerun[] | { problem: string }> {
  const { tree, commit } = receipt.work;
  if (tree === null) return { problem: 'this receipt names no tree' };
  const copy = await judges
    .scratch(project)
    .checkout(tree)
    .catch((error: Error) => error);
  if (copy instanceof Error) {
    const way = commit === null ? '' : `; check out commit ${commit} and run: untildone verify --fresh`;
    return { problem: `the tree ${tree} cannot be had here (${copy.message})${way}` };
  }
  try {
    if (prepare !== undefined) {
      const ready = await judges.shell.run({ command: prepare, cwd: copy.dir, timeoutMs: LIMIT_MS });
      if (ready.exitCode !== 0) return { problem: `the preparation "${prepare}" failed:\n${ready.output}` };
    }
    const results: Rerun[] = [];
    for (const { gate, command, exitCode } of commandsIn(receipt.verdicts)) {
      const result = await judges.shell.run({ command, cwd: copy.dir, timeoutMs: LIMIT_MS });
      const now = result.exitCode === undefined ? {} : { now: result.exitCode };
      results.push({ gate, command, before: exitCode, output: result.output, ...now });
    }
    return results;
  } finally {
    await copy.dispose();
  }
}

/** What can be run again by itself: other gates ask a question on stdin, or the world outside the tree. */
export function commandsIn(
  verdicts: readonly ReceiptVerdict[],
): { gate: string; command: string; exitCode: number | null }[] {
  return verdicts.flatMap(({ gate, kind, command, exitCode, children }) => [
    ...(command === null || !traitsOf(kind).commandAnywhere ? [] : [{ gate, command, exitCode }]),
    ...commandsIn(children),
  ]);
}
