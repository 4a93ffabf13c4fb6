import type { KeyObject } from 'node:crypto';
import { readContract } from '../../engine/contract/read.ts';
import { secretsOf } from '../../engine/core/contract/secret-values.ts';
import { ladderIn, type Receipt, renderReceipt } from '../../engine/core/loop/receipt.ts';
import { isDone } from '../../engine/core/loop/state.ts';
import { restsOn } from '../../engine/core/proof/ladder.ts';
import { RECEIPT_TYPE, treeOf, type VerificationPredicate } from '../../engine/core/proof/statement.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { redact } from '../../engine/core/text/redact.ts';
import { escapedJson, jsonLines } from '../../engine/core/text/visible.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { readSmall } from '../../engine/files/whole-file.ts';
import { STOP_AT_FAILURE } from '../../engine/gates/features/traits.ts';
import { traitsOf } from '../../engine/gates/traits.ts';
import {
  type Envelope,
  envelopeProblems,
  keyId,
  otherSigners,
  shortName,
  statementIn,
} from '../../engine/home/envelope.ts';
import { lookAtJournal } from '../../engine/home/journal/receipt.ts';
import {
  isOwnKey,
  keyName,
  ownPublicKey,
  parseReceipt,
  receiptProblems,
  type SignedReceipt,
  spellingProblems,
} from '../../engine/home/receipts.ts';
import { loadJudgeBundle } from '../../engine/hook/wiring/load-bundles.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { commandsIn, rerun } from '../../engine/judging/verify.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import { confirm, onTerminal } from '../../engine/terminal/print.ts';
import { bareEnvelope, countersigner, readPublicKey } from './countersign.ts';
import { freezeNow } from './trust.ts';

export interface ShowOptions {
  format: 'text' | 'json' | 'md' | 'dsse';
  /** A statement about the same tree, signed by somebody else. */
  countersigned?: string;
  /** The public key of whoever signed it. */
  key?: string;
  /** The repository on GitHub whose workflow signed it. */
  repo?: string;
  /** The very workflow, by its path in that repository. */
  workflow?: string;
}

export async function showReceipt(
  ref: LoopRef,
  options: ShowOptions,
  world: ProjectPorts,
  out: (line: string) => void,
): Promise<void> {
  const { format } = options;
  const { status } = world.store.read(ref);
  // A crash may leave the receipt of an ending that was never written.
  const text = isDone(status) ? readSmall(world.store.receiptFile(ref)) : undefined;
  if (text === undefined) {
    throw new UsageError(`loop ${ref.loop} has no receipt: it is ${status}, and only a done loop gets one`);
  }
  if (options.countersigned !== undefined && (format === 'json' || format === 'dsse'))
    throw new UsageError('a countersigned receipt is shown with --format text or md');
  if (format === 'json') {
    for (const line of escapedJson(text.trimEnd()).split('\n')) out(line);
    return;
  }
  const signed = parseReceipt(text, ref.loop);
  if (format === 'dsse') {
    out(escapedJson(JSON.stringify(envelopeOf(signed, ref.loop))));
    return;
  }
  const problems = [...receiptProblems(signed), ...spellingProblems(text, signed)];
  for (const problem of problems) out(`CHANGED since it was signed: ${problem}`);
  const beside =
    options.countersigned === undefined || problems.length > 0
      ? {}
      : { countersignedBy: await countersigner(signed, options.countersigned, options, world) };
  for (const line of renderReceipt(signed.receipt, format, beside).split('\n')) out(line);
}

function envelopeOf({ payloadType, payload, signatures }: SignedReceipt, loop: string): Partial<Envelope> {
  if (payload === undefined)
    throw new UsageError(`the receipt of loop ${loop} is of an older version: it has no envelope`);
  return { payloadType, payload, signatures };
}

/** Prints the public key of this machine, with which others check its receipts. */
export function showKey(world: ProjectPorts, out: (line: string) => void): void {
  const key = ownPublicKey(world.home);
  if (!key) throw new UsageError('this machine has no key yet: it is made with the first receipt');
  const pem = key.export({ type: 'spki', format: 'pem' }).toString();
  for (const line of pem.trimEnd().split('\n')) out(line);
}

