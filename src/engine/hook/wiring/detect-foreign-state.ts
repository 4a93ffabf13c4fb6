import { existsSync, lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { eventName, type HookEvent } from '../../core/loop/event.ts';
import { userHome } from '../../files/system.ts';
import { readSmall } from '../../files/whole-file.ts';
import type { StatePlace } from '../../formats/format.ts';
import { claimsOfSession } from '../../home/claims.ts';
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

/** State files that may name the session they belong to. */
const OWNED_BY_TEXT = ['.claude/ralph-loop.local.md', '.claude/runtime/locks/.lock_active'];
const FEATURES = '.claude/data/ralph-loops/current';

/** Whether foreign state may exist here: a file lies where a format keeps its state, or the session has taken one up. */
export function hasForeignSigns(
  place: StatePlace,
  home: Home,
  isMarked: (session: string) => boolean,
): boolean {
  const { folder, userHome, session, ralphLoopDir } = place;
  return (
    OWNED_BY_TEXT.some((path) => existsSync(join(folder, path))) ||
    existsSync(ralphLoopDir ?? join(folder, FEATURES)) ||
    existsSync(join(userHome, '.ralph/state', session)) ||
    (existsSync(home.claims) && isMarked(session))
  );
}

/** Whether a format could find anything in this folder, be it only a link or a folder that cannot be looked into. */
export function mayLieHere({ folder, ralphLoopDir }: Pick<StatePlace, 'folder' | 'ralphLoopDir'>): boolean {
  const paths = [...OWNED_BY_TEXT.map((path) => join(folder, path)), ralphLoopDir ?? join(folder, FEATURES)];
  return paths.some((path) => {
    try {
      return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    } catch {
      return true;
    }
  });
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

/** The events of a tool call. */
export const TOOL_EVENTS: ReadonlySet<string> = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
]);

/**
 * Whether a tool call has nothing to do with the foreign state that lies here. A state that names no owner is taken up at a
 * Stop, never at a tool call; one that names this session holds its id. A contract would want the tree of this moment kept,
 * unless the session has a native loop. In doubt, the formats are asked.
 */
export function isOthersState(
  event: HookEvent,
  { folder, userHome, session, ralphLoopDir }: StatePlace,
  project: () => string,
  {
    home,
    store,
    hasNative,
  }: { home: Home; store: { isMarked(session: string): boolean }; hasNative: boolean },
): boolean {
  // Without a transcript, lock mode counts the calls that hooks see.
  if (!TOOL_EVENTS.has(eventName(event)) || event.transcript === undefined) return false;
  if (ralphLoopDir !== undefined) return false;
  // A native loop says why the session is marked, and judges the contract itself.
  if (!hasNative && (store.isMarked(session) || existsSync(join(project(), CONTRACT_FILE)))) return false;
  if (existsSync(join(userHome, '.ralph/state', session)) || claimsOfSession(home, session).length > 0)
    return false;
  return OWNED_BY_TEXT.every((path) => !mayName(session, join(folder, path)));
}

/** Whether the file may name this session. One that cannot be read, or has escapes, may. */
function mayName(session: string, path: string): boolean {
  try {
    const text = readSmall(path);
    return text !== undefined && (text.includes(session) || text.includes('\\'));
  } catch {
    return true;
  }
}
