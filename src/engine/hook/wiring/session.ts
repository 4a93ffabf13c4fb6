import { sessionGuard } from '../../client/settings/guard.ts';
import { userHome } from '../../files/system.ts';
import { fallbackCounts } from '../../home/fallback-counts.ts';
import { filesLock, type Home } from '../../home/layout.ts';
import { keepTranscript } from '../../home/transcript-copies.ts';
import { standingFiles } from '../../home/trust.ts';
import type { OtherEvents, Ports, SessionPorts } from '../../judging/ports.ts';
import { applyChanges, foreignFiles } from '../../project/files.ts';
import { tellLeftLoops } from '../events/abandoned-loops.ts';
import { eventInLoop } from '../events/event-in-loop.ts';
import { tellLessons } from '../events/lessons.ts';
import { updateMemory } from '../events/notes.ts';
import { handleStanding } from '../events/standing-gates.ts';
import { DoubtfulStop, holdUnjudged, letGoUnjudged } from '../unwritable-journal.ts';
import { claudeConfigDir } from './project.ts';

export { openTools } from './session-tools.ts';

/** Answers all events but the judged Stop, with what this machine has. */
export function openSession(home: Home, env: NodeJS.ProcessEnv): OtherEvents {
  return otherEvents({
    guard: sessionGuard(home, claudeConfigDir(env), userHome(env), env),
    standing: standingFiles(home),
    fallbackCounts: fallbackCounts(undefined, undefined, home),
    notes: { files: foreignFiles, change: (changes) => applyChanges(changes, filesLock(home)) },
    keepTranscript,
  });
}

/** `own`: what these events need besides the ports of every event. */
export function otherEvents(own: Omit<SessionPorts, keyof Ports>): OtherEvents {
  const { notes } = own;
  return {
    inLoop: (event, loop, ports) => eventInLoop(event, loop, { ...ports, ...own }),
    withoutLoop: async (event, ports) => [
      await handleStanding(event, { ...ports, ...own }),
      tellLeftLoops(event, ports),
      tellLessons(event, ports),
    ],
    doubtful: (event, loop, why) =>
      holdUnjudged(event, loop, new DoubtfulStop(why), own) ?? {
        kind: 'tell',
        message: letGoUnjudged(why),
      },
    writeDown: (stop) => updateMemory(stop, notes.files, notes.change),
  };
}