/** Findings of a receipt for programs: what was changed, what is only noted, and what else was said. */
export function receiptFindings(exitCode: number, said: readonly string[]): string[] {
  const problems = said.filter((line) => line.startsWith(CHANGED)).map((line) => line.slice(CHANGED.length));
  const notes = said.filter((line) => line.startsWith(NOTE)).map((line) => line.slice(NOTE.length));
  const text = said.filter((line) => !line.startsWith(CHANGED) && !line.startsWith(NOTE));
  return jsonLines({ ok: exitCode === EXIT.ok, intact: problems.length === 0, problems, notes, text });
}

const CHANGED = 'CHANGED: ';
const NOTE = 'Note: ';

/** Exit code: 0 intact, 1 changed, 2 not a receipt. */
export async function verifyReceipt(
  file: string,
  options: { rerun: boolean; prepare?: string; key?: string },
  world: ProjectPorts,
  out: (line: string) => void,
): Promise<number> {
  const text = readSmall(file);
  if (text === undefined) throw new UsageError(`there is no file ${file}`);
  const key = options.key === undefined ? undefined : readPublicKey(options.key);
  const bare = bareEnvelope(text);
  if (bare) return verifyEnvelope(text, bare, { ...options, key, file }, world, out);
  const signed = parseReceipt(text, file);
  const journal = await lookAtJournal(signed.receipt, world);
  const problems = [
    ...receiptProblems(signed),
    ...spellingProblems(text, signed),
    ...(key ? otherKeyProblems(signed, key) : []),
    ...journal.problems,
  ];
  for (const problem of problems) out(`${CHANGED}${problem}`);
  for (const note of journal.notes) out(`${NOTE}${note}; it counts for nothing`);
  if (problems.length > 0) return EXIT.no;
  const own = isOwnKey(signed, world.home);
  const whose = key
    ? `the key in ${options.key}`
    : own
      ? "this machine's key"
      : `a key that this machine does not know (${keyName(signed.publicKey)})`;
  out(`Intact: nothing in this receipt was changed since it was signed with ${whose}.`);
  return restOfVerifying(signed.receipt, own, options, world, out);
}

async function restOfVerifying(
  receipt: Receipt,
  own: boolean,
  options: { rerun: boolean; prepare?: string },
  world: ProjectPorts,
  out: (line: string) => void,
): Promise<number> {
  if (options.rerun) {
    if (!own) await askAboutUnknownCommands(receipt, world, out);
    return rerunReceipt(receipt, options.prepare, world, out);
  }
  out(`It rests on: ${restsOn(ladderIn(receipt))}.`);
  out(
    'A receipt shows tampering; it does not prove the work. To run its commands again in a clean copy: --rerun',
  );
  return EXIT.ok;
}

function otherKeyProblems({ publicKey }: SignedReceipt, key: KeyObject): string[] {
  const pem = key.export({ type: 'spki', format: 'pem' }).toString();
  return pem === publicKey
    ? []
    : [`it is signed with another key (${keyName(publicKey)}) than the one given`];
}

