/** What `untildone setup` would do here. Looks at everything, and changes nothing. */
import { accessSync, constants, lstatSync } from 'node:fs';
import { delimiter, join, parse } from 'node:path';
import { readSettings, requireReplaceable, type Scope } from '../../engine/client/settings/files.ts';
import { contractFileOf, readContract } from '../../engine/contract/read.ts';
import { CONTRACT_FILE } from '../../engine/core/contract/contract.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { userHome } from '../../engine/files/system.ts';
import { realPath } from '../../engine/home/layout.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { proposalFor } from '../contract/init.ts';
import { type ContractView, viewContract } from '../contract/trust.ts';
import { installOptions } from '../install/commands.ts';
import { changeSettings, type InstallOptions, planProgram, whatToKnow } from '../install/install.ts';
import { refusalIn } from '../install/settings-change.ts';
import { ourCommand } from './next.ts';

export interface SetupPlan {
  project: string;
  /** What to know about this place. */
  notes: string[];
  /** Whether the contract is a file already; otherwise it is proposed. */
  hasContract: boolean;
  view: ContractView;
  hooks: {
    options: InstallOptions;
    /** The settings file. */
    path: string;
    areThere: boolean;
    /** They would run another program than until now, or one that was changed. */
    changeProgram: boolean;
    warnings: string[];
  };
}

/** Throws a `UsageError` for a place where nothing can be set up. */
export async function planSetup(scope: Scope, world: ProjectPorts): Promise<SetupPlan> {
  refusePlace(world);
  const { project } = world;
  const found = readContract(project);
  if (!found) requireFreeName(join(project, CONTRACT_FILE));
  const file = found ?? contractFileOf(proposalFor({ project }).text);
  if (!found) requireWritableFolder(project);
  const hooks = planHooks({ ...installOptions({ scope, dryRun: true, diff: false }), project });
  const view = await viewContract(file, world);
  const notes = [
    ...placeNotes(world),
    ...programNotes(hooks.options.hookEntry),
    ...contractNotes(view, found === undefined),
  ];
  return { project, notes, hasContract: found !== undefined, view, hooks };
}

/** A link that leads nowhere is no contract, but it is in its place. */
function requireFreeName(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new UsageError(`${path} is a link that leads nowhere; correct it, or remove it, and run this again`);
}

/** Your home folder is no project: its `.claude` holds the settings of all your projects. */
function refusePlace({ project, env }: ProjectPorts): void {
  if (project === realPath(userHome(env))) {
    const way =
      realPath(process.cwd()) === project
        ? 'Go into the project first: cd <project>'
        : 'It counts as the project of this folder, which has none of its own: make it one with git init';
    throw new UsageError(
      `${project} is your home folder, not a project: its .claude holds your settings for all projects. ${way}`,
    );
  }
  if (project === parse(project).root)
    throw new UsageError(`${project} is no project: go into one first: cd <project>`);
}

function requireWritableFolder(project: string): void {
  try {
    accessSync(project, constants.W_OK);
  } catch {
    throw new UsageError(
      `${project} is read-only, so ${CONTRACT_FILE} cannot be written there; make it writable (chmod u+w) and run this again`,
    );
  }
}

/** Finds out before anything is changed whether the settings can be. */
function planHooks(options: InstallOptions): SetupPlan['hooks'] {
  try {
    const { change, added } = changeSettings({ ...options, dryRun: true });
    if (added.changed) requireReplaceable(readSettings(change.path));
    const { changes, words } = planProgram(options);
    const warnings = [...(words === undefined ? [] : [words]), ...whatToKnow(options, added)];
    return { options, path: change.path, areThere: !added.changed, changeProgram: changes, warnings };
  } catch (cause) {
    const words = refusalIn(cause, options);
    throw words === undefined ? cause : new UsageError(words);
  }
}

function placeNotes({ project, env, store }: ProjectPorts): string[] {
  const notes = [];
  const here = realPath(process.cwd());
  if (here !== project)
    notes.push(`This folder is a part of ${project}. Claude Code has to be started there.`);
  if (!isInRepository(project))
    notes.push(
      'This is no git repository. Loops are judged all the same, but there is no commit to compare with or to go back to: git init',
    );
  if (!hasGit(env))
    notes.push(
      'git was not found on PATH. What is compared with the start of a loop stays unproven: install git',
    );
  const loops = store.unendedLoops(project);
  if (loops.length > 0)
    notes.push(
      `A loop is active here (${loops.map(({ loop }) => loop).join(', ')}). It goes on with the contract that it began with: ${ourCommand(env)} status`,
    );
  return notes;
}

/** The hooks start the program that runs now, for as long as it lies there. */
function programNotes(hookEntry: string): string[] {
  if (!/[\\/]_npx[\\/]/.test(hookEntry)) return [];
  return [
    'untildone runs from the cache of npx, and the hooks will, too. To keep it when npm tidies up: npm install -g untildone, then: untildone setup',
  ];
}

function isInRepository(project: string): boolean {
  for (let folder = project; ; folder = join(folder, '..')) {
    if (isReadable(join(folder, '.git'))) return true;
    if (folder === join(folder, '..')) return false;
  }
}

function hasGit({ PATH = '' }: NodeJS.ProcessEnv, platform = process.platform): boolean {
  const names = platform === 'win32' ? ['git.exe', 'git.cmd'] : ['git'];
  return PATH.split(delimiter).some((folder) => names.some((name) => isReadable(join(folder, name))));
}

function isReadable(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

function contractNotes({ freezing }: ContractView, isProposed: boolean): string[] {
  if (Object.keys(freezing.commands).length > 0) return [];
  return [
    isProposed
      ? `No command that tests this project was found (package.json, Makefile, pyproject.toml, go.mod, Cargo.toml, pom.xml). Without one, "done" only means that no rule was broken: add yours to ${CONTRACT_FILE}, for example tests: { run: make test }`
      : `${CONTRACT_FILE} runs no command, so nothing is tested.`,
  ];
}
