/** `untildone audit`: how often did "done" have a passing check behind it? */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { CheckKind } from '../../../engine/core/commands/check-names.ts';
import { commandGates } from '../../../engine/core/contract/propose-gates.ts';
import { jsonLines } from '../../../engine/core/text/visible.ts';
import { EXIT } from '../../../engine/core/words/exit-codes.ts';
import { userHome } from '../../../engine/files/system.ts';
import { realPath } from '../../../engine/home/layout.ts';
import { projectFacts } from '../../../engine/project/facts/project-facts.ts';
import type { Printer } from '../printer.ts';
import { type FoundSessions, findSessions, projectsFolder, type SessionFiles } from '../reading/files.ts';
import { readingProgress } from '../reading/progress.ts';
import { shareOut } from '../reading/share-out.ts';
import { type AuditOptions, auditSession, type SessionAudit } from './audit-session.ts';
import type { FromAuditThread, WholeAudit } from './audit-thread.ts';
import { evidenceLines } from './evidence.ts';
import { writePage } from './html-page.ts';
import { auditJson, evidenceJson } from './json.ts';
import { type AuditScope, sayDays } from './scope-words.ts';
import { AuditCollector, type AuditSummary } from './summary.ts';
import { pageLines } from './terminal-page.ts';
import type { TurnClass } from './turn.ts';

export interface AuditRequest {
  /** How far back, in milliseconds; undefined: everything. */
  sinceMs?: number;
  project?: string;
  json: boolean;
  html?: string;
  /** Put names, prompts and commands into what can be shared. */
  evidence: boolean;
  show?: TurnClass | 'all';
  limit: number;
}

export interface AuditPlace {
  env: NodeJS.ProcessEnv;
  cwd: string;
  now: number;
  /** Columns of the terminal. */
  columns: number;
}

/** Returns the exit code. */
export async function audit(request: AuditRequest, place: AuditPlace, printer: Printer): Promise<number> {
  const found = await gather(request, place, (sessions) =>
    readingProgress(bytesOf(sessions), `${sessions.length} sessions`, process.stderr, printer.paint),
  );
  if ('problem' in found) return sayNothing(found.problem, request, printer);
  show(request, found.summary, found.scope, place, printer);
  return EXIT.ok;
}

/** The figures of an audit without names, as `--json` prints them; or why there are none. */
export async function auditCounts(
  { sinceMs, project }: Pick<AuditRequest, 'sinceMs' | 'project'>,
  place: Omit<AuditPlace, 'columns'>,
  progress: (read: number, all: number) => void,
): Promise<{ problem: string } | { counts: Record<string, unknown> }> {
  const found = await gather({ sinceMs, project }, place, (sessions) => {
    const all = bytesOf(sessions);
    let read = 0;
    return {
      add(bytes) {
        read += bytes;
        progress(read, all);
      },
      end: () => {},
    };
  });
  return 'problem' in found ? found : { counts: auditJson(found.summary, found.scope, false) };
}

type Progress = ReturnType<typeof readingProgress>;

