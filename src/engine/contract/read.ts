import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CONTRACT_FILE, type Contract } from '../core/contract/contract.ts';
import { ContractError, UsageError } from '../core/text/errors.ts';
import { fieldsOf, isFields } from '../core/text/fields.ts';
import { sha256 } from '../files/digest.ts';
import { readSmall } from '../files/whole-file.ts';
import { type ContractText, type Finding, readText } from './document.ts';
import { contractSchema, reflection } from './grammar.ts';
import { findingsOf } from './problems.ts';
import { checkReferences } from './references.ts';

/** Reads `untildone.yaml` into a contract, or into everything that is wrong with it. */

interface ContractProblem {
  file: string;
  line: number;
  column: number;
  message: string;
  /** One line of YAML to copy. */
  example?: string;
}

type ParsedContract =
  | { ok: true; contract: Contract; warnings: ContractProblem[] }
  | { ok: false; problems: ContractProblem[] };

/** No more problems are reported: a hostile file could have a hundred thousand. */
const MOST_PROBLEMS = 50;

/** Reads the text of a contract. Never throws. `file` is only named in problems. */
export function parseContract(text: string, file: string): ParsedContract {
  const inFile = (findings: Finding[]): ContractProblem[] =>
    inOrder(findings).map((found) => ({ file, ...found }));
  const read = readText(text);
  if (!read.ok) return { ok: false, problems: inFile(read.findings) };
  const { contract, problems, warnings } = check(read.text);
  if (contract && problems.length === 0) return { ok: true, contract, warnings: inFile(warnings) };
  return { ok: false, problems: inFile(problems) };
}

function check(text: ContractText): { contract?: Contract; problems: Finding[]; warnings: Finding[] } {
  const { problems, ...references } = checkReferences(text);
  const warnings = [...references.warnings, ...droppedKeys(text)];
  const parsed = contractSchema.safeParse(withoutDropped(text.data));
  if (parsed.success) return { contract: parsed.data, problems, warnings };
  const issues = parsed.error.issues.slice(0, MOST_PROBLEMS);
  return { problems: [...findingsOf(issues, text), ...problems], warnings };
}

/** Earlier versions took anything here, without an effect. A contract that still has such a thing stays valid. */
function isUnusedReflection(data: unknown): boolean {
  return (
    isFields(data) && Object.hasOwn(data, 'reflection') && !reflection.safeParse(data.reflection).success
  );
}

function droppedKeys(text: ContractText): Finding[] {
  if (!isUnusedReflection(text.data)) return [];
  const message =
    '"reflection" has no effect as it stands here; write reflection: { enabled: true, min_turns: 5 }, or remove it';
  return [{ ...text.at(['reflection']), message }];
}

function withoutDropped(data: unknown): unknown {
  if (!isFields(data) || !isUnusedReflection(data)) return data;
  return Object.fromEntries(Object.entries(data).filter(([key]) => key !== 'reflection'));
}

/** The findings from top to bottom, each once. */
function inOrder(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings
    .filter(({ line, column, message }) => {
      const key = `${line}:${column}:${message}`;
      return !seen.has(key) && seen.add(key);
    })
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .slice(0, MOST_PROBLEMS);
}

/** `untildone.yaml:4:11: expected a time ..., found "soon", for example: timeout: 10m` */
export function renderProblem({ file, line, column, message, example }: ContractProblem): string {
  const copy = example === undefined ? '' : `, for example: ${example}`;
  return `${file}:${line}:${column}: ${message}${copy}`;
}

const MISSPELT = 'untildone.yml';

export interface ContractFile {
  contract: Contract;
  sha256: string;
  text: string;
  /** What is allowed but probably not meant. */
  warnings: string[];
}

/** The contract of a project; undefined when there is none. Throws all mistakes of a file together. */
export function readContract(project: string, file = CONTRACT_FILE): ContractFile | undefined {
  const text = readSmall(resolve(project, file), 1024 * 1024);
  if (text === undefined) {
    if (file === CONTRACT_FILE && existsSync(join(project, MISSPELT))) {
      throw new UsageError(`${MISSPELT} is not read: a contract is called ${CONTRACT_FILE}; rename it`);
    }
    return undefined;
  }
  return contractFileOf(text, file);
}

/** The contract of a text that is, or may become, the file of a project. Throws all its mistakes together. */
export function contractFileOf(text: string, file = CONTRACT_FILE): ContractFile {
  const parsed = parseContract(text, file);
  if (!parsed.ok) throw new ContractError(parsed.problems.map(renderProblem));
  return {
    contract: parsed.contract,
    sha256: sha256(text),
    text,
    warnings: parsed.warnings.map(renderProblem),
  };
}

/** Reads a contract from data with the keys of `untildone.yaml`. Its mistakes have no lines and columns. */
export function contractFrom(written: object): Pick<ContractFile, 'contract' | 'warnings'> {
  const parsed = parseContract(asText(written), 'contract');
  if (!parsed.ok) throw new ContractError(parsed.problems.map(withoutPlace));
  return { contract: parsed.contract, warnings: parsed.warnings.map(withoutPlace) };
}

/** The data as JSON, which is YAML, too. */
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

/** The line on which a contract names a gate, a chunk or a phase; the first line when it does not. */
export function lineIn(text: string, name: string): number {
  const read = readText(text);
  if (!read.ok) return 1;
  const parent = ['gates', 'chunks', 'phases'].find((key) =>
    Object.hasOwn(fieldsOf(fieldsOf(read.text.data)[key]), name),
  );
  return parent === undefined ? 1 : read.text.atKey([parent], name).line;
}
