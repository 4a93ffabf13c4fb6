import type { Outcome } from '../../core/loop/verdict.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { fileNameFor, insideProject } from '../../core/text/paths.ts';
import type { ShellResult } from '../../ports/ports.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { textEventFor } from '../hook/event.ts';
import { judgementOf, proofOf, UNTIL_ABORTED, usefulLines } from '../run/outcome.ts';
import { frozenBy, projectOf } from '../shared/asks.ts';
import { customTraits } from './traits.ts';

/** A longer file is not frozen. The digest that you trusted still notices a change. */
const LONGEST_FROZEN = 256 * 1024;
const MODULE = /\.[mc]?[jt]s$/;

/** Your own gate: an executable or a module. It gets a question as JSON and answers with one JSON object. */
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
    const outputFile = `${context.request.outputDir}/${fileNameFor(context.name)}.txt`;
    const result = await context.shell.run({
      command: commandFor(file),
      cwd: projectOf(context),
      input: JSON.stringify(questionFor(context, settings)),
      outputFile,
      timeoutMs: UNTIL_ABORTED,
      signal,
    });
    return { ...judgementFrom(file, result), proof: proofOf(shownCommand(file), result, outputFile) };
  },
};

/** The file as a shell word: always a path, never an option or a name to look up. */
function wordFor(file: string): string {
  return quoteForShell(`./${insideProject(file) ?? file}`);
}

function shownCommand(file: string): string {
  return MODULE.test(file) ? `node ${wordFor(file)}` : wordFor(file);
}

/** The node of the project. Without one on the PATH, the node that runs untildone. */
const NODE = '"$(command -v node || echo "$UNTILDONE_NODE")"';

function commandFor(file: string): string {
  if (!MODULE.test(file)) return `exec ${wordFor(file)}`;
  return `exec ${NODE} --input-type=module -e ${quoteForShell(MODULE_RUNNER)} -- ${wordFor(file)}`;
}

function questionFor(context: GateContext, settings: Record<string, unknown> | undefined) {
  const { name, request, tree } = context;
  const { task, session, lastMessage, base } = request;
  const event = textEventFor(request);
  return {
    v: 1,
    gate: name,
    project: projectOf(context),
    task,
    session,
    lastMessage,
    event,
    tree,
    baseTree: base.tree,
    with: settings ?? {},
  };
}

function judgementFrom(file: string, result: ShellResult): Judgement {
  if (result.exitCode !== 0) {
    const { evidence } = judgementOf(file, result);
    return {
      outcome: 'unproven',
      summary: `${file} gave no answer: ${whyNone(result)}`,
      evidence,
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

async function wasChanged(file: string, context: GateContext): Promise<boolean> {
  const frozen = frozenBy(context);
  if (typeof frozen !== 'object' || frozen === null || !('text' in frozen)) return false;
  return ((await context.workspace.read(file)) ?? null) !== frozen.text;
}

function changed(file: string): Judgement {
  return {
    outcome: 'fail',
    summary: `${file}, which judges this, was changed since the loop began`,
    evidence: [`Put ${file} back as it was. The definition of done is not yours to change.`],
    fingerprint: `drift ${file}`,
  };
}

const OUTCOMES: readonly string[] = ['pass', 'fail', 'unproven', 'skip'] satisfies Outcome[];

/** Reads what your own gate printed. A text says what is wrong with it. */
function readAnswer(stdout: string): Judgement | string {
  if (stdout.trim() === '') return 'it printed no answer on stdout';
  const fields = objectIn(stdout);
  if (!fields) return 'what it printed on stdout is not one JSON object';
  const { outcome, summary, evidence, next, fingerprint } = fields;
  if (typeof outcome !== 'string' || !OUTCOMES.includes(outcome)) {
    return `its "outcome" is none of ${OUTCOMES.join(', ')}`;
  }
  if (!isFilled(summary)) return 'its "summary" is missing: one line, what was found';
  const lines = linesOf(evidence);
  if (lines === undefined) return 'its "evidence" is no list of lines';
  return {
    outcome: outcome as Outcome,
    summary,
    evidence: lines.length > 0 ? lines : undefined,
    next: isFilled(next) ? next : undefined,
    fingerprint: typeof fingerprint === 'string' && fingerprint !== '' ? fingerprint : undefined,
  };
}

function objectIn(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function linesOf(evidence: unknown): string[] | undefined {
  if (evidence === undefined || evidence === null) return [];
  if (typeof evidence === 'string') return evidence.split('\n');
  return Array.isArray(evidence) && evidence.every((line) => typeof line === 'string') ? evidence : undefined;
}

/**
 * The program that runs a gate written as a module, in its own process so that it can be ended. It gets the path of the
 * module as an argument and the question on stdin. stdout is only for the answer: what the module prints goes to stderr.
 * `defineGate` is a global, so that a gate needs nothing installed.
 */
const MODULE_RUNNER = `
const file = process.argv[1];
const answer = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
globalThis.defineGate = (gate) => gate;
const finish = (value) => answer(JSON.stringify(value) ?? 'null', () => process.exit(0));
if (/\\.[mc]?ts$/.test(file) && !process.features.typescript) {
  finish({
    outcome: 'unproven',
    summary: 'a gate in TypeScript needs Node 22.18 or newer; this is ' + process.version,
  });
} else {
  let question = '';
  process.stdin.setEncoding('utf8');
  for await (const text of process.stdin) question += text;
  const url = 'file://' + (process.cwd() + '/' + file).split('/').map(encodeURIComponent).join('/');
  const { default: gate } = await import(url);
  const judge = typeof gate === 'function' ? gate : gate?.judge?.bind(gate);
  if (!judge) throw new Error(file + ' has no default export with a function "judge"');
  finish(await judge(JSON.parse(question)));
}
`;