/** Checks a statement that came without the keys of a receipt: only its envelope. */
async function verifyEnvelope(
  text: string,
  envelope: Envelope,
  options: { rerun: boolean; prepare?: string; key?: KeyObject; file: string },
  world: ProjectPorts,
  out: (line: string) => void,
): Promise<number> {
  const own = ownPublicKey(world.home);
  const isOwn = own !== undefined && envelope.signatures.some(({ keyid }) => keyid === keyId(own));
  const key = options.key ?? (isOwn ? own : undefined);
  if (!key)
    throw new UsageError(
      `${options.file} is signed with a key that is not in it and that this machine does not know; name the file of the public key with --key`,
    );
  const statement = statementIn(envelope);
  const receipt = statement?.predicateType === RECEIPT_TYPE ? (statement.predicate as Receipt) : undefined;
  const journal = receipt ? await lookAtJournal(receipt, world) : { problems: [], notes: [] };
  const problems = [
    ...envelopeProblems(envelope, key),
    ...spellingProblems(text, envelope),
    ...journal.problems,
  ];
  for (const problem of problems) out(`${CHANGED}${problem}`);
  for (const note of journal.notes) out(`${NOTE}${note}; it counts for nothing`);
  if (problems.length > 0 || !statement) return EXIT.no;
  for (const other of otherSigners(envelope, key))
    out(`${NOTE}it names another key, too, which was not checked: ${other}`);
  out(
    `Intact: nothing in this statement was changed since it was signed with the key ${shortName(keyId(key))}.`,
  );
  out(`It is about the tree ${treeOf(statement) ?? 'of no git repository'} (${statement.predicateType}).`);
  if (receipt) return restOfVerifying(receipt, isOwn, options, world, out);
  const { result, summary } = statement.predicate as Partial<VerificationPredicate>;
  out(`It says: ${oneLine(summary ?? result ?? 'nothing that this version of untildone knows', 1000)}`);
  return EXIT.ok;
}

/** Asks about the commands of a receipt with an unknown key that are not in the contract of this project. */
async function askAboutUnknownCommands(
  receipt: Receipt,
  world: ProjectPorts,
  out: (line: string) => void,
): Promise<void> {
  const known = await linesOfContract(world);
  const strange = commandsIn(receipt.verdicts).filter(
    ({ command }) => !command.split('\n').every((line) => known.has(line)),
  );
  if (strange.length === 0) return;
  out(
    'These commands are signed with an unknown key, are not in your contract, and would run on this machine, as you:',
  );
  for (const { gate, command } of strange) out(`  ${oneLine(`${gate}: ${command}`, 1000)}`);
  if (!onTerminal())
    throw new UsageError('there is no terminal to ask you whether they may run; type this on one');
  if (!(await confirm('Run them?'))) throw new UsageError('you did not allow it: nothing was run');
}

/** Every line that would run when the contract of this project is judged, by how receipts show it: without secrets. */
async function linesOfContract(world: ProjectPorts): Promise<Map<string, string>> {
  const file = readContract(world.project);
  if (!file) return new Map();
  const { commands } = await freezeNow(file, world);
  const lines = Object.values(commands).flat();
  const secrets = secretsOf(file.contract);
  const anywhere = Object.entries(file.contract.gates).flatMap(([name, { kind, options }]) =>
    (commands[name] ?? []).map((line) => traitsOf(kind).commandAnywhere?.(options, line) ?? line),
  );
  const all = [STOP_AT_FAILURE, ...anywhere, ...lines];
  // A receipt of an older version shows a line as it is.
  return new Map(
    all
      .flatMap((command) => command.split('\n'))
      .flatMap((line) => [
        [redact(line, secrets), line],
        [line, line],
      ]),
  );
}

async function rerunReceipt(
  receipt: Receipt,
  prepare: string | undefined,
  world: ProjectPorts,
  out: (line: string) => void,
): Promise<number> {
  const { openJudges } = await loadJudgeBundle();
  // A receipt shows a command without its secrets: the contract of this project has them.
  const known = await linesOfContract(world);
  const whole = (command: string) =>
    command
      .split('\n')
      .map((line) => known.get(line) ?? line)
      .join('\n');
  const judges = await openJudges(world.home, world.env);
  const results = await rerun(receipt, world.project, prepare, judges, whole);
  if ('problem' in results) throw new UsageError(results.problem);
  for (const { gate, command, before, now, output } of results) {
    out(
      `${now === before ? 'same' : 'DIFFERENT'}  ${gate}: ${command}: exit ${now ?? 'none'}, the receipt says ${before ?? 'none'}`,
    );
    if (now !== before) for (const line of output.trimEnd().split('\n').slice(-20)) out(`    ${line}`);
  }
  if (results.length === 0) out('This receipt rests on no command that could be run again.');
  return results.every(({ now, before }) => now === before) ? EXIT.ok : EXIT.no;
}
