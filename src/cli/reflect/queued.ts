import { statSync } from 'node:fs';
import type { QueuedReflection } from '../../engine/home/reflections.ts';
import { claudeConfigDir } from '../../engine/hook/wiring/project.ts';
import { openProjectToRead, type ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { out } from '../../engine/terminal/print.ts';
import { reflectQueued } from '../../read/reflect/ending/reflect-queued.ts';
import type { Report } from '../../read/reflect/findings/report.ts';
import { findSessions, projectsFolder, type SessionFiles } from '../../read/reflect/reading/files.ts';
import { lookAt } from './reflect.ts';

export async function reflectOnQueued(): Promise<void> {
  const world = openProjectToRead();
  const { home, store, clock } = world;
  const done = await reflectQueued({
    home,
    store,
    now: () => clock.now(),
    reportOn: (item) => reportOn(item, world),
  });
  if (done === undefined) out('Another process does this already.');
  for (const { session, outcome, problems } of done ?? [])
    out(`${session}  ${[outcome.replace('_', ' '), ...problems].join('; ')}`);
}

/** What `reflect` says of the loop of this session, else of the session. */
async function reportOn(item: QueuedReflection, world: ProjectPorts): Promise<Report | undefined> {
  const ref = world.store.loopOfSession(item.session);
  const root = projectsFolder(claudeConfigDir(world.env));
  // The sessions of a loop may have been started in several folders.
  const { sessions } = findSessions(root, ref ? {} : { project: item.project });
  const files = filesOf(item, sessions);
  if (!files) return undefined;
  const { report } = await lookAt(
    ref ? { kind: 'loop', ref } : { kind: 'session', files },
    world,
    [files, ...sessions.filter(({ session }) => session !== item.session)],
    { frustration: false, sinceMs: 0, begin: () => undefined, progress: () => undefined },
  );
  return report.sessions.some(({ session, reading }) => session === item.session && reading.bytes > 0)
    ? report
    : undefined;
}

/** The files that the hook was told of, else those of the same session. */
function filesOf(
  { session, transcript }: QueuedReflection,
  sessions: readonly SessionFiles[],
): SessionFiles | undefined {
  const known = sessions.filter((one) => one.session === session);
  const found = known.find((one) => one.transcript === transcript) ?? known[0];
  const there = transcript === undefined ? undefined : statSync(transcript, { throwIfNoEntry: false });
  if (found || !there) return found;
  return { folder: '', session, transcript, subagents: [], bytes: there.size, modified: there.mtimeMs };
}
