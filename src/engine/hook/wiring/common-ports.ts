import type { Contract } from '../../core/contract/contract.ts';
import type { ToolGuard } from '../../core/tools/tool-rules.ts';
import { judgingWatch } from '../../home/interrupted-judging.ts';
import type { Home } from '../../home/layout.ts';
import { lessonsFor } from '../../home/lessons/files.ts';
import { FileStore } from '../../home/store.ts';
import type { OtherEvents, Ports } from '../../judging/ports.ts';
import type { Clock, Transcripts } from '../../ports/ports.ts';
import type { ForeignLoops } from '../../ports/session-loop.ts';
import {
  beginsTrusted,
  foreignPlaceOf,
  hasForeignSigns,
  isOthersState,
  isRecorded,
} from './detect-foreign-state.ts';
import type { FormatsBundle, JudgeBundle } from './load-bundles.ts';
import { projectOf } from './project.ts';
import { spawnRun } from './spawn-run.ts';
import { transcriptsHere } from './transcripts.ts';

export const systemClock: Clock = { now: () => Date.now() };

/** How Claude Code reads its cap, as measured: 8 unless it begins with a number (`3.7` and `3x` are 3), off for 0 or less. */
export function blockCapFrom(env: NodeJS.ProcessEnv): number {
  const value = Number.parseInt(env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP ?? '', 10);
  return Number.isNaN(value) ? 8 : Math.max(0, value);
}

/** What the ports of a bundle are opened with. */
interface PortsOptions {
  home: Home;
  env: NodeJS.ProcessEnv;
  load(): Promise<JudgeBundle>;
  loadFormats(): Promise<FormatsBundle>;
  /** The handling of events that are no judged Stops, as far as the bundle has it. */
  session(): Promise<OtherEvents>;
  /** The tool rules, which no Stop asks. */
  tools(): Promise<ToolGuard>;
}

/** The ports that every event needs, those of tool calls included: nothing heavy is imported here. */
export function openCommonPorts(options: PortsOptions): Ports & { store: FileStore } {
  const { home, env, load, loadFormats, session, tools } = options;
  const store = new FileStore(home, systemClock);
  const ports: Ports & { store: FileStore } = {
    clock: systemClock,
    store,
    transcripts: whenRead(),
    projectOf: (event) => projectOf(store.projectOfSession(event.session), env, event.cwd ?? process.cwd()),
    blockCap: blockCapFrom(env),
    lessons: {
      session: (...given) => lessonsFor(home).session(...given),
      loop: (...given) => lessonsFor(home).loop(...given),
    },
    judging: judgingWatch(home, { shellForgets: env.UNTILDONE_ANSWERED !== undefined }),
    judges: async (contract?: Contract) => (await load()).openJudges(home, env, { contract }),
    receipts: async () => (await load()).openReceipts(home),
    session,
    tools,
    spawnRun: (ref) => spawnRun(ref, env),
    foreign: async (event, hasNative) => {
      const place = foreignPlaceOf(event, store.projectOfSession(event.session), env, systemClock.now());
      if (
        !hasForeignSigns(place, home, (session) => store.isMarked(session)) &&
        !isRecorded(event, place) &&
        !(event.name === 'SessionStart' && beginsTrusted(event, ports.projectOf(event), home))
      )
        return NOTHING_FOREIGN;
      const seen = { home, store, hasNative };
      if (isOthersState(event, place, () => ports.projectOf(event), seen)) return NOTHING_FOREIGN;
      const since = store.sessionSince(event.session);
      const { foreignLoops } = await loadFormats();
      return foreignLoops(event, hasNative, {
        home,
        ports,
        place: { ...place, ...(since === undefined ? {} : { since }) },
        pid: env.CLAUDE_PID,
      });
    },
  };
  return ports;
}

/** Most events read no transcript: what reads one is not even asked for before. */
function whenRead(): Transcripts {
  return {
    signals: (...given) => transcriptsHere().signals(...given),
    turnEnd: (...given) => transcriptsHere().turnEnd(...given),
    poll: (...given) => transcriptsHere().poll(...given),
    usage: (...given) => transcriptsHere().usage(...given),
    subagents: (...given) => transcriptsHere().subagents(...given),
  };
}

const NOTHING_FOREIGN: ForeignLoops = { loops: [], messages: [] };
