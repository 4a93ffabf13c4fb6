import type { Command } from 'commander';
import { readKey } from '../../home/layout.ts';
import type { QueuedReflection } from '../../home/reflections.ts';
import { claudeConfigDir } from '../../hook/wiring/project.ts';
import { openWorldToRead, type World } from '../../hook/wiring/world.ts';
import { reflectQueued } from '../../reflect/ending/reflect-queued.ts';
import { analyseSession, traceOf } from '../../reflect/findings/analyse.ts';
import { analyseLoop } from '../../reflect/findings/analyse-loop.ts';
import { type Report, reportOf } from '../../reflect/findings/report.ts';
import { findSessions, projectsFolder } from '../../reflect/reading/files.ts';
import { out } from '../../terminal/print.ts';

/** Started in the background by hooks and commands, when sessions are queued. */
export function addReflectQueuedCommand(cli: Command): void {
  cli
    .command('reflect-queued', { hidden: true })
    .description('look back on the sessions that ended and are queued for it')
    .action(async () => {
      const world = openWorldToRead();
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
    });
}

async function reportOn(
  item: QueuedReflection,
  { home, store, clock, env }: World,
): Promise<Report | undefined> {
  const { sessions } = findSessions(projectsFolder(claudeConfigDir(env)), { project: item.project });
  const known = sessions.find(({ session }) => session === item.session);
  const { transcript = item.transcript, subagents = [] } = known ?? {};
  if (transcript === undefined) return undefined;
  const session = analyseSession({ transcript, subagents, session: item.session });
  if (session.reading.bytes === 0) return undefined;
  const ref = store.loopOfSession(item.session);
  const loops = ref ? [await analyseLoop(ref.loop, store.journalFile(ref), readKey(home))] : [];
  return reportOf({
    scope: { kind: 'session', id: item.session },
    at: clock.now(),
    sessions: [session],
    loops,
    trace: traceOf(item.project, [session]),
  });
}
