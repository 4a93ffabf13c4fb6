import { applyChanges, foreignFiles } from '../adapters/foreign-files.ts';
import { sessionGuard } from '../adapters/guard.ts';
import { filesLock, type Home } from '../adapters/home.ts';
import { userHome } from '../adapters/machine.ts';
import { spareCounts } from '../adapters/spare-counts.ts';
import { standingFiles } from '../adapters/standing.ts';
import { keepTranscript } from '../adapters/transcript-copies.ts';
import type { OtherEvents } from '../app/judging-ports.ts';
import { otherEvents } from '../app/session-care.ts';
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
