import { join } from 'node:path';
import { clientVersion } from '../../engine/client/sdk/client-version.ts';
import type { Scope } from '../../engine/client/settings/files.ts';
import { readContract } from '../../engine/contract/read.ts';
import type { Contract } from '../../engine/core/contract/contract.ts';
import { asksForSandbox } from '../../engine/core/run/client-sandbox.ts';
import { gitBash, type System, thisSystem } from '../../engine/files/platform.ts';
import { userHome } from '../../engine/files/system.ts';
import { homeFrom } from '../../engine/home/layout.ts';
import { thisProgram } from '../../engine/home/program.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import { foreignPlaceOf, hasForeignSigns } from '../../engine/hook/wiring/detect-foreign-state.ts';
import { claudeConfigDir, projectOf } from '../../engine/hook/wiring/project.ts';
import { sandboxProblem } from '../../engine/project/walls/walls-for.ts';
import { out } from '../../engine/terminal/print.ts';
import { type InstallOptions, install, uninstall } from './install.ts';
import type { SettingsPlace } from './settings-change.ts';

export interface ScopeFlags {
  scope: Scope;
  dryRun: boolean;
  diff: boolean;
}

/** What is installed for the project of the current folder. */
export function installOptions(flags: ScopeFlags): InstallOptions {
  const place = settingsPlace(flags);
  return {
    ...place,
    ...thisProgram(),
    ...judgeTimeout(place.project),
    hasForeignState: hasForeignState(place.project),
    sandbox: sandboxPlan(place.project),
    shellProblem: shellProblem(thisSystem(process.env)),
    clientVersion: clientVersion(process.env),
  };
}

/** `untildone install`. */
export async function installHere({
  statusline,
  ...flags
}: ScopeFlags & { statusline: boolean }): Promise<void> {
  process.exitCode = await install({ ...installOptions(flags), statusline }, out);
}

/** `untildone uninstall`. */
export async function uninstallHere(flags: ScopeFlags): Promise<void> {
  refuseInsideClient('uninstall', homeFrom(process.env), process.env);
  process.exitCode = await uninstall(settingsPlace(flags), out);
}

/** The installed line is one for a POSIX shell. Claude Code brings none: on Windows it uses the bash of Git. */
export function shellProblem(system: System): string | undefined {
  if (system.platform !== 'win32' || gitBash(system) !== undefined) return undefined;
  return 'the bash of Git for Windows was not found, and without it no session is held. Install Git for Windows, or name it: CLAUDE_CODE_GIT_BASH_PATH';
}

const USUAL_TIMEOUT_S = 3600;

/** Returns a timeout longer than the slowest gate, so that Claude Code does not end our hook while it judges. */
function judgeTimeout(project: string): { judgeTimeout?: number } {
  const gates = Object.values(contractOf(project)?.gates ?? {});
  const slowest = Math.max(0, ...gates.map((gate) => gate.timeoutMs ?? 0)) / 1000 + 120;
  return slowest > USUAL_TIMEOUT_S ? { judgeTimeout: Math.ceil(slowest) } : {};
}

/** Claude Code's sandbox, where the contract asks for walls. */
function sandboxPlan(project: string): InstallOptions['sandbox'] {
  const rule = contractOf(project)?.sandbox;
  if (!asksForSandbox(rule)) return undefined;
  const { root } = homeFrom(process.env);
  const isUsual = root === join(userHome(process.env), '.untildone');
  return {
    choice: rule.choice,
    network: rule.network === true,
    untildoneHome: isUsual ? undefined : root,
    problem: sandboxProblem(process.env),
  };
}

/** Whether there are state files of this project, or of any session in `~/.ralph/state`. */
function hasForeignState(project: string): boolean {
  const place = foreignPlaceOf({ session: '', cwd: project }, project, process.env, Date.now());
  return hasForeignSigns(place, homeFrom(process.env), () => false);
}

/** Reads the contract; a contract with mistakes is no reason not to install hooks. */
function contractOf(project: string): Contract | undefined {
  try {
    return readContract(project)?.contract;
  } catch {
    return undefined;
  }
}

export function settingsPlace(flags: ScopeFlags): SettingsPlace {
  const home = homeFrom(process.env);
  const project = projectOf(undefined, process.env, process.cwd());
  return { ...flags, home: home.root, project, claudeConfigDir: claudeConfigDir(process.env) };
}
