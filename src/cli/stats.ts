import { UsageError } from '../engine/core/text/errors.ts';
import { jsonLines } from '../engine/core/text/visible.ts';
import { realPath } from '../engine/home/layout.ts';
import { VERSION } from '../engine/home/program.ts';
import { claudeConfigDir } from '../engine/hook/wiring/project.ts';
import { openProjectToRead, type ProjectPorts } from '../engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../engine/ports/ports.ts';
import { loopsAround } from '../engine/run/person/find-loop.ts';
import { out, warn } from '../engine/terminal/print.ts';
import { gatherFigures, type StatsPorts } from '../read/reflect/metrics/gather.ts';
import { renderStats } from '../read/reflect/metrics/render.ts';
import { type StatsPeriod, statsJson } from '../read/reflect/metrics/stats-json.ts';
import { findSessions, projectsFolder, type SessionFiles } from '../read/reflect/reading/files.ts';
import { readTranscript } from '../read/reflect/reading/read-transcript.ts';
import { loadTelemetry } from '../read/reflect/telemetry/load.ts';
import { sendLoops } from '../read/reflect/telemetry/send-loops.ts';
import { telemetryFrom } from '../read/reflect/telemetry/switch.ts';
import { DAY_MS } from './flags.ts';

interface StatsFlags {
  since?: number;
  project?: string;
  all: boolean;
  json: boolean;
  exportOtlp: boolean;
}

/** `untildone stats`. */
export async function stats(flags: StatsFlags): Promise<void> {
  const { since: backMs = 30 * DAY_MS, project: named, all, json } = flags;
  const { home, store, project: here, env, clock } = openProjectToRead();
  const project = all ? undefined : named === undefined ? here : realPath(named);
  const loops = project === undefined ? store.loops() : loopsAround(store, project);
  const until = clock.now();
  const period: StatsPeriod = { since: Math.max(0, until - backMs), until, project };
  if (flags.exportOtlp) return exportLoops(loops, period.since, { home, store, env }, json);
  const gathered = await gatherFigures(
    { since: period.since, project, loops },
    { home, store, filesOf: sessionFiles(env), readTranscript },
  );
  const { isTTY, columns } = process.stdout;
  const width = isTTY && columns ? columns : 100;
  const lines = json ? jsonLines(statsJson(gathered, period)) : renderStats(gathered, period, width);
  for (const line of lines) out(line);
}

/** Lists the transcripts of this machine once. */
function sessionFiles(env: NodeJS.ProcessEnv): StatsPorts['filesOf'] {
  const { sessions } = findSessions(projectsFolder(claudeConfigDir(env)));
  const known = new Map<string, SessionFiles>();
  // The largest come first: a session that was resumed in another folder may have several.
  for (const files of sessions) if (!known.has(files.session)) known.set(files.session, files);
  return (session) => known.get(session);
}

async function exportLoops(
  loops: readonly LoopRef[],
  since: number,
  { home, store, env }: Pick<ProjectPorts, 'home' | 'store' | 'env'>,
  json: boolean,
): Promise<void> {
  const wanted = telemetryFrom(env, true);
  if (!wanted)
    throw new UsageError(
      'telemetry is switched off here: look at OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER and UNTILDONE_TELEMETRY',
    );
  for (const note of wanted.notes) warn(`untildone: ${note}`);
  const telemetry = loadTelemetry().openExport({ ...wanted, version: VERSION });
  const { problem, ...found } = await sendLoops(loops, since, { home, store }, telemetry);
  if (problem !== undefined)
    throw new UsageError(
      `telemetry could not be sent to ${wanted.endpoint}: ${problem}. Is a collector there? OTEL_EXPORTER_OTLP_ENDPOINT names it`,
    );
  if (json) return jsonLines({ endpoint: wanted.endpoint, ...found }).forEach(out);
  out(`Sent ${found.sent} loops (${found.spans} spans) to ${wanted.endpoint}.`);
  if (found.known > 0) out(`${found.known} were sent before.`);
  if (found.open > 0) out(`${found.open} have not ended yet, and are sent when they have.`);
  if (found.unreadable > 0) out(`${found.unreadable} could not be read.`);
}
