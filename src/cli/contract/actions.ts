/** What the commands of contracts and receipts do with the project of the current folder. */
import type { Command } from 'commander';
import type { PresetName } from '../../engine/core/contract/contract.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { openProject, openProjectToRead } from '../../engine/hook/wiring/project-ports.ts';
import { meantLoop, newestLoop } from '../../engine/run/person/find-loop.ts';
import { confirm, onTerminal, out } from '../../engine/terminal/print.ts';
import { addHoldout, checkHoldout, listHoldout, removeHoldout } from './holdout.ts';
import { init } from './init.ts';
import { receiptFindings, type ShowOptions, showKey, showReceipt, verifyReceipt } from './receipt.ts';
import { type TrustOptions, trust } from './trust.ts';
import { allowException, updateContract } from './update-allow.ts';
import { type VerifyOptions, verifyCommand } from './verify.ts';

/** `untildone init`. */
export async function initHere({ yes, preset }: { yes: boolean; preset?: PresetName }): Promise<void> {
  const world = openProject();
  const options = { project: world.project, yes, terminal: onTerminal(), preset };
  const result = await init(options, confirm, out);
  process.exitCode = result.exitCode;
  if (result.exitCode !== EXIT.ok) return;
  if (result.agreed !== undefined) await trust({ show: false }, world, out);
  else if (yes) out('Next, in a terminal: untildone trust (none of its commands runs before you trust it)');
}

/** `untildone trust`. */
export async function trustHere(options: TrustOptions): Promise<void> {
  process.exitCode = await trust(options, options.show ? openProjectToRead() : openProject(), out);
}

/** `untildone verify`. */
export async function verifyHere(gates: string[], options: Omit<VerifyOptions, 'gates'>): Promise<void> {
  const chosen = gates.length > 0 ? { gates } : {};
  process.exitCode = await verifyCommand({ ...options, ...chosen }, openProject(), out);
}

/** `untildone contract update`. */
export async function updateHere(id: string | undefined): Promise<void> {
  const world = openProject();
  await updateContract(meantLoop(world.store, world.project, id), world, out);
}

/** `untildone allow`. */
export function allow(exception: string, id: string | undefined, options: { note?: string }): void {
  const world = openProject();
  allowException(exception, meantLoop(world.store, world.project, id), options.note, world, out);
}

/** `untildone receipt`. */
export async function show(id: string | undefined, options: ShowOptions): Promise<void> {
  const world = openProjectToRead();
  await showReceipt(newestLoop(world.store, world.project, id), options, world, out);
}

interface VerifyReceiptFlags {
  rerun: boolean;
  prepare?: string;
  key?: string;
  json?: boolean;
}

/** `untildone receipt verify`. */
export async function verifyFile(file: string, _: unknown, command: Command): Promise<void> {
  // The command above it has a --key and a --json, too, and takes these.
  const { json, ...options } = command.optsWithGlobals<VerifyReceiptFlags>();
  const world = options.rerun ? openProject() : openProjectToRead();
  const said: string[] = [];
  const say = json ? (line: string) => void said.push(line) : out;
  process.exitCode = await verifyReceipt(file, options, world, say);
  if (json) for (const line of receiptFindings(process.exitCode, said)) out(line);
}

/** `untildone receipt key`. */
export function key(): void {
  showKey(openProjectToRead(), out);
}

/** `untildone holdout add`. */
export async function holdOut(paths: string[], options: { as?: string }): Promise<void> {
  process.exitCode = await addHoldout(paths, options, openProject(), out);
}

/** `untildone holdout list`. */
export function listHeldOut(options: { json: boolean }): void {
  process.exitCode = listHoldout(options, openProjectToRead(), out);
}

/** `untildone holdout remove`. */
export function removeHeldOut(paths: string[], options: { all: boolean }): void {
  process.exitCode = removeHoldout(paths, options, openProject(), out);
}

/** `untildone holdout check`. */
export async function checkHeldOut(): Promise<void> {
  process.exitCode = await checkHoldout(openProject(), out);
}
