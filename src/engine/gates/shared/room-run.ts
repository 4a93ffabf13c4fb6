/** Runs tests in a clean room of their own, with a canary among them. */
import { countOf } from '../../core/proof/test-results.ts';
import { insideProject } from '../../core/text/paths.ts';
import type { Room, Rooms, TestCommand, TestRun } from '../../ports/rooms.ts';
import type { GateContext } from '../gate.ts';
import { UNTIL_ABORTED } from '../run/outcome.ts';
import { canaryOrder } from './canary-order.ts';
import type { Tests } from './test-run.ts';

export interface RanInRoom {
  ended: TestRun;
  walls: string | undefined;
}

/** `outputFile`: where the whole output is kept. Rejects when there can be no room. */
export async function runInRoom(
  tree: string,
  tests: Tests,
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
    return { ended: await runOrder(room, { ...order, canary }), walls: room.walls };
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
