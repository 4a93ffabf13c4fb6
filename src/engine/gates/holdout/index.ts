import type { HoldoutOptions } from '../../core/contract/gate-options.ts';
import { fingerprint } from '../../core/loop/verdict.ts';
import type { TestResults } from '../../core/proof/test-results.ts';
import { Unmeasurable } from '../../core/text/errors.ts';
import { fileNameFor, insideProject } from '../../core/text/paths.ts';
import type { Holdout, Room, TestRun } from '../../ports/rooms.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { runGate } from '../run/index.ts';
import { judgementOf, UNTIL_ABORTED, usefulLines } from '../run/outcome.ts';
import { frozenBy, holdoutFor, keptBy } from '../shared/asks.ts';
import { holdoutTraits } from './traits.ts';

/**
 * Tests that the agent never sees pass on its work. They lie in the untildone home and are laid over the tree in a clean
 * room. The agent is told what you chose, and nothing else of them is written down.
 */
export const holdoutGate: Gate<'holdout'> = {
  ...holdoutTraits,
  commands: ({ command, cwd }) => runGate.commands?.({ command, cwd }, undefined) ?? [],
  freeze: (_options, { holdout }): FrozenHoldout => ({ digest: digestOf(holdout) }),
  async judge(options, context, signal) {
    const folder = insideProject(options.cwd ?? '.');
    if (folder === undefined)
      return { outcome: 'unproven', summary: `the folder "${options.cwd}" is not inside the project` };
    const files = heldFiles(context);
    const room = await openWith(files, context, signal);
    try {
      const run = await room.runTests({
        command: options.command,
        cwd: folder === '.' ? room.dir : `${room.dir}/${folder}`,
        // Where the agent may not see what the tests print, nothing of it is kept.
        ...(options.reveal === 'output'
          ? { outputFile: `${context.request.outputDir}/${fileNameFor(context.name)}.txt` }
          : {}),
        oneStream: true,
        timeoutMs: UNTIL_ABORTED,
        signal,
      });
      return { ...judgementIn(options, run, context), proof: proofOf(options, run, room) };
    } finally {
      await room.dispose();
    }
  },
};

interface FrozenHoldout {
  /** Names the held-out files of the start; null when there were none. */
  digest: string | null;
}

function digestOf(holdout: Holdout | undefined): string | null {
  try {
    return holdout?.digest() ?? null;
  } catch {
    return null;
  }
}

const ADD = 'Only the user can add them, in a terminal: untildone holdout add PATH';
const UPDATE =
  'If the user changed them, the user takes them over in a terminal: untildone contract update. Otherwise they were tampered with: untildone holdout list';

function heldFiles(context: GateContext): Readonly<Record<string, Uint8Array>> {
  const holdout = holdoutFor(context);
  const now = holdout?.digest();
  if (!holdout || now === undefined)
    throw new Unmeasurable('no held-out tests are kept for this project', [ADD]);
  const then = frozenBy(context) as FrozenHoldout | undefined;
  if (then && then.digest !== now)
    throw new Unmeasurable('the held-out tests are not those of the start', [UPDATE]);
  return holdout.files();
}

async function openWith(
  over: Readonly<Record<string, Uint8Array>>,
  { rooms, tree, request }: GateContext,
  signal: AbortSignal,
): Promise<Room> {
  if (!rooms || tree === undefined)
    throw new Unmeasurable('held-out tests run in a clean room, which needs a git repository', ['git init']);
  try {
    return await rooms.open({ tree, base: request.base.tree, over, signal });
  } catch (error) {
    // The names of the files are held out, too.
    if (!Object.keys(over).some((path) => (error as Error).message.includes(path))) throw error;
    throw new Unmeasurable('the held-out tests could not be laid over the work: links are in their way', [
      'Remove symbolic links that lead out of the project.',
    ]);
  }
}

function judgementIn(options: HoldoutOptions, run: TestRun, context: GateContext): Judgement {
  const { command, reveal = 'count' } = options;
  const { result, tests } = run;
  const said = judgementOf(command, result);
  const evidence = reveal === 'output' ? usefulLines(result.output) : undefined;
  if (said.outcome === 'unproven') return { outcome: 'unproven', summary: said.summary, evidence };
  const { passed, failed } = totals(tests);
  const fewer = fewerThanBefore(tests, options, context);
  if (said.outcome === 'pass' && failed === 0) {
    if (tests && !tests.whole)
      return { outcome: 'unproven', summary: 'the report of the held-out tests is cut off' };
    if (tests && passed === 0) return { outcome: 'unproven', summary: 'no held-out test ran' };
    if (fewer !== undefined) return { outcome: 'unproven', summary: fewer };
    return { outcome: 'pass', summary: tests ? `${passed} held-out tests pass` : 'the held-out tests pass' };
  }
  const names = failingNames(tests);
  const summary =
    failed > 0
      ? `${failed} of ${passed + failed} held-out tests fail`
      : `the held-out tests fail with exit code ${result.exitCode}`;
  return {
    outcome: 'fail',
    summary,
    evidence:
      reveal === 'count' ? undefined : [...names.map((name) => `fails: ${name}`), ...(evidence ?? [])],
    next: 'Next: read the task again, and do all that it asks for. These tests check it, and they are not shown to you.',
    fingerprint: fingerprint([summary, ...names].join('\n')),
  };
}

/** A program that ends the test run early passes with fewer tests than you saw, or than ran before in this loop. */
function fewerThanBefore(
  tests: TestResults | undefined,
  { command }: HoldoutOptions,
  context: GateContext,
): string | undefined {
  const [kept, holdout] = [keptBy(context), holdoutFor(context)];
  const key = `holdout ${context.judges.digest(JSON.stringify([command, holdout?.digest()]))}`;
  const known = kept?.read(key);
  const before = Math.max(typeof known === 'number' ? known : 0, holdout?.expected(command) ?? 0);
  const { passed, failed, skipped } = totals(tests);
  const count = passed + failed + skipped;
  if (count < before) return `${count} held-out tests ran, and ${before} ran before`;
  if (count > before) kept?.write(key, count);
  return undefined;
}

function totals(tests: TestResults | undefined): { passed: number; failed: number; skipped: number } {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const tally of tests?.tests.values() ?? []) {
    sum.passed += tally.passed;
    sum.failed += tally.failed;
    sum.skipped += tally.skipped;
  }
  return sum;
}

function failingNames(tests: TestResults | undefined): string[] {
  return [...(tests?.tests ?? [])].flatMap(([name, { failed }]) => (failed > 0 ? [name] : []));
}

function proofOf(
  { command, reveal }: HoldoutOptions,
  { result, tests }: TestRun,
  { walls }: Room,
): NonNullable<Judgement['proof']> {
  const { exitCode, durationMs, outputSha256 } = result;
  return {
    command,
    exitCode,
    durationMs,
    ...(reveal === 'output' ? { outputSha256 } : {}),
    room: 'clean',
    walls,
    tests: tests && totals(tests),
  };
}
