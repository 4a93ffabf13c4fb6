import { sessionGuard } from '../../client/settings/guard.ts';
import { judgeTool } from '../../core/tools/judge-tool.ts';
import { rewrites } from '../../core/tools/rewrite-input.ts';
import type { ToolGuard } from '../../core/tools/tool-rules.ts';
import { userHome } from '../../files/system.ts';
import { fallbackCounts } from '../../home/fallback-counts.ts';
import { filesLock, type Home } from '../../home/layout.ts';
import { keepTranscript } from '../../home/transcript-copies.ts';
import { standingFiles } from '../../home/trust.ts';
import type { OtherEvents, SessionWorld } from '../../judging/ports.ts';
import { applyChanges, foreignFiles } from '../../project/files.ts';
import { toolPlace } from '../../project/path-resolver.ts';
import { tellLeftLoops } from '../events/abandoned-loops.ts';
import { eventInLoop } from '../events/event-in-loop.ts';
import { tellLessons } from '../events/lessons.ts';
import { updateMemory } from '../events/notes.ts';
import { handleStanding } from '../events/standing-gates.ts';
import { DoubtfulStop, holdUnjudged, letGoUnjudged } from '../unwritable-journal.ts';
import type { JudgeBundle } from './load-bundles.ts';
import { claudeConfigDir } from './project.ts';

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

export function otherEvents(world: SessionWorld): OtherEvents {
  const { notes } = world;
  return {
    inLoop: (event, loop, ports) => eventInLoop(event, loop, { ...ports, ...world }),
    withoutLoop: async (event, ports) => [
      await handleStanding(event, { ...ports, ...world }),
      tellLeftLoops(event, ports),
      tellLessons(event, ports),
    ],
    doubtful: (event, loop, why) =>
      holdUnjudged(event, loop, new DoubtfulStop(why), world) ?? {
        kind: 'tell',
        message: letGoUnjudged(why),
      },
    writeDown: (stop) => updateMemory(stop, notes.files, notes.change),
  };
}

/** Tool rules, asked on this machine. Only rules that rewrite inputs need the engine for patterns. */
export function openTools(
  env: NodeJS.ProcessEnv,
  load: () => Promise<Pick<JudgeBundle, 'lineMatcher'>>,
): ToolGuard {
  return {
    judge: async (call, rules, project) => {
      const matcherOf = rewrites(call.tool, rules.rewrite) ? (await load()).lineMatcher : undefined;
      return judgeTool(call, rules, toolPlace(project, call.cwd, userHome(env), env), matcherOf);
    },
  };
}
