import { readTranscript } from '../reading/read-transcript.ts';
import { type Finding, ranked } from './finding.ts';
import { metricsOf, type Reading, type Report, reportOf, type SessionReport } from './report.ts';
import { SessionTally, type TallyOptions } from './tally.ts';
import { traceFindings } from './trace.ts';
import { readTraces, type TraceReading } from './trace-files.ts';
import { findingsOf } from './transcript-findings.ts';

export interface TranscriptFiles {
  transcript?: string;
  /** The transcripts of its subagents. */
  subagents?: readonly string[];
  /** Absent: as the transcript says. */
  session?: string;
}

/** Reads the transcripts of one session, of any size, and says what they show. A file that cannot be read is a problem. */
export function analyseSession(
  files: TranscriptFiles,
  options: TallyOptions = {},
  progress?: (bytes: number) => void,
): SessionReport {
  const tally = new SessionTally(options);
  const reading: Reading = { files: 0, bytes: 0, lines: 0, badLines: 0, problems: [] };
  const paths = [...(files.transcript === undefined ? [] : [files.transcript]), ...(files.subagents ?? [])];
  for (const path of paths) {
    tally.beginFile();
    const counts = readTranscript(path, (record) => tally.see(record, path), progress);
    reading.files++;
    reading.bytes += counts.bytes;
    reading.lines += counts.lines;
    reading.badLines += counts.badLines;
    if (counts.problem !== undefined) reading.problems.push(`${path}: ${counts.problem}`);
  }
  tally.end();
  const file = paths[0] ?? '';
  const session = files.session ?? tally.session ?? nameOf(file);
  return {
    session,
    file,
    cwd: tally.cwd,
    metrics: metricsOf(tally.activity),
    findings: ranked(findingsOf(tally, session)),
    reading,
  };
}

export interface SessionOptions extends TallyOptions {
  /** The folder whose `.claude-trace` is read, too. */
  project?: string;
  now: number;
}

/** The report about one session: what the end of a session, and `reflect SESSION`, call. */
export function analyse(files: TranscriptFiles, { project, now, ...options }: SessionOptions): Report {
  const session = analyseSession(files, options);
  return reportOf({
    scope: { kind: 'session', id: session.session },
    at: now,
    sessions: [session],
    trace: project === undefined ? undefined : traceOf(project, [session]),
  });
}

/** A request may begin before its prompt is written, and end after the last line. */
const AROUND_MS = 60_000;

/** What claude-trace logged in the project while these sessions ran. */
export function traceOf(project: string, sessions: readonly SessionReport[]) {
  const starts = sessions.flatMap(({ metrics }) => metrics.startedAt ?? []);
  const ends = sessions.flatMap(({ metrics }) => metrics.endedAt ?? []);
  if (starts.length === 0) return undefined;
  return traceParts(readTraces(project, Math.min(...starts) - AROUND_MS, Math.max(...ends) + AROUND_MS));
}

export function traceParts({ figures, problems }: TraceReading) {
  const findings: Finding[] = traceFindings(figures);
  return { figures, findings, problems };
}

/** The name of a file without its folder and ending: that of a transcript is its session. */
function nameOf(path: string): string {
  return path.replace(/^.*[/\\]/, '').replace(/\.jsonl$/, '');
}
