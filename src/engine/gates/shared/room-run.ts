/** Runs tests in a clean room of their own, with a canary among them. */
import { knownFailuresOf } from '../../core/contract/known-failures.ts';
import { countOf } from '../../core/proof/test-results.ts';
import { insideProject } from '../../core/text/paths.ts';
import type { WrittenFiles } from '../../core/words/written.ts';
import type { Place, Room, Rooms, TestCommand, TestRun } from '../../ports/rooms.ts';
import type { GateContext } from '../gate.ts';
import { UNTIL_ABORTED } from '../run/outcome.ts';
import { canaryOrder } from './canary-order.ts';
import type { TestsToRun } from './compared.ts';
import { keepRun, runFrom, runName, runsKept } from './test-run.ts';

export interface RanInRoom {
  ended: TestRun;
  room: Place['room'];
  walls: string | undefined;
  /** What the command changed; absent where its room tells when it is left. */
  changed?: WrittenFiles | undefined;
}

/** `outputFile`: where the whole output is kept. Rejects when there can be no room. */
export async function runInRoom(
  tree: string,
  tests: TestsToRun,
  outputFile: string,
  context: GateContext & { rooms: Rooms },
  signal: AbortSignal,
): Promise<RanInRoom> {
  const { command, cwd, env } = tests;
  const canary = await canaryOrder(tree, tests, context, signal);
  const room = await context.rooms.open({ tree, signal });
  try {
    const folder = insideProject(cwd ?? '.') ?? '.';
    const order: TestCommand = {
      command,
      cwd: folder === '.' ? room.dir : `${room.dir}/${folder}`,
      env: env && { ...env },
      outputFile,
      oneStream: true,
      timeoutMs: UNTIL_ABORTED,
      signal,
    };
    const ended = await runOrder(room, { ...order, canary });
    const changed = ended.result.exitCode === 0 ? await room.changed() : undefined;
    return { ended, room: 'clean', walls: room.walls, changed };
  } finally {
    await room.dispose();
  }
}

/** A canary that was not understood may be all that failed. Then the command is judged without it. */
async function runOrder(room: Room, { canary, ...order }: TestCommand): Promise<TestRun> {
  const ended = await room.runTests({ ...order, canary });
  const { tests, result } = ended;
  const isDead = ended.canary !== undefined && ended.canary.fate !== 'alive';
  if (!isDead || result.exitCode === 0 || !tests || tests.tests.size === 0 || countOf(tests, 'failed') > 0)
    return ended;
  return { ...(await room.runTests(order)), canary: ended.canary };
}

/** Runs tests that another gate compares, and keeps what they showed: that gate does not run them again. */
export async function sharedRun(
  tests: TestsToRun,
  outputFile: string,
  context: GateContext,
  signal: AbortSignal,
): Promise<RanInRoom> {
  const { tree, rooms } = context;
  if (tree === undefined || !rooms) throw new Error('a run that is shared needs a tree and clean rooms');
  const ran = await runInRoom(tree, tests, outputFile, { ...context, rooms }, signal);
  const run = runFrom(ran.ended, ran.walls, knownFailuresOf(context.request.contract, context.name));
  if (!('problem' in run)) keepRun(runName(tree, tests, context), run, runsKept(context));
  return ran;
}
