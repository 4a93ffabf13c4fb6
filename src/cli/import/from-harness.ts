import { join } from 'node:path';
import {
  readSettings,
  SCOPES,
  type Scope,
  SettingsFileRefused,
  settingsPath,
} from '../../engine/client/settings/files.ts';
import { JsonRefused } from '../../engine/client/settings/json-text.ts';
import {
  foreignHooks,
  type PlacedHook,
  pluginSwitches,
  withoutForeignHooks,
} from '../../engine/client/settings/other-hooks.ts';
import { maskEnv } from '../../engine/client/settings/our-hooks.ts';
import { ourHooksIn, parsedSettings } from '../../engine/client/settings/settings.ts';
import { addToContract, newContract, writtenGates } from '../../engine/contract/edit.ts';
import { readContract } from '../../engine/contract/read.ts';
import { CONTRACT_FILE } from '../../engine/core/contract/contract.ts';
import type { SettingsFile } from '../../engine/core/contract/installation.ts';
import { type Fate, importHooks, type WrittenGate } from '../../engine/core/import/import-hooks.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { ImportRecord } from '../../engine/home/records/import-record.ts';
import { claudeConfigDir } from '../../engine/hook/wiring/project.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { harmless } from '../../engine/terminal/text.ts';
import {
  diffLines,
  endBeforeWriting,
  fateLines,
  type ImportIo,
  type ImportOptions,
  type ImportResult,
  write,
} from './report.ts';

interface ScopedSettings {
  scope: Scope;
  /** The path as it is shown. */
  name: string;
  file: SettingsFile;
  hooks: PlacedHook[];
}

interface HarnessPlan {
  settings: ScopedSettings[];
  fates: Fate<PlacedHook>[];
  contract: { file: SettingsFile; text: string };
  problems: string[];
}

/** Imports the hooks of the settings files as gates of a contract, and removes the hooks if you want that. */
export async function importHarness(
  options: ImportOptions,
  world: ProjectPorts,
  io: ImportIo,
): Promise<ImportResult> {
  const { out } = io;
  const plan = planHarness(world);
  for (const problem of plan.problems) out(harmless(problem));
  for (const line of fateLines(plan.fates)) out(line);
  if (!plan.fates.some(({ becomes }) => becomes !== undefined)) {
    out(
      plan.fates.length === 0
        ? 'No hooks were found that could be imported.'
        : 'Nothing of this can be imported.',
    );
    return { exitCode: EXIT.ok };
  }
  const { file, text } = plan.contract;
  const removals = removalsOf(plan);
  for (const line of diffLines(file.path, file.text, text)) out(line);
  if (!options.keepHooks) for (const line of removals.flatMap(removalDiff)) out(line);
  const question = file.text === text ? undefined : `Write this to ${CONTRACT_FILE}?`;
  const ended = await endBeforeWriting(options, question, io);
  if (ended) return ended;
  const record = ImportRecord.begin(world.home, world.project, 'harness', world.clock.now());
  if (file.text !== text) write(file, text, record);
  const removed = options.keepHooks ? [] : await removeHooks(removals, record, options, io);
  for (const line of closing(plan, removals, removed, record)) out(line);
  return { exitCode: EXIT.ok, contractWritten: true };
}

export function planHarness({ project, env }: ProjectPorts): HarnessPlan {
  const problems: string[] = [];
  const settings = SCOPES.flatMap((scope): ScopedSettings[] => {
    const path = settingsPath(scope, { project, claudeConfigDir: claudeConfigDir(env) });
    const name = scope === 'user' ? path : path.slice(project.length + 1);
    try {
      const file = readSettings(path, scope === 'user' ? undefined : project);
      problems.push(...unreadIn(file.text ?? '', name));
      return [{ scope, name, file, hooks: foreignHooks(file.text ?? '', name) }];
    } catch (error) {
      problems.push(problemWith(path, error));
      return [];
    }
  });
  // Throws with every mistake of the contract.
  const known = readContract(project);
  const file = readSettings(join(project, CONTRACT_FILE));
  const gates: Record<string, WrittenGate> = file.text === undefined ? {} : writtenGates(file.text);
  const { fates, ...additions } = importHooks(
    settings.flatMap(({ hooks }) => hooks),
    gates,
  );
  const text =
    known && file.text !== undefined
      ? addToContract(file.text, additions)
      : newContract(additions, 'What the hooks of your settings did, made by: untildone import');
  return { settings, fates, contract: { file, text }, problems };
}

/** Names the plugins that bring hooks of their own, so that nothing is left out without a word. */
function unreadIn(text: string, name: string): string[] {
  const plugins = pluginSwitches(text).flatMap(([plugin, isOn]) => (isOn ? [plugin] : []));
  if (plugins.length === 0) return [];
  return [`Not read: ${name} switches on ${plugins.join(', ')}. Hooks that a plugin brings stay with it`];
}

function problemWith(path: string, error: unknown): string {
  if (error instanceof JsonRefused)
    return `Not read: ${path}:${error.line}:${error.column}: ${error.message}`;
  if (error instanceof SettingsFileRefused) return `Not read: ${error.message}`;
  throw error;
}

interface Removal {
  settings: ScopedSettings;
  hooks: PlacedHook[];
  text: string;
}

function removalsOf({ settings, fates }: HarnessPlan): Removal[] {
  return settings.flatMap((each) => {
    const hooks = fates
      .filter((f) => f.becomes !== undefined && each.hooks.includes(f.hook))
      .map((f) => f.hook);
    if (hooks.length === 0 || each.file.text === undefined) return [];
    return [{ settings: each, hooks, text: withoutForeignHooks(each.file.text, hooks) }];
  });
}

function removalDiff({ settings: { file }, text }: Removal): string[] {
  return diffLines(file.path, maskEnv(file.text ?? ''), maskEnv(text));
}

/** Removes old hooks. Without asking it leaves your user settings alone: they guard all your projects. */
async function removeHooks(
  removals: readonly Removal[],
  record: ImportRecord,
  { yes }: ImportOptions,
  { out, ask }: ImportIo,
): Promise<Removal[]> {
  const removed: Removal[] = [];
  for (const removal of removals) {
    const { scope, name, file } = removal.settings;
    const which = removal.hooks.length === 1 ? 'the old hook' : `the ${removal.hooks.length} old hooks`;
    if (scope === 'user' && yes) {
      out(
        `${name} is left as it is: it guards all your projects. To remove ${which}: untildone import --from harness`,
      );
      continue;
    }
    const others = scope === 'user' ? ' They guard all your projects, not only this one.' : '';
    if (!yes && !(await ask(`Remove ${which} from ${name}?${others}`))) continue;
    write(file, removal.text, record);
    removed.push(removal);
  }
  return removed;
}

function closing(
  { settings, contract }: HarnessPlan,
  removals: readonly Removal[],
  removed: readonly Removal[],
  record: ImportRecord,
): string[] {
  const installed = settings.some(({ file }) => ourHooksIn(parsedSettings(file.text ?? '')).length > 0);
  const kept = removals.filter((removal) => !removed.includes(removal));
  return [
    contract.file.text === contract.text
      ? `${CONTRACT_FILE} had all of it already.`
      : `Wrote ${CONTRACT_FILE}.`,
    ...removed.map(({ settings: { name } }) => `Removed the old hooks from ${name}.`),
    ...kept.map(({ settings: { name } }) => `The old hooks in ${name} still run beside the gates.`),
    `The old files are kept in ${record.dir}. To go back: untildone import --undo`,
    ...(installed ? [] : ['The hooks of untildone itself are not installed yet: untildone install']),
  ];
}
