import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CONTRACT_FILE, type Contract } from '../core/contract/contract.ts';
import { ContractError, UsageError } from '../core/text/errors.ts';
import { sha256 } from '../files/digest.ts';
import { readSmall } from '../files/whole-file.ts';
import { type ContractProblem, parseContract, renderProblem } from './read.ts';

const MISSPELT = 'untildone.yml';

export interface ContractFile {
  contract: Contract;
  sha256: string;
  text: string;
  /** What is not wrong but probably not meant. */
  warnings: string[];
}

/** The contract of a project; undefined when there is none. A file with mistakes is refused with all of them. */
export function readContract(project: string, file = CONTRACT_FILE): ContractFile | undefined {
  const text = readSmall(resolve(project, file), 1024 * 1024);
  if (text === undefined) {
    if (file === CONTRACT_FILE && existsSync(join(project, MISSPELT))) {
      throw new UsageError(`${MISSPELT} is not read: a contract is called ${CONTRACT_FILE}; rename it`);
    }
    return undefined;
  }
  const parsed = parseContract(text, file);
  if (!parsed.ok) throw new ContractError(parsed.problems.map(renderProblem));
  return {
    contract: parsed.contract,
    sha256: sha256(text),
    text,
    warnings: parsed.warnings.map(renderProblem),
  };
}

/** A contract that a program wrote, in the words of `untildone.yaml`: its mistakes are told without lines and columns. */
export function contractFrom(written: object): Pick<ContractFile, 'contract' | 'warnings'> {
  const parsed = parseContract(asText(written), 'contract');
  if (!parsed.ok) throw new ContractError(parsed.problems.map(withoutPlace));
  return { contract: parsed.contract, warnings: parsed.warnings.map(withoutPlace) };
}

/** What is JSON is YAML, too. */
function asText(written: object): string {
  try {
    return JSON.stringify(written);
  } catch (error) {
    throw new ContractError([
      `contract: expected plain data, found what JSON cannot hold (${(error as Error).message})`,
    ]);
  }
}

function withoutPlace(problem: ContractProblem): string {
  return renderProblem(problem).replace(`:${problem.line}:${problem.column}:`, ':');
}
