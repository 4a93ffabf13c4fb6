/** Imports the stages of command files as phases of a contract. The files themselves stay as they are. */

import { readdirSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { readSettings } from '../../engine/client/settings/files.ts';
import { addToContract, writtenGates, writtenPhases } from '../../engine/contract/edit.ts';
import { parseContract, readContract, renderProblem } from '../../engine/contract/read.ts';
import { CONTRACT_FILE } from '../../engine/core/contract/contract.ts';
import type { SettingsFile } from '../../engine/core/contract/installation.ts';
import { proposeContract } from '../../engine/core/contract/propose.ts';
import type { CommandFile } from '../../engine/core/import/command-lines.ts';
import { asksYou, type CommandImport, importCommands } from '../../engine/core/import/command-phases.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { ContractError, UsageError } from '../../engine/core/text/errors.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { readSmall } from '../../engine/files/whole-file.ts';
import { ImportRecord } from '../../engine/home/records/import-record.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { machineOf } from '../../engine/project/facts/machine.ts';
import { projectFacts } from '../../engine/project/facts/project-facts.ts';
import {
  diffLines,
  endBeforeWriting,
  type ImportIo,
  type ImportOptions,
  type ImportResult,
  write,
} from './report.ts';

const LARGEST = 1024 * 1024;
const LINE = 200;

export async function importCommand(
  options: ImportOptions,
  world: ProjectPorts,
  io: ImportIo,
): Promise<ImportResult> {
  const { out } = io;
  const { plan, file, text } = planCommands(readFiles(options.files ?? [], world.project), world);
  for (const note of plan.notes) out(`Note: ${oneLine(note, LINE)}`);
  for (const { name, stages, notes } of plan.planned) {
    for (const { file: from, line, title } of stages) out(`  ${oneLine(`${from}:${line}: ${title}`, LINE)}`);
    out(`    -> phase "${name}"`);
    for (const note of notes) out(`       ${oneLine(note, LINE)}`);
  }
  if (file.text === text || Object.keys(plan.phases).length === 0) {
    const isThere = plan.planned.length > 0;
    out(isThere ? `${CONTRACT_FILE} has phases of these names already.` : 'Nothing of this can be imported.');
    return { exitCode: EXIT.ok };
  }
  for (const line of diffLines(file.path, file.text, text)) out(line);
  const ended = await endBeforeWriting(options, `Write this to ${CONTRACT_FILE}?`, io);
  if (ended) return ended;
  const record = ImportRecord.begin(world.home, world.project, 'command', world.clock.now());
  write(file, text, record);
  out(`Wrote ${CONTRACT_FILE}. The command files are as they were.`);
  out(`What was there before is kept in ${record.dir}. To go back: untildone import --undo`);
  return { exitCode: EXIT.ok, contractWritten: true };
}

/** Finds the command files at the usual places that ask you something. Skips files that cannot be read. */
export function askingFiles(project: string): string[] {
  return ['.claude/commands', 'commands'].flatMap((folder) => {
    try {
      const names = readdirSync(join(project, folder)).filter((name) => name.endsWith('.md'));
      return names
        .sort()
        .flatMap((name) => (asksIn(project, `${folder}/${name}`) ? [`${folder}/${name}`] : []));
    } catch {
      return [];
    }
  });
}

function asksIn(project: string, name: string): boolean {
  try {
    return asksYou({ name, text: readSmall(join(project, name), LARGEST) ?? '' });
  } catch {
    return false;
  }
}

interface CommandPlan {
  plan: CommandImport;
  file: SettingsFile;
  text: string;
}

/** Plans the import. Throws, before anything is written, when the result would not be a valid contract. */
function planCommands(files: readonly CommandFile[], { project }: ProjectPorts): CommandPlan {
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
  return [...new Set(paths.map((path) => resolve(path)))].map((place) => {
    const inside = relative(project, place);
    // As the agent finds it.
    const name = inside.startsWith('..') || isAbsolute(inside) ? place : inside;
    return { name, text: textIn(place) };
  });
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
