/** Imports the stages of command files as phases of a contract. The files themselves stay as they are. */

import { readdirSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { readSettings, replaceSettings } from '../../engine/client/settings/files.ts';
import { addToContract, writtenGates, writtenPhases } from '../../engine/contract/edit.ts';
import { parseContract, readContract, renderProblem } from '../../engine/contract/read.ts';
import { CONTRACT_FILE } from '../../engine/core/contract/contract.ts';
import type { SettingsFile } from '../../engine/core/contract/installation.ts';
import { proposeContract } from '../../engine/core/contract/propose.ts';
import {
  type CommandImport,
  importCommands,
  type StageFate,
} from '../../engine/core/import/command-phases.ts';
import { asksSomebody, type CommandFile, stagesOf } from '../../engine/core/import/command-stages.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { ContractError, UsageError } from '../../engine/core/text/errors.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { readSmall } from '../../engine/files/whole-file.ts';
import { ImportRecord } from '../../engine/home/records/import-record.ts';
import type { World } from '../../engine/hook/wiring/world.ts';
import { machineOf } from '../../engine/project/facts/machine.ts';
import { projectFacts } from '../../engine/project/facts/project-facts.ts';
import {
  diffLines,
  endBeforeWriting,
  type ImportIo,
  type ImportOptions,
  type ImportResult,
} from './report.ts';

const LARGEST = 1024 * 1024;

export async function importCommand(
  options: ImportOptions,
  world: World,
  io: ImportIo,
): Promise<ImportResult> {
  const { out } = io;
  const { plan, file, text } = planCommands(readFiles(options.files ?? [], world.project), world);
  for (const note of plan.notes) out(`Note: ${oneLine(note, LINE)}`);
  for (const line of plan.fates.flatMap(fateLines)) out(line);
  if (file.text === text || Object.keys(plan.phases).length === 0) {
    const isThere = plan.fates.some(({ becomes }) => becomes.length > 0);
    out(isThere ? `${CONTRACT_FILE} had all of it already.` : 'Nothing of this can be imported.');
    return { exitCode: EXIT.ok };
  }
  for (const line of diffLines(file.path, file.text, text)) out(line);
  const ended = await endBeforeWriting(options, `Write this to ${CONTRACT_FILE}?`, io);
  if (ended) return ended;
  const record = ImportRecord.begin(world.home, world.project, 'command', world.clock.now());
  record.keep(file.path, text);
  replaceSettings(file, text);
  out(`Wrote ${CONTRACT_FILE}. The command files are as they were.`);
  out(`What was there before is kept in ${record.dir}. To go back: untildone import --undo`);
  return { exitCode: EXIT.ok, contractWritten: true };
}

const COMMAND_FOLDERS = ['.claude/commands', 'commands'];

/** Finds the command files at the usual places that ask you something. Skips files that cannot be read. */
export function askingFiles(project: string): string[] {
  const names = COMMAND_FOLDERS.flatMap((folder) => markdownIn(project, folder));
  return names.filter((name) => {
    try {
      const text = readSmall(join(project, name), LARGEST) ?? '';
      return stagesOf({ name, text }).stages.some(asksSomebody);
    } catch {
      return false;
    }
  });
}

function markdownIn(project: string, folder: string): string[] {
  try {
    const names = readdirSync(join(project, folder)).filter((name) => name.endsWith('.md'));
    return names.sort().map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

interface CommandPlan {
  plan: CommandImport;
  file: SettingsFile;
  text: string;
}

/** Plans the import. Throws, before anything is written, when the result would not be a valid contract. */
function planCommands(files: readonly CommandFile[], { project }: World): CommandPlan {
  // Throws with every mistake of the contract.
  const known = readContract(project);
  const file = readSettings(join(project, CONTRACT_FILE));
  const before = file.text ?? proposeContract(projectFacts(project, machineOf(process.env, project)));
  const contract = known?.contract ?? contractFileOf(before);
  if (contract.preset) {
    throw new UsageError(
      `${CONTRACT_FILE} has the preset ${contract.preset.name}, which brings its own phases: take it out first`,
    );
  }
  const gates = Object.keys(writtenGates(before));
  const plan = importCommands(files, {
    phases: writtenPhases(before),
    gates,
    done: contract.done.filter((name) => gates.includes(name)),
  });
  if (Object.keys(plan.phases).length === 0) return { plan, file, text: file.text ?? '' };
  const text = addToContract(before, { gates: {}, everyStop: [], subagent: {}, phases: plan.phases });
  contractFileOf(text);
  return { plan, file, text };
}

function contractFileOf(text: string) {
  const parsed = parseContract(text, CONTRACT_FILE);
  if (!parsed.ok) throw new ContractError(parsed.problems.map(renderProblem));
  return parsed.contract;
}

function readFiles(paths: readonly string[], project: string): CommandFile[] {
  if (paths.length === 0)
    throw new UsageError('name the files: untildone import --from command commands/*.md');
  const places = [...new Set(paths.map((path) => resolve(path)))];
  return places.map((place) => ({ name: nameOf(place, project), text: textIn(place) }));
}

function textIn(place: string): string {
  let text: string | undefined;
  try {
    text = readSmall(place, LARGEST);
  } catch (error) {
    throw new UsageError(`${place} cannot be read (${(error as Error).message}); name Markdown files`);
  }
  if (text === undefined) throw new UsageError(`${place} does not exist`);
  return text;
}

/** Names a file as the agent finds it: relative to the project when it is inside. */
function nameOf(place: string, project: string): string {
  const inside = relative(project, place);
  return inside.startsWith('..') || isAbsolute(inside) ? place : inside;
}

const LINE = 200;

function fateLines({ stage, becomes, notes }: StageFate): string[] {
  const names = becomes.map((name) => `"${name}"`).join(' and ');
  const [first, ...rest] = notes;
  const fate =
    becomes.length === 0 ? `stays: ${first ?? ''}` : `${becomes.length === 1 ? 'phase' : 'phases'} ${names}`;
  return [
    `  ${oneLine(`${stage.file}:${stage.line}: ${stage.title}`, LINE)}`,
    `    -> ${fate}`,
    ...(becomes.length === 0 ? rest : notes).map((note) => `       ${oneLine(note, LINE)}`),
  ];
}
