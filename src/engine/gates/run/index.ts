import type { HookEvent } from '../../core/loop/event.ts';
import { countsOf } from '../../core/proof/test-results.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { fileNameFor, insideProject } from '../../core/text/paths.ts';
import type { Place, TestRun } from '../../ports/rooms.ts';
import type { Gate, GateContext } from '../gate.ts';
import { textEventFor } from '../hook/event.ts';
import { runInRoom } from '../shared/room-run.ts';
import { isCompared, keepRun, runFrom, runName, runsKept, type Tests } from '../shared/test-run.ts';
import { judgementOf, proofOf, UNTIL_ABORTED } from './outcome.ts';
import { comparedWithStart } from './shown-tests.ts';
import { runTraits } from './traits.ts';

/** A command that passes with exit code 0. One that could not be run, or was ended from outside, is unproven. */
export const runGate: Gate<'run'> = {
  ...runTraits,
  commands({ command, cwd, quick }) {
    const folder = cwd === undefined ? '.' : (insideProject(cwd) ?? cwd);
    const all = quick === undefined ? [command] : [command, quick];
    return all.map((line) => (folder === '.' ? line : `cd ${quoteForShell(folder)} && ${line}`));
  },
  async judge({ command, cwd, env }, context, signal) {
    const { name, request } = context;
    const event = isNew(request.event) ? textEventFor(request) : undefined;
    const folder = insideProject(cwd ?? '.');
    if (folder === undefined)
      return { outcome: 'unproven', summary: `the folder "${cwd}" is not inside the project` };
    const outputFile = `${request.outputDir}/${fileNameFor(name)}.txt`;
    const tests = { command, cwd, env };
    const { ended, room, walls } =
      !event && isCompared(tests, context)
        ? await sharedRun(tests, outputFile, context, signal)
        : await runAt(await context.place(signal), { ...tests, folder, event, outputFile }, signal);
    const { result } = ended;
    const proof = {
      ...proofOf(command, result, outputFile),
      walls,
      ...(room === 'clean' ? { room } : {}),
      ...(ended.tests ? { tests: countsOf(ended.tests) } : {}),
    };
    const judgement = { ...judgementOf(command, result), proof };
    return comparedWithStart(judgement, { command, tests: ended.tests }, context);
  },
};

interface Ran {
  ended: TestRun;
  room: Place['room'];
  walls: string | undefined;
}

interface RunAt extends Tests {
  folder: string;
  event: object | undefined;
  outputFile: string;
}

async function runAt(
  { dir, runTests, room, walls }: Place,
  { command, env, folder, event, outputFile }: RunAt,
  signal: AbortSignal,
): Promise<Ran> {
  const ended = await runTests({
    command,
    cwd: folder === '.' ? dir : `${dir}/${folder}`,
    env: env && { ...env },
    input: event ? `${JSON.stringify(event)}\n` : undefined,
    outputFile,
    oneStream: true,
    timeoutMs: UNTIL_ABORTED,
    signal,
  });
  return { ended, room, walls };
}

/** Runs tests that another gate compares, and keeps what they showed: that gate does not run them again. */
async function sharedRun(
  tests: Tests,
  outputFile: string,
  context: GateContext,
  signal: AbortSignal,
): Promise<Ran> {
  const { tree, rooms } = context;
  if (tree === undefined || !rooms) throw new Error('a run that is shared needs a tree and clean rooms');
  const { ended, walls } = await runInRoom(tree, tests, outputFile, { ...context, rooms }, signal);
  const run = runFrom(ended, walls);
  if (!('problem' in run)) keepRun(runName(tree, tests, context), run, runsKept(context));
  return { ended, room: 'clean', walls };
}

/** Whether the event brings a text that is not in the tree: a prompt or a new task. */
function isNew(event: HookEvent | undefined): boolean {
  return event?.name === 'UserPromptSubmit' || event?.name === 'TaskCreated';
}
