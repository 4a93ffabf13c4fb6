import { sessionGuard } from '../../client/settings/guard.ts';
import { judgeTool } from '../../core/tools/judge-tool.ts';
import type { ToolGuard } from '../../core/tools/tool-rules.ts';
import { userHome } from '../../files/system.ts';
import { fallbackCounts } from '../../home/fallback-counts.ts';
import { filesLock, type Home } from '../../home/layout.ts';
import { keepTranscript } from '../../home/transcript-copies.ts';
import { standingFiles } from '../../home/trust.ts';
import type { OtherEvents } from '../../judging/ports.ts';
import { applyChanges, foreignFiles } from '../../project/files.ts';
import { toolPlace } from '../../project/path-resolver.ts';
import { otherEvents } from '../events/other-events.ts';
import { claudeConfigDir } from './project.ts';

/** Looks after sessions with what this machine has. */
export function openSession(home: Home, env: NodeJS.ProcessEnv): OtherEvents {
  return otherEvents({
    guard: sessionGuard(home, claudeConfigDir(env), userHome(env), env),
    standing: standingFiles(home),
    fallbackCounts: fallbackCounts(),
    notes: { files: foreignFiles, change: (changes) => applyChanges(changes, filesLock(home)) },
    keepTranscript,
  });
}

/** Tool rules, asked on this machine. */
export function openTools(env: NodeJS.ProcessEnv): ToolGuard {
  return {
    judge: (call, rules, project) => judgeTool(call, rules, toolPlace(project, call.cwd, userHome(env), env)),
  };
}
