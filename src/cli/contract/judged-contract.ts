import { isAbsolute } from 'node:path';
import {
  type ContractFile,
  contractFileOf,
  contractFrom as contractOf,
  readContract,
} from '../../engine/contract/read.ts';
import { CONTRACT_FILE } from '../../engine/core/contract/contract.ts';
import type { ChangedText, ReportedContract } from '../../engine/core/report/report.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { insideProject } from '../../engine/core/text/paths.ts';
import { redact } from '../../engine/core/text/redact.ts';
import { readSmall } from '../../engine/files/whole-file.ts';
import type { Judges } from '../../engine/gates/gate.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { freeze } from '../../engine/judging/freeze-contract.ts';
import { resolveParts } from '../../engine/project/facts/command-parts.ts';
import { renderDiff } from '../../engine/terminal/line-diff.ts';
import { givenCommit } from './verify-base.ts';

/** Which contract `untildone verify` judges by: that of the project, or that of a commit which the work cannot change. */

export interface JudgedContract {
  file: ContractFile;
  reported: ReportedContract;
}

/** A contract for which everything is loaded: git is asked before there is another. */
export const MEASURING = contractOf({ gates: { something: { run: 'true' } } }).contract;

interface ContractChoice {
  contract?: string;
  contractFrom?: string;
}

/** Reads the contract. Throws when there is none, or when it has mistakes. */
export async function contractToJudgeBy(
  { contract: name = CONTRACT_FILE, contractFrom }: ContractChoice,
  { project, judges: judgesFor }: Pick<ProjectPorts, 'project' | 'judges'>,
): Promise<JudgedContract> {
  if (contractFrom === undefined) return { file: own(project, name), reported: { file: name, changed: [] } };
  const path = isAbsolute(name) ? undefined : insideProject(name);
  if (path === undefined)
    throw new UsageError(
      `--contract-from reads a file of the repository, and ${name} is not inside of the project`,
    );
  const workspace = (await judgesFor(MEASURING)).workspace(project);
  const commit = await givenCommit(workspace, contractFrom);
  const from = { name: contractFrom, commit };
  const shown = await workspace.git(['cat-file', 'blob', `${commit}:./${path}`]);
  if (shown.exitCode !== 0)
    return { file: own(project, name), reported: { file: name, from, isMissingThere: true, changed: [] } };
  const file = contractFileOf(shown.stdout, name);
  const compared = await changesSince(commit, file, project, await judgesFor(file.contract));
  const now = readSmall(`${project}/${path}`, 1024 * 1024);
  const text = now === file.text ? [] : [changedText(name, file.text, now)];
  return { file, reported: { file: name, from, ...compared, changed: [...text, ...compared.changed] } };
}

function own(project: string, name: string): ContractFile {
  const file = readContract(project, name);
  if (file) return file;
  throw new UsageError(`there is no ${name} in ${project}; make one with: untildone init`);
}

/** What the commands of a contract run now and ran at a commit: scripts, make targets, check scripts. */
async function changesSince(
  commit: string,
  { contract }: ContractFile,
  project: string,
  judges: Judges,
): Promise<Pick<ReportedContract, 'changed' | 'unknown'>> {
  const { commands } = await freeze(contract, project, judges);
  const partsIn = (folder: string): Record<string, string> =>
    Object.assign(
      {},
      ...Object.entries(commands).map(([gate, lines]) =>
        resolveParts(folder, lines, { work: contract.gates[gate]?.work }),
      ),
    );
  try {
    const workspace = judges.workspace(project);
    const { stdout } = await workspace.git(['rev-parse', '--verify', `${commit}:./`]);
    // Copies are made from where trees are kept, which this begins.
    await workspace.tree();
    const copy = await judges.scratch(project).checkout(stdout.trim());
    try {
      return { changed: differing(partsIn(copy.dir), partsIn(project)) };
    } finally {
      await copy.dispose();
    }
  } catch (error) {
    const why = (error as Error).message;
    return { changed: [], unknown: `whether what the contract runs is changed here is not known (${why})` };
  }
}

function differing(then: Record<string, string>, now: Record<string, string>): ChangedText[] {
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  return names
    .filter((name) => then[name] !== now[name])
    .map((name) => changedText(name, then[name], now[name]));
}

function changedText(name: string, then: string | undefined, now: string | undefined): ChangedText {
  const shown = (text: string | undefined) => (text === undefined ? undefined : redact(text));
  return { name, diff: renderDiff(shown(then), shown(now)) };
}
