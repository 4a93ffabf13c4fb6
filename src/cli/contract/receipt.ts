import { readContract } from '../../contract/read.ts';
import { renderReceipt } from '../../core/loop/receipt.ts';
import { isDone } from '../../core/loop/state.ts';
import { oneLine } from '../../core/text/clip.ts';
import { UsageError } from '../../core/text/errors.ts';
import { escapedJson } from '../../core/text/visible.ts';
import { readSmall } from '../../files/whole-file.ts';
import { STOP_AT_FAILURE } from '../../gates/features/traits.ts';
import { traitsOf } from '../../gates/traits.ts';
import { JournalScan } from '../../home/journal/scan.ts';
import { readKey } from '../../home/layout.ts';
import { isOwnKey, keyName, parseReceipt, receiptProblems, type SignedReceipt } from '../../home/receipts.ts';
import { loadJudgeBundle } from '../../hook/wiring/load-bundles.ts';
import type { World } from '../../hook/wiring/world.ts';
import { commandsIn, rerun } from '../../judging/verify.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { confirm, onTerminal } from '../../terminal/print.ts';
import { freezeNow } from './trust.ts';

export function showReceipt(
  ref: LoopRef,
  format: 'text' | 'json' | 'md',
  world: World,
  out: (line: string) => void,
): void {
  const { status } = world.store.read(ref);
  // A crash may leave the receipt of an ending that was never written.
  const text = isDone(status) ? readSmall(world.store.receiptFile(ref)) : undefined;
  if (text === undefined) {
    throw new UsageError(`loop ${ref.loop} has no receipt: it is ${status}, and only a done loop gets one`);
  }
  if (format === 'json') {
    for (const line of escapedJson(text.trimEnd()).split('\n')) out(line);
    return;
  }
  const signed = parseReceipt(text, ref.loop);
  for (const problem of receiptProblems(signed)) out(`CHANGED since it was signed: ${problem}`);
  for (const line of renderReceipt(signed.receipt, format).split('\n')) out(line);
}

/** Exit code: 0 intact, 1 changed, 2 not a receipt. */
export async function verifyReceipt(
  file: string,
  options: { rerun: boolean; prepare?: string },
  world: World,
  out: (line: string) => void,
): Promise<number> {
  const text = readSmall(file);
  if (text === undefined) throw new UsageError(`there is no file ${file}`);
  const signed = parseReceipt(text, file);
  const journal = await lookAtJournal(signed, world);
  const problems = [...receiptProblems(signed), ...journal.problems];
  for (const problem of problems) out(`CHANGED: ${problem}`);
  for (const note of journal.notes) out(`Note: ${note}; it counts for nothing`);
  if (problems.length > 0) return 1;
  const own = isOwnKey(signed, world.home);
  const whose = own
    ? "this machine's key"
    : `a key that this machine does not know (${keyName(signed.publicKey)})`;
  out(`Intact: nothing in this receipt was changed since it was signed with ${whose}.`);
  if (options.rerun) {
    if (!own) await askAboutUnknownCommands(signed, world, out);
    return rerunReceipt(signed, options.prepare, world, out);
  }
  out(
    'A receipt shows tampering; it does not prove the work. To run its commands again in a clean copy: --rerun',
  );
  return 0;
}

/** Asks about the commands of a receipt with an unknown key that are not in the contract of this project. */
async function askAboutUnknownCommands(
  { receipt }: SignedReceipt,
  world: World,
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

/** Collects every line that would run when the contract of this project is judged. */
async function linesOfContract(world: World): Promise<Set<string>> {
  const file = readContract(world.project);
  if (!file) return new Set();
  const { commands } = await freezeNow(file, world);
  const lines = Object.values(commands).flat();
  const anywhere = Object.entries(file.contract.gates).flatMap(([name, { kind, options }]) =>
    (commands[name] ?? []).map((line) => traitsOf(kind).commandAnywhere?.(options, line) ?? line),
  );
  const all = [STOP_AT_FAILURE, ...anywhere, ...lines];
  return new Set(all.flatMap((command) => command.split('\n')));
}

async function rerunReceipt(
  { receipt }: SignedReceipt,
  prepare: string | undefined,
  world: World,
  out: (line: string) => void,
): Promise<number> {
  const { openJudges } = await loadJudgeBundle();
  const results = await rerun(receipt, world.project, prepare, openJudges(world.home, world.env));
  if ('problem' in results) throw new UsageError(results.problem);
  for (const { gate, command, before, now, output } of results) {
    out(
      `${now === before ? 'same' : 'DIFFERENT'}  ${gate}: ${command}: exit ${now ?? 'none'}, the receipt says ${before ?? 'none'}`,
    );
    if (now !== before) for (const line of output.trimEnd().split('\n').slice(-20)) out(`    ${line}`);
  }
  if (results.length === 0) out('This receipt rests on no command that could be run again.');
  return results.every(({ now, before }) => now === before) ? 0 : 1;
}

interface JournalFindings {
  problems: string[];
  /** Lines that do not belong between two lines that follow from each other: torn by a crash, or added. */
  notes: string[];
}

/** Compares the receipt with the journal of its loop, when this machine has it: the journal has to lead to it line by line. */
async function lookAtJournal({ receipt }: SignedReceipt, world: World): Promise<JournalFindings> {
  const ref = world.store.loops().find((r) => r.loop === receipt.loop);
  if (!ref) return { problems: [], notes: [] };
  const problems: string[] = [];
  const notes: string[] = [];
  let strange: string[] = [];
  let found = false;
  for await (const scanned of new JournalScan(world.store.journalFile(ref), readKey(world.home)).next()) {
    if (!scanned.ok) {
      strange.push(`line ${scanned.number} of the journal: ${scanned.problem}`);
      continue;
    }
    if (scanned.chained) notes.push(...strange);
    else if (strange.length > 0) problems.push(...strange);
    else problems.push(`a line before #${scanned.line.seq} of the journal was removed`);
    strange = [];
    if (scanned.sha256 === receipt.journal.lastLineSha256) found = true;
  }
  if (!found) problems.push('the journal on this machine does not hold the line that this receipt rests on');
  (found ? notes : problems).push(...strange);
  return { problems, notes };
}
