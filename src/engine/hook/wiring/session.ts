import { sessionGuard } from '../../client/settings/guard.ts';
import { userHome } from '../../files/system.ts';
import { fallbackCounts } from '../../home/fallback-counts.ts';
import { filesLock, type Home } from '../../home/layout.ts';
import { keepTranscript } from '../../home/transcript-copies.ts';
import { standingFiles } from '../../home/trust.ts';
import type { OtherEvents, Ports, SessionPorts } from '../../judging/ports.ts';
import { applyChanges, foreignFiles } from '../../project/files.ts';
import { EVENT_ANSWERS } from '../events/all.ts';
import { answerInLoop, answerWithoutLoop } from '../events/answer-other.ts';
import { updateMemory } from '../events/notes.ts';
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
    inLoop: (event, loop, ports) => answerInLoop(event, loop, { ...ports, ...own }, EVENT_ANSWERS),
    withoutLoop: (event, ports) => answerWithoutLoop(event, { ...ports, ...own }, EVENT_ANSWERS),
    doubtful: (event, loop, why) =>
      holdUnjudged(event, loop, new DoubtfulStop(why), own) ?? {
        kind: 'tell',
        message: letGoUnjudged(why),
      },
    writeDown: (stop) => updateMemory(stop, notes.files, notes.change),
  };
}
