import { quoteForShell } from '../../core/shell/shell-quote.ts';
import { fileNameFor, insideProject } from '../../core/text/paths.ts';
import type { ShellResult } from '../../ports/ports.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { textEventFor } from '../hook/event.ts';
import { judgementOf, proofOf, UNTIL_ABORTED } from '../run/outcome.ts';
import { usefulLines } from '../run/useful-lines.ts';
import { readAnswer } from './answer.ts';
import { MODULE_RUNNER } from './module-runner.ts';
import { customTraits } from './traits.ts';

/** A longer file, or one that is no text, is held fast only by the hash that a person approved. */
const LONGEST_FROZEN = 256 * 1024;
const MODULE = /\.[mc]?[jt]s$/;

/** A gate of the user's own: any executable, or a module. Both get a question in JSON and give one JSON object back. */
export const customGate: Gate<'custom'> = {
  ...customTraits,
  commands({ file }) {
    return [shownCommand(file)];
  },
  async freeze({ file }, { workspace }) {
    try {
      const text = (await workspace.read(file)) ?? null;
      return text === null || text.length <= LONGEST_FROZEN ? { text } : undefined;
    } catch {
      return undefined;
    }
  },
  async judge({ file, with: settings }, context, signal) {
    if (insideProject(file) === undefined) {
      return { outcome: 'unproven', summary: `the file "${file}" is not inside the project` };
    }
    if (await wasChanged(file, context)) return changed(file);
    const outputFile = `${context.outputDir}/${fileNameFor(context.name)}.txt`;
    const result = await context.shell.run({
      command: commandFor(file),
      cwd: context.project,
      input: JSON.stringify(questionFor(context, settings)),
      outputFile,
      timeoutMs: UNTIL_ABORTED,
      signal,
    });
    return { ...judgementFrom(file, result), proof: proofOf(shownCommand(file), result, outputFile) };
  },
};

/** A path, never an option nor a name to look up. */
function wordFor(file: string): string {
  return quoteForShell(`./${insideProject(file) ?? file}`);
}

function shownCommand(file: string): string {
  return MODULE.test(file) ? `node ${wordFor(file)}` : wordFor(file);
}

/** The project's own node; where the hook was started without one on its PATH, the one that runs untildone. */
const NODE = '"$(command -v node || echo "$UNTILDONE_NODE")"';

function commandFor(file: string): string {
  if (!MODULE.test(file)) return `exec ${wordFor(file)}`;
  return `exec ${NODE} --input-type=module -e ${quoteForShell(MODULE_RUNNER)} -- ${wordFor(file)}`;
}

function questionFor(context: GateContext, settings: Record<string, unknown> | undefined) {
  const { name, project, task, session, lastMessage, tree, baseTree } = context;
  const event = textEventFor(context);
  return {
    v: 1,
    gate: name,
    project,
    task,
    session,
    lastMessage,
    event,
    tree,
    baseTree,
    with: settings ?? {},
  };
}

function judgementFrom(file: string, result: ShellResult): Judgement {
  if (result.exitCode !== 0) {
    const { evidence } = judgementOf(file, result);
    return {
      outcome: 'unproven',
      summary: `${file} gave no answer: ${whyNone(result)}`,
      ...(evidence ? { evidence } : {}),
    };
  }
  const answer = readAnswer(result.stdout);
  if (typeof answer !== 'string') return answer;
  return { outcome: 'unproven', summary: `${file}: ${answer}`, evidence: usefulLines(result.output) };
}

function whyNone({ exitCode, endedBy }: ShellResult): string {
  if (exitCode === 127) return 'it, or what it is run by, was not found';
  if (exitCode === 126) return 'it is not executable';
  return exitCode === undefined ? `it was ended (${endedBy})` : `exit code ${exitCode}`;
}

async function wasChanged(file: string, { frozen, workspace }: GateContext): Promise<boolean> {
  if (typeof frozen !== 'object' || frozen === null || !('text' in frozen)) return false;
  return ((await workspace.read(file)) ?? null) !== frozen.text;
}

function changed(file: string): Judgement {
  return {
    outcome: 'fail',
    summary: `${file}, which judges this, was changed since the loop began`,
    evidence: [`Put ${file} back as it was. The definition of done is not yours to change.`],
    fingerprint: `drift ${file}`,
  };
}
