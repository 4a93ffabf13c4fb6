import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asFields, list, parseFields, text } from '../../../engine/client/fields.ts';
import { isSafeId } from '../../../engine/core/text/paths.ts';
import { jsonText } from '../../../engine/core/text/visible.ts';
import { readSmall, writeWhole } from '../../../engine/files/whole-file.ts';
import { lockPaths } from '../../../engine/formats/lock/lock-files.ts';
import { recordsOf } from '../../../engine/formats/lock/records.ts';
import { isLockProject } from '../../../engine/formats/lock/reflection-config.ts';
import { filesLock, type Home, projectFolder } from '../../../engine/home/layout.ts';
import { applyChanges, foreignFiles } from '../../../engine/project/files.ts';
import { traceOf } from './analyse.ts';
import { findingJson, metricsJson, traceJson } from './json.ts';
import { type Report, reportOf, type SessionReport } from './report.ts';

/** What is kept of a reflection, as document 004 lays it out: `reflection_summary.json`. */

export const SUMMARY_FILE = 'reflection_summary.json';

/** An issue that was filed, or brought up to date. */
export interface FiledIssue {
  number: number;
  url: string;
  title: string;
  fingerprint: string;
  /** An open one was there, and was brought up to date. */
  updated: boolean;
}

export function summaryJson(report: Report, session: string, issues: readonly FiledIssue[]) {
  return {
    session_id: session,
    timestamp: new Date(report.at).toISOString(),
    scope: report.scope.kind,
    sessions: report.sessions.map((one) => one.session),
    metrics: metricsJson(report.metrics),
    claude_trace: traceJson(report.trace),
    patterns: report.findings.map(findingJson),
    suggestions: report.suggestions,
    issues_created: issues,
  };
}

export interface SummaryPlace {
  home: Home;
  /** The folder that the session was started in; empty: it is not known. */
  project: string;
  now: number;
  /** The folder of the loop that the report is about. */
  loopDir?: string;
  /** The sessions whose summaries belong into the project. Absent: all of the report. */
  isMeant?(session: SessionReport): boolean;
}

/** Where the home keeps the summary of a loop, or else of a session. */
export function homeSummary({ home, project, loopDir }: SummaryPlace, session: string): string {
  return loopDir === undefined
    ? join(projectFolder(home, project), 'reflections', `${session}.json`)
    : join(loopDir, SUMMARY_FILE);
}

/** Whether a summary is about this session, and was begun after that time. */
export function isAbout(path: string, session: string, after: number): boolean {
  try {
    const summary = parseFields(readSmall(path) ?? '') ?? {};
    const { sessions } = summary;
    const isNamed = Array.isArray(sessions) && sessions.includes(session);
    return isNamed && Date.parse(text(summary, 'timestamp') ?? '') > after;
  } catch {
    return false;
  }
}

/**
 * Saves the summary in the places where it belongs, and returns them, or why it could not be saved. Issues that an earlier
 * summary names stay in it. The home comes last: whoever finds a summary there knows that all is written.
 */
export function saveSummary(
  report: Report,
  place: SummaryPlace,
  issues: readonly FiledIssue[] = [],
): { saved: string[]; problems: string[] } {
  const { home, project, now, isMeant = () => true } = place;
  const inHome = isKeptInHome(report, place);
  const saved: string[] = [];
  const problems: string[] = [];
  const attempt = (path: string, write: () => string | undefined) => {
    try {
      const problem = write();
      if (problem === undefined) saved.push(path);
      else problems.push(problem);
    } catch (error) {
      problems.push(`${path} cannot be written: ${(error as Error).message}`);
    }
  };
  const render = (path: string, of: Report) =>
    `${jsonText(summaryJson(of, of.sessions[0]?.session ?? '', withEarlier(path, issues)), 2)}\n`;
  if (project !== '' && isLockProject(project, existsSync))
    for (const one of report.sessions.filter((each) => isSafeId(each.session) && isMeant(each))) {
      const { session } = one;
      const path = `${lockPaths(project).runtime}/logs/${session}/${SUMMARY_FILE}`;
      attempt(path, () =>
        saveInRuntime(project, session, render(path, ofSession(report, one, project)), home, now),
      );
    }
  if (inHome) {
    const path = homeSummary(place, report.scope.id);
    attempt(path, () => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeWhole(path, render(path, report));
      return undefined;
    });
  }
  return { saved, problems };
}

/** Loops and sessions that are known by an id. A home is not made for it. */
function isKeptInHome({ scope }: Report, { home, project, loopDir }: SummaryPlace): boolean {
  if (loopDir !== undefined) return true;
  return scope.kind === 'session' && isSafeId(scope.id) && project !== '' && existsSync(home.root);
}

/** Of a report about several sessions, what it says of one. */
function ofSession(report: Report, session: SessionReport, project: string): Report {
  if (report.sessions.length === 1) return report;
  return reportOf({
    scope: { kind: 'session', id: session.session },
    at: report.at,
    sessions: [session],
    trace: traceOf(project, [session]),
  });
}

/** Writes only where `.claude/runtime` really lies, never through a link in it. */
function saveInRuntime(
  project: string,
  session: string,
  text: string,
  home: Home,
  now: number,
): string | undefined {
  const { runtime } = lockPaths(project);
  mkdirSync(runtime, { recursive: true });
  mkdirSync(dirname(filesLock(home)), { recursive: true, mode: 0o700 });
  const changes = recordsOf(project, session, now, foreignFiles).keep(SUMMARY_FILE, text);
  if (changes.length === 0) return `${runtime}/logs/${session} leads out of ${runtime}, or is no folder`;
  return applyChanges(changes, filesLock(home), [runtime])[0];
}

/** The issues of an earlier summary and the new ones, each once. */
function withEarlier(path: string, issues: readonly FiledIssue[]): FiledIssue[] {
  let earlier: FiledIssue[] = [];
  try {
    earlier = list(parseFields(readSmall(path) ?? '') ?? {}, 'issues_created').flatMap(issueOf);
  } catch {
    // A summary that cannot be read names no issues.
  }
  const again = new Set(issues.map(({ number }) => number));
  return [...earlier.filter(({ number }) => !again.has(number)), ...issues];
}

function issueOf(value: unknown): FiledIssue[] {
  const fields = asFields(value) ?? {};
  const url = text(fields, 'url');
  if (typeof fields.number !== 'number' || url === undefined) return [];
  return [
    {
      number: fields.number,
      url,
      title: text(fields, 'title') ?? '',
      fingerprint: text(fields, 'fingerprint') ?? '',
      updated: fields.updated === true,
    },
  ];
}
