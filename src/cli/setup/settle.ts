/** Settles what is set up: the contract as it comes out of a first run of its gates. */
import { withLearnt } from '../../engine/contract/learnt.ts';
import { contractFileOf } from '../../engine/contract/read.ts';
import type { Contract, KnownFailure } from '../../engine/core/contract/contract.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { sha256 } from '../../engine/files/digest.ts';
import { keepProposal, readProposal } from '../../engine/home/records/proposal-record.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { interruptible } from '../../engine/terminal/interruption.ts';
import { paint } from '../../engine/terminal/style.ts';
import { viewContract } from '../contract/trust.ts';
import { knownFrom, learntFrom, redBefore } from './findings.ts';
import { type FirstRun, tryGates } from './gates-now.ts';
import { ourCommand } from './next.ts';
import type { SetupPlan } from './plan.ts';
import { type Rows, rowsOn } from './rows.ts';
import { canAsk, type SetupFlags, type SetupTerminal } from './setup-flags.ts';
import { type SeenTrial, seenIn, type TriedContract, trialFrom, tryProposed } from './trial.ts';
import { notClean, redLines } from './words.ts';

export const NO_TRIAL: FirstRun = { gates: [] };

export interface SettledSetup {
  plan: SetupPlan;
  /** Absent: the gates are not run before you agree. */
  trial?: FirstRun;
}

/** What you agreed to by its fingerprint: a text that was shown to you. Throws when it is another one now. */
export async function agreedTo(
  accept: string,
  looked: SetupPlan,
  world: ProjectPorts,
): Promise<SettledSetup> {
  const { text } = looked.view.file;
  if (accept === looked.view.fingerprint) return { plan: looked };
  const kept = looked.hasContract ? undefined : readProposal<SeenTrial>(world.home, world.project);
  if (kept && kept.base === sha256(text)) {
    const view = await viewContract(contractFileOf(kept.text), world);
    const notes = [...looked.notes, ...kept.seen.notes.map(notClean)];
    if (view.fingerprint === accept) return { plan: { ...looked, view, notes }, trial: trialFrom(kept.seen) };
  }
  throw stale(accept, looked, world);
}

/** The plan, with the contract as it comes out of a first run of its gates. */
export async function settle(
  looked: SetupPlan,
  flags: SetupFlags,
  world: ProjectPorts,
  terminal: SetupTerminal,
): Promise<SettledSetup> {
  const { file, freezing, isTrusted } = looked.view;
  // What came with the project is run when you have agreed to it; what is proposed is run as `verify` would.
  if (looked.hasContract && !isTrusted && flags.accept === undefined) return { plan: looked };
  const stays = looked.hasContract || flags.accept !== undefined || !flags.gates;
  if (stays || Object.keys(freezing.commands).length === 0)
    return { plan: looked, trial: await tried(file.contract, flags, world, terminal) };
  return proposed(looked, flags, world, terminal);
}

/** Tries what is proposed, and asks what becomes of what fails already. */
async function proposed(
  looked: SetupPlan,
  flags: SetupFlags,
  world: ProjectPorts,
  terminal: SetupTerminal,
): Promise<SettledSetup> {
  const base = looked.view.file;
  const rows = rowsFor(base.contract, flags, terminal);
  const { result: found, exitCode } = await interruptible((signal) =>
    tryProposed(base.text, world, rows, signal),
  ).finally(() => rows.close());
  const known = await knownOf(found, flags, terminal, world);
  const learnt = learntFrom(found.contract, found.trial.gates, known);
  const text = withLearnt(found.text, learnt);
  const trial: FirstRun = { ...found.trial, leftOut: learnt.leftOut, interrupted: exitCode };
  keepProposal(world.home, world.project, {
    v: 1,
    base: sha256(base.text),
    text,
    seen: seenIn(trial, found.notes),
  });
  const view = await viewContract(contractFileOf(text), world);
  return { plan: { ...looked, view, notes: [...looked.notes, ...found.notes.map(notClean)] }, trial };
}

/** What fails before any work and is not to be mended. Without anybody to ask, that is all of it. */
async function knownOf(
  { contract, trial }: TriedContract,
  flags: SetupFlags,
  terminal: SetupTerminal,
  { clock }: ProjectPorts,
): Promise<KnownFailure[]> {
  const red = redBefore(contract, trial.gates);
  if (red.length === 0) return [];
  const say = flags.json ? () => {} : terminal.out;
  for (const line of redLines(red)) say(line);
  const isWork =
    flags.failing === undefined
      ? canAsk(flags, terminal) && (await terminal.ask('Is making this pass the work?'))
      : flags.failing === 'work';
  return isWork ? [] : knownFrom(red, new Date(clock.now()).toISOString().slice(0, 10));
}

function rowsFor(contract: Contract, { json }: SetupFlags, { out, live }: SetupTerminal): Rows {
  const say = json ? () => {} : out;
  say(paint('bold', 'Its gates, run once now:'));
  return rowsOn({ out: say, ...(json || !live ? {} : { live }) }, Object.keys(contract.gates));
}

/** Runs the gates of a contract that stays as it is. After Ctrl-C the others are left as they are. */
export async function tried(
  contract: Contract,
  flags: SetupFlags,
  world: ProjectPorts,
  terminal: SetupTerminal,
): Promise<FirstRun> {
  if (!flags.gates) return NO_TRIAL;
  const rows = rowsFor(contract, flags, terminal);
  const { result, exitCode } = await interruptible((signal) =>
    tryGates(contract, world, rows, signal),
  ).finally(() => rows.close());
  return { ...result, interrupted: exitCode };
}

function stale(accepted: string, { view }: SetupPlan, { env }: ProjectPorts): UsageError {
  return new UsageError(
    `the fingerprint is ${view.fingerprint}, not ${accepted}: something was changed since you looked, so nothing was done. Look again with: ${ourCommand(env)} setup`,
  );
}
