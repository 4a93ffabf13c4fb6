import { sessionGuard } from '../../client/settings/guard.ts';
import { userHome } from '../../files/system.ts';
import { spareCounts } from '../../home/fallback-counts.ts';
import { filesLock, type Home } from '../../home/layout.ts';
import { standingFiles } from '../../home/standing.ts';
import { keepTranscript } from '../../home/transcript-copies.ts';
import type { OtherEvents } from '../../judging/ports.ts';
import { applyChanges, foreignFiles } from '../../project/files.ts';
import { otherEvents } from '../events/other-events.ts';
import { claudeConfigDir } from './project.ts';

/** Looks after sessions with what this machine has. */
export function openSession(home: Home, env: NodeJS.ProcessEnv): OtherEvents {
  return otherEvents({
    guard: sessionGuard(home, claudeConfigDir(env), userHome(env), env),
    standing: standingFiles(home),
    spare: spareCounts(),
    notes: { files: foreignFiles, change: (changes) => applyChanges(changes, filesLock(home)) },
    keepTranscript,
  });
}