function bytesOf(sessions: readonly SessionFiles[]): number {
  return sessions.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function gather(
  request: Pick<AuditRequest, 'sinceMs' | 'project'>,
  place: Omit<AuditPlace, 'columns'>,
  progressOf: (sessions: readonly SessionFiles[]) => Progress,
): Promise<{ problem: string } | { summary: AuditSummary; scope: AuditScope }> {
  const began = performance.now();
  const roots = rootsOf(place.env);
  const project = request.project === undefined ? undefined : resolve(place.cwd, request.project);
  const since = request.sinceMs === undefined ? undefined : place.now - request.sinceMs;
  const found = roots.map((root) => findSessions(root, { since, project }));
  const problem = nothingThere(found, roots, { project, request });
  if (problem) return { problem };
  const projects = project === undefined ? undefined : [...new Set([project, realPath(project)])];
  const summary = await summarise(found, { since, projects }, place, progressOf);
  const scope: AuditScope = {
    sinceMs: request.sinceMs,
    project,
    roots,
    now: place.now,
    tookMs: performance.now() - began,
  };
  return { summary, scope };
}

const EVERY_MS = 200;

/** In a thread that was started for it: audits. Elsewhere it does nothing. */
export function serveWholeAudit(): void {
  const asked = (workerData as { wholeAudit?: WholeAudit } | null)?.wholeAudit;
  if (isMainThread || !parentPort || !asked) return;
  const port = parentPort;
  let toldAt = 0;
  const { now, ...request } = asked;
  const place = { env: process.env, cwd: process.cwd(), now };
  auditCounts(request, place, (read, all) => {
    if (performance.now() - toldAt < EVERY_MS) return;
    toldAt = performance.now();
    port.postMessage({ read, all } satisfies FromAuditThread);
  }).then(
    (found) => port.postMessage(found satisfies FromAuditThread),
    (error: Error) => port.postMessage({ failed: error.message } satisfies FromAuditThread),
  );
}

/** Claude Code keeps transcripts in its configuration folder, and some versions in that of the desktop. */
function rootsOf(env: NodeJS.ProcessEnv): string[] {
  if (env.CLAUDE_CONFIG_DIR) return [projectsFolder(env.CLAUDE_CONFIG_DIR)];
  const home = userHome(env);
  const other = projectsFolder(join(home, '.config', 'claude'));
  return [projectsFolder(join(home, '.claude')), ...(existsSync(other) ? [other] : [])];
}

function nothingThere(
  found: readonly FoundSessions[],
  roots: readonly string[],
  { project, request }: { project?: string; request: Pick<AuditRequest, 'sinceMs'> },
): string | undefined {
  if (found.some(({ sessions }) => sessions.length > 0)) return undefined;
  const [problem] = found.flatMap(({ problems }) => problems);
  if (problem)
    return `${problem.path} cannot be read (${problem.why}): look at its owner and its permissions`;
  const where = roots.join(' and ');
  if (found.every(({ exists }) => !exists))
    return `there is no ${where}: Claude Code has kept no transcripts here. Set CLAUDE_CONFIG_DIR when they are elsewhere`;
  if (project !== undefined)
    return `no transcripts of ${project} in ${where}: Claude Code has not worked there, or it has tidied them up`;
  const back = request.sinceMs === undefined ? '' : ` of the last ${sayDays(request.sinceMs)}`;
  return `no transcripts${back} in ${where}: Claude Code removes old ones by itself. A larger --since looks further back`;
}

function sayNothing(problem: string, request: AuditRequest, printer: Printer): number {
  if (request.json) jsonLines({ error: problem }).forEach(printer.out);
  else printer.warn(`untildone: ${problem}`);
  return EXIT.refused;
}

async function summarise(
  found: readonly FoundSessions[],
  options: AuditOptions,
  place: Pick<AuditPlace, 'now'>,
  progressOf: (sessions: readonly SessionFiles[]) => Progress,
): Promise<AuditSummary> {
  const sessions: SessionFiles[] = found.flatMap((one) => one.sessions);
  const collector = new AuditCollector();
  const failures: { path: string; why: string }[] = found.flatMap(({ problems }) => problems);
  const progress = progressOf(sessions);
  await shareOut<AuditOptions, SessionAudit>({
    name: 'audit',
    task: auditSession,
    options,
    sessions,
    take: (result) => collector.add(result),
    fail: (files, why) => failures.push({ path: files.transcript ?? files.session, why }),
    progress: progress.add,
  });
  progress.end();
  const summary = collector.summary({ now: place.now, checksOf: checksByFiles() });
  return { ...summary, problems: [...failures, ...summary.problems] };
}

/** The kinds of checks that a project has by its own files, asked once. Nothing of a folder that is gone. */
function checksByFiles(): (project: string) => readonly CheckKind[] {
  const known = new Map<string, readonly CheckKind[]>();
  return (project) => {
    const kinds = known.get(project) ?? lookAt(project);
    known.set(project, kinds);
    return kinds;
  };
}

function lookAt(project: string): readonly CheckKind[] {
  try {
    return existsSync(project) ? commandGates(projectFacts(project)).map(({ role }) => role) : [];
  } catch {
    return [];
  }
}

function show(
  request: AuditRequest,
  summary: AuditSummary,
  scope: AuditScope,
  place: AuditPlace,
  { out, paint }: Printer,
): void {
  const chosen = request.show;
  const turns = summary.turns.filter((turn) => chosen === 'all' || turn.class === chosen);
  if (request.html !== undefined) {
    const path = resolve(place.cwd, request.html);
    writePage(path, summary, scope, request.evidence);
    if (!request.json) out(`Written: ${path}`);
  }
  if (request.json) {
    const shown = chosen === undefined ? (request.evidence ? summary.turns : undefined) : turns;
    const evidence = shown === undefined ? {} : { turns: evidenceJson(shown) };
    jsonLines({ ...auditJson(summary, scope, request.evidence), ...evidence }).forEach(out);
  } else if (chosen !== undefined) evidenceLines(turns, request.limit, place, paint).forEach(out);
  else if (request.html === undefined) pageLines(summary, scope, place.columns, paint).forEach(out);
}
