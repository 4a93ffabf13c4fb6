import { appendFileSync, lstatSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { lineIn } from '../../engine/contract/read.ts';
import { CONTRACT_FILE } from '../../engine/core/contract/contract.ts';
import type { Verdict } from '../../engine/core/loop/verdict.ts';
import { type Finding, findingsOf, type Where } from '../../engine/core/report/findings.ts';
import { annotation, logLine, notice } from '../../engine/core/report/github.ts';
import { placeIn } from '../../engine/core/report/places.ts';
import { contractNotes, type Report, type ReportedContract } from '../../engine/core/report/report.ts';
import { sarifOf } from '../../engine/core/report/sarif.ts';
import { summaryText } from '../../engine/core/report/summary.ts';
import { ContractError } from '../../engine/core/text/errors.ts';
import { jsonLines, jsonText } from '../../engine/core/text/visible.ts';
import { readSmall, writeWhole } from '../../engine/files/whole-file.ts';
import { VERSION } from '../../engine/home/program.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import type { NotJudged, Verification } from '../../engine/judging/verify.ts';
import { paint, type Style, VERDICT_STYLES } from '../../engine/terminal/style.ts';
import { refuseUnwritable } from './attest.ts';
import { MEASURING } from './judged-contract.ts';

/** How `untildone verify` tells what it found: to people, to programs and to GitHub. */

export interface ReportOptions {
  format: 'text' | 'json' | 'github';
  /** A file to which a summary in Markdown is added. */
  summary?: string;
  /** Where a SARIF file goes. */
  sarif?: string;
  contract?: string;
}

interface Judged extends Verification {
  result: string;
  words: string;
  exitCode: number;
  contract: ReportedContract;
}

export interface Reports {
  judged(found: Judged): Promise<void>;
  /** Nothing was judged. People are told by the error itself. */
  couldNotJudge(error: Error): Promise<void>;
}

type Out = (line: string) => void;

/** Refuses before anything is judged what could not be written anyway. */
export function prepareReports(options: ReportOptions, world: ProjectPorts, out: Out): Reports {
  const { summary, sarif, contract: name = CONTRACT_FILE } = options;
  for (const path of [summary, sarif]) if (path !== undefined) refuseUnwritable(path);
  // What an earlier call wrote must not pass for the result of this one.
  if (sarif !== undefined) rmSync(sarif, { force: true });
  const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const wasLink = summary !== undefined && isLink(summary);
  const write = (report: Report) => {
    if (summary !== undefined) {
      // A gate may have put a link there, which leads to a file of yours.
      if (!wasLink && isLink(summary)) rmSync(summary);
      appendFileSync(summary, summaryText(report));
    }
    if (sarif !== undefined) writeWhole(sarif, `${jsonText(sarifOf(report, VERSION), 2)}\n`, 0o644);
  };
  let isTold = false;
  return {
    async judged(found) {
      isTold = true;
      const where = await whereOf(name, world);
      const report: Report = { ...found, findings: findingsOf(found.verdicts, where) };
      for (const line of linesOf(report, found, options.format)) out(line);
      write(report);
    },
    async couldNotJudge(error) {
      if (isTold) return;
      const findings = problemsOf(error, name, await whereOf(name, world).catch(() => undefined));
      if (options.format === 'github') for (const finding of findings) out(annotation(finding));
      const words = `could not be judged: ${error.message}`;
      const contract = { file: name, changed: [] };
      write({ exitCode: 2, words, verdicts: [], notJudged: [], findings, contract });
    },
  };
}

async function whereOf(name: string, { project, judges }: ProjectPorts): Promise<Where> {
  const { workspace } = await judges(MEASURING);
  const { exitCode, stdout } = await workspace(project).git(['rev-parse', '--show-prefix']);
  const prefix = exitCode === 0 ? stdout.replace(/\n$/, '') : '';
  const text = readSmall(join(project, name), 1024 * 1024) ?? '';
  return {
    project,
    prefix,
    isFile: (path) => statSync(join(project, path), { throwIfNoEntry: false })?.isFile() ?? false,
    contract: { path: `${prefix}${name}`, lineOf: (gate) => lineIn(text, gate) },
  };
}

/** The mistakes of a contract at their places, and everything else at its beginning. */
function problemsOf(error: Error, name: string, where: Where | undefined): Finding[] {
  const path = where?.contract.path ?? name;
  const about = { gate: 'untildone', kind: 'contract', level: 'error', path, isGate: true } as const;
  if (!(error instanceof ContractError)) return [{ ...about, line: 1, text: error.message }];
  return error.problems.map((problem) => {
    const { line = 1, column, text = problem } = placeIn(problem) ?? {};
    return { ...about, line, column, text };
  });
}

function linesOf(report: Report, found: Judged, format: ReportOptions['format']): string[] {
  const { result, words, verdicts, notJudged, contract } = found;
  const notes = contractNotes(contract);
  switch (format) {
    case 'json':
      return jsonLines({
        result,
        summary: words,
        ...(contract.from ? { contract: contractJson(contract) } : {}),
        not_judged: notJudged satisfies NotJudged[],
        verdicts: verdicts.map(namedAlike),
      });
    case 'github':
      return [
        ...report.findings.map(annotation),
        ...verdicts.filter(({ outcome }) => outcome === 'pass' || outcome === 'skip').map(logOf),
        ...notes.map((note) => notice('warning', note)),
        ...(result === 'skipped' ? [notice('warning', words)] : []),
        logLine(`untildone: ${words}`),
      ];
    case 'text':
      return [
        ...verdicts.flatMap((v) => textOf(v, '')),
        ...notes.map((note) => `note     ${note}`),
        `untildone: ${paint(RESULT_STYLES[result] ?? 'open', words)}`,
      ];
  }
}

/** Only what was measured looks like success. */
const RESULT_STYLES: Record<string, Style> = { verified: 'good', failing: 'bad' };

function contractJson({ file, from, isMissingThere = false, changed }: ReportedContract): object {
  return { file, from: from?.name, commit: from?.commit, missing: isMissingThere, changed };
}

/** Names a gate and its verdict as all JSON of untildone does, beside `gate` and `outcome`. */
function namedAlike(verdict: Verdict): Record<string, unknown> {
  const { gate: name, outcome, children } = verdict;
  return { name, verdict: outcome, ...verdict, ...(children && { children: children.map(namedAlike) }) };
}

function textOf(verdict: Verdict, indent: string): string[] {
  const what = verdict.reusedFrom === undefined ? 'nothing changed' : 'none of its inputs changed';
  const again = verdict.reused ? ` [as before: ${what}]` : '';
  const lines = [
    `${indent}${paint(VERDICT_STYLES[verdict.outcome], verdict.outcome.padEnd(8))} ${verdict.gate} (${verdict.class}) ${verdict.summary}${paint('quiet', again)}`,
  ];
  if (verdict.outcome !== 'pass')
    lines.push(...(verdict.evidence ?? []).map((e) => `${indent}           ${e}`));
  return [...lines, ...(verdict.children ?? []).flatMap((child) => textOf(child, `${indent}  `))];
}

function logOf({ outcome, gate, summary }: Verdict): string {
  return logLine(`${outcome}: ${gate}: ${summary}`);
}
