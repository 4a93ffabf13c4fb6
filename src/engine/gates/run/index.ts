import { knownFailuresOf } from '../../core/contract/known-failures.ts';
import type { HookEvent } from '../../core/loop/event.ts';
import { countsOf } from '../../core/proof/test-results.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { fileNameFor, insideProject } from '../../core/text/paths.ts';
import { withWritten } from '../../core/words/written.ts';
import type { Place } from '../../ports/rooms.ts';
import type { Gate } from '../gate.ts';
import { textEventFor } from '../hook/event.ts';
import { measuredIn } from '../shared/asks.ts';
import { isCompared, type TestsToRun } from '../shared/compared.ts';
import type { RanInRoom } from '../shared/room-run.ts';
import { withoutKnown } from './known-failures.ts';
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
    const { ended, room, walls, changed } =
      !event && isCompared(tests, context)
        ? await (await import('../shared/room-run.ts')).sharedRun(tests, outputFile, context, signal)
        : await runAt(await context.place(signal), { ...tests, folder, event, outputFile }, signal);
    const { result } = ended;
    const proof = {
      ...proofOf(command, result, outputFile),
      walls,
      ...(room === 'clean' ? { room } : {}),
      ...(ended.tests ? { tests: countsOf(ended.tests) } : {}),
    };
    const known = knownFailuresOf(request.contract, name);
    const ran = { ...judgementOf(command, result), proof };
    const found = changed ? withWritten(ran, changed) : ran;
    const judgement = withoutKnown(found, ended.tests, known, measuredIn(context));
    return comparedWithStart(judgement, { command, tests: ended.tests }, context);
  },
};

interface RunAt extends TestsToRun {
  folder: string;
  event: object | undefined;
  outputFile: string;
}

async function runAt(
  { dir, runTests, room, walls }: Place,
  { command, env, folder, event, outputFile }: RunAt,
  signal: AbortSignal,
): Promise<RanInRoom> {
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

/** Whether the event brings a text that is not in the tree: a prompt or a new task. */
function isNew(event: HookEvent | undefined): boolean {
  return event?.name === 'UserPromptSubmit' || event?.name === 'TaskCreated';
}
