/** `untildone setup`: from nothing to a held session. Looks, shows, asks once, then writes, trusts, installs and proves. */
import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readContract } from '../../engine/contract/read.ts';
import { CONTRACT_FILE } from '../../engine/core/contract/contract.ts';
import { quoteForShell } from '../../engine/core/shell/words.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { jsonLines } from '../../engine/core/text/visible.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { writeNew } from '../../engine/files/whole-file.ts';
import { noteSetup } from '../../engine/home/records/setup-record.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { interruptible } from '../../engine/terminal/interruption.ts';
import { paint } from '../../engine/terminal/style.ts';
import { trustContract, viewContract } from '../contract/trust.ts';
import { changeSettings, type InstallOptions } from '../install/install.ts';
import { refusalIn } from '../install/settings-change.ts';
import type { FirstRun } from './gates-now.ts';
import { nextSteps, ourCommand } from './next.ts';
import { planSetup, type SetupPlan } from './plan.ts';
import { type HoldProof, proveHeld } from './prove.ts';
import { agreedTo, NO_TRIAL, settle, tried } from './settle.ts';
import { canAsk, type SetupFlags, type SetupTerminal } from './setup-flags.ts';
import { keepForStart } from './trial.ts';
import { openLines, placeLines, planLines, proofLine } from './words.ts';

/** What happened, for `--json`. */
interface Outcome {
  result: 'set_up' | 'already_set_up' | 'nothing_done';
  trial: FirstRun;
  proof?: HoldProof;
}

/** Exit code: 0 set up, 1 nothing was done, 3 set up, but a Stop was not seen to be held. Throws for wrong use. */
export async function setup(
  flags: SetupFlags,
  world: ProjectPorts,
  terminal: SetupTerminal,
  prover: typeof proveHeld = proveHeld,
): Promise<number> {
  requireBoth(flags, world);
  const say = flags.json ? () => {} : terminal.out;
  const looked = await planSetup(flags.scope, world);
  const agreed = flags.accept === undefined ? undefined : await agreedTo(flags.accept, looked, world);
  for (const line of placeLines(agreed?.plan ?? looked)) say(line);
  const { plan, trial: before } = agreed?.trial ? agreed : await settle(looked, flags, world, terminal);
  // Ctrl-C leaves the rest unjudged. Whoever can be asked goes on with that.
  const ended = before?.interrupted;
  if (ended !== undefined && !(ended === EXIT.interrupted && canAsk(flags, terminal))) return ended;
  for (const line of planLines(plan, before, flags)) say(line);
  const isThere = plan.hasContract && plan.view.isTrusted && plan.hooks.areThere && !plan.hooks.changeProgram;
  if (!isThere && !(await isAgreed(plan, flags, world, terminal)))
    return report({ result: 'nothing_done', trial: before ?? NO_TRIAL }, plan, flags, world, terminal);
  for (const line of await apply(plan, flags, world)) say(line);
  const trial = before ?? (await tried(plan.view.file.contract, flags, world, terminal));
  await keepForStart(plan.view.file.contract, plan.view.fingerprint, trial, ownFiles(plan), world);
  const { result: proof, exitCode } = flags.proof ? await prove(plan, flags, world, say, prover) : {};
  for (const line of openLines(plan.view.file.contract, trial)) say(line);
  if (exitCode !== undefined) return exitCode;
  const result = isThere ? 'already_set_up' : 'set_up';
  return report({ result, trial, ...(proof && { proof }) }, plan, flags, world, terminal);
}

/** The files that setup itself changes, relative to the project. */
function ownFiles({ project, hooks }: SetupPlan): string[] {
  return [CONTRACT_FILE, relative(project, hooks.path)];
}

/** Consent is never implied: `--yes` alone would agree to what nobody has looked at. */
function requireBoth({ yes, accept }: SetupFlags, { home, env }: ProjectPorts): void {
  if (yes && accept === undefined)
    throw new UsageError(
      `--yes needs --accept with the fingerprint of what you have looked at; see it with: ${ourCommand(env)} setup`,
    );
  if (!yes && accept !== undefined) throw new UsageError('--accept is for use without a terminal: add --yes');
  if (yes) refuseInsideClient('setup', home, env);
}

async function isAgreed(
  plan: SetupPlan,
  { yes, json }: SetupFlags,
  { home, env }: ProjectPorts,
  terminal: SetupTerminal,
): Promise<boolean> {
  if (yes) return true;
  if (!terminal.isThere || json) return false;
  refuseInsideClient('setup', home, env);
  return terminal.ask(questionFor(plan));
}

function questionFor({ hasContract, view, hooks }: SetupPlan): string {
  const steps = [
    ...(hasContract ? [] : [`write ${CONTRACT_FILE}`]),
    ...(view.isTrusted ? [] : ['trust exactly this on this machine']),
    ...(hooks.areThere ? [] : ['add the hooks']),
    ...(hooks.changeProgram ? ['let the hooks run this program'] : []),
  ];
  const last = steps.pop() ?? '';
  const text = steps.length === 0 ? last : `${steps.join(', ')} and ${last}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}?`;
}

