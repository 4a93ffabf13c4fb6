import { JournalScan } from '../../../engine/home/journal/scan.ts';
import { type Finding, ranked } from './finding.ts';
import { journalFindings } from './journal-findings.ts';
import { JournalTally } from './journal-tally.ts';
import type { LoopReport } from './report.ts';

/** What the journal of a loop shows. Lines whose seal is wrong count for nothing, and are said. */
export async function analyseLoop(loop: string, journalFile: string, key: string): Promise<LoopReport> {
  const tally = new JournalTally();
  const problems: string[] = [];
  let number = 0;
  for await (const scanned of new JournalScan(journalFile, key).next()) {
    number++;
    if (!scanned.ok) {
      problems.push(`${journalFile}:${scanned.number}: ${scanned.problem}`);
      continue;
    }
    const at = Date.parse(scanned.line.at);
    try {
      tally.see(scanned.line.entry, at, { file: journalFile, line: number, at });
    } catch (error) {
      problems.push(`${journalFile}:${number}: ${(error as Error).message}`);
    }
  }
  const { state } = tally;
  const findings: Finding[] = ranked(journalFindings(tally, loop));
  return {
    loop,
    status: state?.status ?? 'unreadable',
    iterations: state?.iteration ?? 0,
    stops: tally.stops,
    held: tally.held,
    startedAt: state?.startedAt ?? 0,
    sessions: [...tally.sessions],
    gates: [...tally.gates].map(([name, figures]) => ({ name, ...figures })),
    spent: { tokens: state?.spent.tokens ?? 0, costUsd: state?.spent.costUsd ?? 0 },
    findings,
    problems: problems.slice(0, MOST_PROBLEMS),
  };
}

const MOST_PROBLEMS = 10;
