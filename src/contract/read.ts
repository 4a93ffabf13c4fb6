/** `untildone.yaml`: from text to a contract, or to everything that is wrong with it. */
import type { Contract } from '../core/contract/contract.ts';
import { type ContractText, type Finding, readText } from './document.ts';
import { contractSchema } from './grammar.ts';
import { findingsOf } from './problems.ts';
import { checkReferences } from './references.ts';

export interface ContractProblem {
  file: string;
  line: number;
  column: number;
  message: string;
  /** One line of YAML to copy. */
  example?: string;
}

export type ParsedContract =
  | { ok: true; contract: Contract; warnings: ContractProblem[] }
  | { ok: false; problems: ContractProblem[] };

/** More than a person reads; a hostile file could have a hundred thousand. */
const MOST_PROBLEMS = 50;

/** Never throws. `file` is only named in problems. */
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

/** Keys that earlier versions read and that never had an effect: a contract that still has one stays valid. */
const DROPPED = ['reflection'];

function droppedKeys(text: ContractText): Finding[] {
  return DROPPED.filter((key) => isMap(text.data) && Object.hasOwn(text.data, key)).map((key) => ({
    ...text.at([key]),
    message: `"${key}" has no effect; remove it`,
  }));
}

function withoutDropped(data: unknown): unknown {
  if (!isMap(data)) return data;
  return Object.fromEntries(Object.entries(data).filter(([key]) => !DROPPED.includes(key)));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** From top to bottom, each once. */
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
