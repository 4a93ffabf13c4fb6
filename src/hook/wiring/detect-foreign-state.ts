import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eventName, type HookEvent } from '../../core/loop/event.ts';
import { userHome } from '../../files/system.ts';
import type { StatePlace } from '../../formats/format.ts';
import type { Home } from '../../home/layout.ts';
import { isMarkedTrusted } from '../../home/trust.ts';
import { sessionFolder } from './project.ts';

/** Where the foreign state of a session would be. */
export function foreignPlaceOf(
  event: Pick<HookEvent, 'session' | 'cwd'>,
  recorded: string | undefined,
  env: NodeJS.ProcessEnv,
  now: number,
): StatePlace {
  const folder = sessionFolder(recorded, env, event.cwd ?? process.cwd());
  const loopDir = env.RALPH_LOOP_DIR;
  return {
    session: event.session,
    folder,
    userHome: userHome(env),
    ralphLoopDir: loopDir ? resolve(folder, loopDir) : undefined,
    maxLockIterations: env.AMPLIHACK_MAX_LOCK_ITERATIONS || undefined,
    now,
  };
}

/** Whether foreign state may exist here: a file lies where a format keeps its state, or the session has taken one up. */
export function hasForeignSigns(
  place: StatePlace,
  home: Home,
  isMarked: (session: string) => boolean,
): boolean {
  const { folder, userHome, session, ralphLoopDir } = place;
  return (
    existsSync(join(folder, '.claude/ralph-loop.local.md')) ||
    existsSync(join(folder, '.claude/runtime/locks/.lock_active')) ||
    existsSync(ralphLoopDir ?? join(folder, '.claude/data/ralph-loops/current')) ||
    existsSync(join(userHome, '.ralph/state', session)) ||
    (existsSync(home.claims) && isMarked(session))
  );
}

const RECORDED = new Set(['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd', 'PreCompact']);

/** Whether lock mode keeps metrics and logs of this event: those of every session, where its folder of locks is. */
export function isRecorded(event: HookEvent, { folder }: StatePlace): boolean {
  return RECORDED.has(eventName(event)) && existsSync(join(folder, '.claude/runtime/locks'));
}

/**
 * Whether a session begins under a trusted contract. Where the project stands is kept then, for a state that the agent
 * makes in its first turn.
 */
export function beginsTrusted(event: HookEvent, project: string, home: Home): boolean {
  return event.name === 'SessionStart' && event.source !== 'compact' && isMarkedTrusted(home, project);
}
