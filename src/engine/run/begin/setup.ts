/** Prepares a fresh worktree before anything is judged or spent there: what git ignores is missing in it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract } from '../../core/contract/contract.ts';
import { installCommands } from '../../core/contract/propose-room.ts';
import { oneLine } from '../../core/text/clip.ts';
import { sayDuration } from '../../core/text/duration.ts';
import { UsageError } from '../../core/text/errors.ts';
import { redact } from '../../core/text/redact.ts';
import { readSmall } from '../../files/whole-file.ts';
import type { ProjectPorts } from '../../hook/wiring/project-ports.ts';
import { folderFacts } from '../../project/facts/project-facts.ts';
import type { Interrupts } from './interrupts.ts';

const LONGEST_MS = 30 * 60_000;
const LINES_SHOWN = 12;
const LINE = 300;

interface Preparing {
  contract: Contract;
  /** The project's folder in the worktree. */
  folder: string;
  /** For the whole output. */
  outputDir: string;
  world: ProjectPorts;
  note(line: string): void;
  interrupts: Pick<Interrupts, 'atOnce'>;
}

/** Runs the commands of `run.setup`, or else of `setup`, one after the other. Throws with what to do when one fails. */
export async function prepareWorktree(preparing: Preparing): Promise<void> {
  const { contract, folder, world, note } = preparing;
  const commands = (contract.run?.setup ?? contract.room?.setup)?.run ?? [];
  if (commands.length === 0) {
    const hint = missingSetup(folder);
    if (hint !== undefined) note(hint);
    return;
  }
  const { shell } = await world.judges(contract);
  for (const [index, command] of commands.entries()) await runOne(command, index, shell, preparing);
}

type Shell = Awaited<ReturnType<ProjectPorts['judges']>>['shell'];

async function runOne(
  command: string,
  index: number,
  shell: Shell,
  { folder, outputDir, note, interrupts }: Preparing,
): Promise<void> {
  const shown = oneLine(redact(command), LINE);
  note(`Preparing ${folder}: ${shown}`);
  const outputFile = join(outputDir, `setup-${index + 1}.txt`);
  const { exitCode, endedBy, output, durationMs } = await shell.run({
    command,
    cwd: folder,
    outputFile,
    oneStream: true,
    timeoutMs: LONGEST_MS,
    signal: interrupts.atOnce,
  });
  for (const line of lastLinesOf(output)) note(`  ${line}`);
  if (exitCode === 0) {
    note(`Prepared in ${sayDuration(durationMs)}.`);
    return;
  }
  const how =
    exitCode === undefined ? `was ended (${endedBy ?? 'unknown'})` : `ended with exit code ${exitCode}`;
  throw new UsageError(
    `the worktree could not be prepared: "${shown}" ${how}, so nothing was begun and nothing spent; mend it, or change setup under run: in untildone.yaml. Its whole output: ${outputFile}`,
  );
}

function lastLinesOf(output: string): string[] {
  return redact(output)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-LINES_SHOWN)
    .map((line) => oneLine(line, LINE));
}

/** What to add to the contract, when a project with packages has none installed in its worktree. */
function missingSetup(folder: string): string | undefined {
  if (existsSync(join(folder, 'node_modules')) || !needsPackages(join(folder, 'package.json')))
    return undefined;
  const [install = 'npm install'] = installCommands(folderFacts(folder));
  return `The worktree has no node_modules, and package.json asks for packages: commands that need them fail there. To install them in every worktree, add to untildone.yaml: run: { setup: ${install} }`;
}

function needsPackages(file: string): boolean {
  try {
    const { dependencies, devDependencies } = JSON.parse(readSmall(file) ?? '{}') as Record<string, unknown>;
    return Object.keys({ ...Object(dependencies), ...Object(devDependencies) }).length > 0;
  } catch {
    return false;
  }
}
