import type { HookEvent } from '../../core/loop/event.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { fileNameFor, insideProject } from '../../core/text/paths.ts';
import type { Gate } from '../gate.ts';
import { textEventFor } from '../hook/event.ts';
import { judgementOf, proofOf, UNTIL_ABORTED } from './outcome.ts';
import { runTraits } from './traits.ts';

/** A command that passes with exit code 0. One that could not be run, or was ended from outside, is unproven. */
export const runGate: Gate<'run'> = {
  ...runTraits,
  commands({ command, cwd }) {
    const folder = cwd === undefined ? '.' : (insideProject(cwd) ?? cwd);
    return [folder === '.' ? command : `cd ${quoteForShell(folder)} && ${command}`];
  },
  async judge({ command, cwd, env }, context, signal) {
    const { name, outputDir } = context;
    const event = isNew(context.event) ? textEventFor(context) : undefined;
    const folder = insideProject(cwd ?? '.');
    if (folder === undefined)
      return { outcome: 'unproven', summary: `the folder "${cwd}" is not inside the project` };
    const outputFile = `${outputDir}/${fileNameFor(name)}.txt`;
    const { dir, shell, room, walls } = await context.place(signal);
    const result = await shell.run({
      command,
      cwd: folder === '.' ? dir : `${dir}/${folder}`,
      env,
      input: event ? `${JSON.stringify(event)}\n` : undefined,
      outputFile,
      oneStream: true,
      timeoutMs: UNTIL_ABORTED,
      signal,
    });
    const where = { walls, ...(room === 'clean' ? { room } : {}) };
    return { ...judgementOf(command, result), proof: { ...proofOf(command, result, outputFile), ...where } };
  },
};

/** Whether the event brings a text that is not in the tree: a prompt or a new task. */
function isNew(event: HookEvent | undefined): boolean {
  return event?.name === 'UserPromptSubmit' || event?.name === 'TaskCreated';
}
