/** What a bundle for events of tool calls alone answers with: they are by far the most frequent events. */
import { sessionGuard } from '../../client/settings/guard.ts';
import { userHome } from '../../files/system.ts';
import { fallbackCounts } from '../../home/fallback-counts.ts';
import { filesLock, type Home } from '../../home/layout.ts';
import type { FileStore } from '../../home/store.ts';
import { standingFiles } from '../../home/trust.ts';
import type { OtherEvents, Ports, SessionPorts } from '../../judging/ports.ts';
import { applyChanges, foreignFiles } from '../../project/files.ts';
import type { Answering } from '../answer-event.ts';
import { answerInLoop, answerWithoutLoop } from '../events/answer-other.ts';
import { TOOL_ANSWERS } from '../events/tool-events.ts';
import { handleOther } from '../handle-hook.ts';
import { openCommonPorts } from './common-ports.ts';
import { TOOL_EVENTS } from './detect-foreign-state.ts';
import { loadFormatsBundle, loadJudgeBundle } from './load-bundles.ts';
import { claudeConfigDir } from './project.ts';
import { openTools } from './session-tools.ts';

export const TOOL_CALLS: Answering<Ports & { store: FileStore }> = {
  knows: (name) => TOOL_EVENTS.has(name),
  open: (home, env) =>
    openCommonPorts({
      home,
      env,
      load: loadJudgeBundle,
      loadFormats: loadFormatsBundle,
      session: async () => toolCallsOf(home, env),
      tools: async () => openTools(env, loadJudgeBundle),
    }),
  handle: handleOther,
};

function toolCallsOf(home: Home, env: NodeJS.ProcessEnv): OtherEvents {
  const own: Omit<SessionPorts, keyof Ports> = {
    guard: sessionGuard(home, claudeConfigDir(env), userHome(env), env),
    standing: standingFiles(home),
    fallbackCounts: { next: (...given) => fallbackCounts(undefined, undefined, home).next(...given) },
    notes: { files: foreignFiles, change: (changes) => applyChanges(changes, filesLock(home)) },
    keepTranscript: () => elsewhere('copies of transcripts are'),
  };
  return {
    inLoop: (event, loop, ports) => answerInLoop(event, loop, { ...ports, ...own }, TOOL_ANSWERS),
    withoutLoop: (event, ports) => answerWithoutLoop(event, { ...ports, ...own }, TOOL_ANSWERS),
    doubtful: () => elsewhere('Stops are'),
    writeDown: () => elsewhere('notes are'),
  };
}

function elsewhere(what: string): never {
  throw new Error(`${what} no matter of a tool call`);
}