/** Does what is not done yet, and says so. Every step is noted first, so that `--undo` finds what a kill left behind. */
async function apply(plan: SetupPlan, { scope }: SetupFlags, world: ProjectPorts): Promise<string[]> {
  const { home, project } = world;
  const said: string[] = [];
  if (!plan.hasContract) {
    writeContract(plan, world);
    said.push(`Wrote ${CONTRACT_FILE}. Edit it as you like, and commit it.`);
  }
  const view = await viewAgain(plan, world);
  if (!view.isTrusted) {
    noteSetup(home, project, { trusted: [view.fingerprint] });
    trustContract(view, world);
    said.push('Trusted.');
  }
  if (!plan.hooks.areThere) noteSetup(home, project, { hooks: [{ scope }] });
  installHooksNow(plan.hooks.options);
  if (!plan.hooks.areThere) said.push(`Added the hooks to ${plan.hooks.path}.`);
  return said;
}

function writeContract({ view }: SetupPlan, { home, project }: ProjectPorts): void {
  noteSetup(home, project, { contract: view.file.sha256 });
  if (writeNew(join(project, CONTRACT_FILE), view.file.text, 0o644)) return;
  throw new UsageError(
    `another program wrote ${CONTRACT_FILE} just now, so nothing was done; run this again to look at it`,
  );
}

/** Looks again just before you are taken at your word: only what was shown is trusted. */
async function viewAgain(plan: SetupPlan, world: ProjectPorts): ReturnType<typeof viewContract> {
  const { project } = world;
  const file = readContract(project);
  const view = file && (await viewContract(file, world));
  if (view?.fingerprint === plan.view.fingerprint) return view;
  const isOurs = !plan.hasContract && file?.sha256 === plan.view.file.sha256;
  if (isOurs) rmSync(join(project, CONTRACT_FILE), { force: true });
  throw new UsageError(
    'what the contract runs was changed while you looked at it, so nothing was trusted or installed; run this again',
  );
}

function installHooksNow(options: InstallOptions): void {
  try {
    changeSettings({ ...options, dryRun: false });
  } catch (cause) {
    const words = refusalIn(cause, options);
    throw words === undefined ? cause : new UsageError(words);
  }
}

async function prove(
  { project }: SetupPlan,
  { claude }: SetupFlags,
  { env }: ProjectPorts,
  say: (line: string) => void,
  prover: typeof proveHeld,
): Promise<{ result?: HoldProof; exitCode?: number }> {
  const { result, exitCode } = await interruptible((signal) => prover({ project, env, claude, signal }));
  if (exitCode === undefined) say(proofLine(result));
  else say(`Everything is set up. Only the proof was interrupted; to have it: ${ourCommand(env)} setup`);
  return { result, exitCode };
}

function report(
  outcome: Outcome,
  plan: SetupPlan,
  flags: SetupFlags,
  { env, home }: ProjectPorts,
  { out }: SetupTerminal,
): number {
  const { result, trial, proof } = outcome;
  const { gates } = trial;
  const { project, view, hooks, notes, hasContract } = plan;
  const isNothing = result === 'nothing_done';
  const accept = acceptLine(plan, flags, env);
  const next = isNothing ? [] : nextSteps(project, view.file.contract, env);
  const undo = `To undo this: ${ourCommand(env)} setup --undo`;
  if (flags.json) {
    const line = {
      result,
      project,
      contract: { file: CONTRACT_FILE, proposed: !hasContract, text: view.file.text },
      fingerprint: view.fingerprint,
      trusted: view.isTrusted || !isNothing,
      gates: gates.map(({ name, outcome: verdict = null, summary, ms }) => ({
        name,
        verdict,
        seconds: ms === undefined ? null : Math.round(ms / 100) / 10,
        summary,
      })),
      known_failures: (view.file.contract.knownFailures ?? []).map(({ gate, test = null }) => ({
        gate,
        test,
      })),
      left_out: Object.entries(trial.leftOut ?? {}).map(([name, why]) => ({ name, why })),
      hooks: { file: hooks.path, installed: hooks.areThere || !isNothing },
      held: proof === undefined || proof.outcome === 'unproven' ? null : proof.outcome === 'held',
      proof: proof ?? null,
      notes: [...notes, ...hooks.warnings],
      accept: isNothing ? accept : null,
      next,
      home: home.root,
    };
    for (const text of jsonLines(line)) out(text);
  } else if (isNothing) {
    out(paint('open', 'Nothing was done.'));
    out(`To do exactly this without being asked: ${accept}`);
  } else for (const line of ['', ...next, undo]) out(line);
  if (isNothing) return EXIT.no;
  const isShown = proof === undefined || proof.outcome === 'held' || proof.cause === 'no_client';
  return isShown ? EXIT.ok : EXIT.letGo;
}

function acceptLine(
  { view }: SetupPlan,
  { scope, proof, gates, claude }: SetupFlags,
  env: NodeJS.ProcessEnv,
): string {
  const flags = [
    ...(scope === 'project' ? [] : ['--scope', scope]),
    ...(proof ? [] : ['--no-proof']),
    ...(gates ? [] : ['--no-gates']),
    ...(claude === undefined ? [] : ['--claude', quoteForShell(claude)]),
  ];
  return [ourCommand(env), 'setup', ...flags, '--yes', '--accept', view.fingerprint].join(' ');
}
