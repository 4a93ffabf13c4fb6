/** Sends the spans of a run while it goes on, where that is switched on. It never disturbs the run. */
import { hasEnded } from '../../../engine/core/loop/state.ts';
import { oneLine } from '../../../engine/core/text/clip.ts';
import { JournalScan } from '../../../engine/home/journal/scan.ts';
import { readKey } from '../../../engine/home/layout.ts';
import { VERSION } from '../../../engine/home/program.ts';
import type { ProjectPorts } from '../../../engine/hook/wiring/project-ports.ts';
import type { LoopRef, ReadySession, SessionPlan, SessionPort } from '../../../engine/ports/ports.ts';
import type { DriverPorts } from '../../../engine/run/driver/run-loop.ts';
import type { RunEvent } from '../../../engine/run/reporter.ts';
import type { TelemetryExport } from './export.ts';
import { loadTelemetry } from './load.ts';
import { markSent } from './send-loops.ts';
import { SpanBuilder, sessionContext, type TracedRun } from './spans.ts';
import { telemetryFrom } from './switch.ts';
import { parseTraceparent, renderTraceparent } from './trace-context.ts';

/** A run waits so long at its end for what is still to be sent. */
const CLOSE_MS = 3000;
const LOOK_AT = new Set<RunEvent['type']>(['stop', 'session_ended', 'ended', 'paused']);

/** Drives a run with its telemetry: `drive` gets the ports as they should be used. */
export async function withTelemetry<T>(
  ref: LoopRef,
  { world, note }: { world: ProjectPorts; note(text: string): void },
  ports: DriverPorts,
  drive: (ports: DriverPorts) => Promise<T>,
): Promise<T> {
  const follower = openFollower(ref, world, note);
  if (!follower) return drive(ports);
  try {
    return await drive({
      ...ports,
      sessions: traced(ports.sessions, follower.run),
      report: (event) => {
        ports.report(event);
        if (LOOK_AT.has(event.type)) follower.look();
      },
    });
  } finally {
    await follower.close();
  }
}

interface Follower {
  run: TracedRun;
  /** Sends what the journal tells since the last look. */
  look(): void;
  close(): Promise<void>;
}

function openFollower(ref: LoopRef, world: ProjectPorts, note: (text: string) => void): Follower | undefined {
  const wanted = telemetryFrom(world.env);
  const around = parseTraceparent(world.env.TRACEPARENT);
  // Whoever began the trace around this run decided that it is not kept.
  const traces = wanted?.traces === true && around?.sampled !== false;
  if (!wanted || !(traces || wanted.metrics)) return undefined;
  let telemetry: TelemetryExport;
  try {
    telemetry = loadTelemetry().openExport({ traces, metrics: wanted.metrics, version: VERSION });
  } catch (error) {
    note(`telemetry is not sent: ${oneLine((error as Error).message, 200)}`);
    return undefined;
  }
  // Its run has said so for all children.
  const isChild = world.store.read(ref).run?.parent !== undefined;
  if (!isChild)
    for (const text of [
      `telemetry of this run goes to ${wanted.endpoint} (OTEL_EXPORTER_OTLP_*; off: UNTILDONE_TELEMETRY=0)`,
      ...wanted.notes,
    ])
      note(text);
  const run = { loop: ref.loop, parentLoop: world.store.read(ref).run?.parent, around };
  return { run, ...follow(ref, run, world, telemetry, (problem) => note(notSent(wanted.endpoint, problem))) };
}

function notSent(endpoint: string, problem: string): string {
  return `telemetry could not be sent to ${endpoint}: ${oneLine(problem, 200)}; the run is not concerned. Later: untildone stats --export-otlp`;
}

function follow(
  ref: LoopRef,
  run: TracedRun,
  { store, home }: ProjectPorts,
  telemetry: TelemetryExport,
  failed: (problem: string) => void,
): Pick<Follower, 'look' | 'close'> {
  const began = Date.now();
  const builder = new SpanBuilder(ref.loop, run.around);
  const scan = new JournalScan(store.journalFile(ref), readKey(home));
  const read = async () => {
    for await (const scanned of scan.next()) {
      // An earlier process has sent what ended before this one.
      if (scanned.ok) telemetry.send(builder.line(scanned.line).filter(({ endMs }) => endMs >= began));
    }
  };
  let reading = Promise.resolve();
  const look = () => {
    reading = reading.then(read).catch(() => undefined);
  };
  return {
    look,
    async close() {
      look();
      await reading;
      const last = builder.finish();
      telemetry.send(last);
      const problem = await telemetry.close(CLOSE_MS);
      if (problem !== undefined) failed(problem);
      else if (last.length > 0 && hasEnded(store.read(ref))) markSent(ref);
    },
  };
}

/** Sessions that know the span which their own spans belong to. */
function traced(sessions: SessionPort, run: TracedRun): SessionPort {
  const withParent = (plan: SessionPlan): SessionPlan => ({
    ...plan,
    env: { ...plan.env, TRACEPARENT: renderTraceparent(sessionContext(run, plan.session)) },
  });
  const isReady = (session: ReadySession | SessionPlan): session is ReadySession => 'discard' in session;
  return {
    missing: () => sessions.missing(),
    prepare: (plan) => sessions.prepare(withParent(plan)),
    run: (session, prompt, listener, limits) =>
      sessions.run(isReady(session) ? session : withParent(session), prompt, listener, limits),
  };
}
