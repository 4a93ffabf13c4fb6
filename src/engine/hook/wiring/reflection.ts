/**
 * The end of a session, where somebody wants to look back on it: the hook only queues that, in a moment. A process of its own
 * does the work when the session has ended; if it cannot, the next hook or command of untildone starts it again. ADR 35.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HookEvent } from '../../core/loop/event.ts';
import { isSafeId } from '../../core/text/paths.ts';
import { writeNew } from '../../files/whole-file.ts';
import { isLockProject, readReflectionConfig, type WishRead } from '../../formats/lock/reflection-config.ts';
import { createHome, type Home } from '../../home/layout.ts';
import { hasDue, queuedReflection, queuedReflections, queueReflection } from '../../home/reflections.ts';
import { standingFiles } from '../../home/trust.ts';
import type { LoopRef } from '../../ports/ports.ts';
import type { EndingPorts, FormatsBundle } from './load-bundles.ts';
import { projectOf, sessionFolder } from './project.ts';

/** Set where a reflection runs: it is never looked back on itself. */
export const REFLECTION_MODE = 'CLAUDE_REFLECTION_MODE';

/**
 * Queues the session of a Stop that lets it go, and of a SessionEnd, which starts the work as well. Returns what you should be
 * told, once. Never throws: a session ends as it would without this.
 */
export async function queueEnding(event: HookEvent, ports: EndingPorts): Promise<string[]> {
  const { home, env } = ports;
  if (env[REFLECTION_MODE] === '1' || event.agentId !== undefined) return [];
  try {
    if (event.name === 'SessionStart' && hasDue(home, ports.now)) startReflection(home, env);
    if ((event.name !== 'Stop' && event.name !== 'SessionEnd') || !isSafeId(event.session)) return [];
    return await queued(event, ports);
  } catch (error) {
    return event.name === 'Stop'
      ? toldOnce(event.session, `${NOT_DONE}${(error as Error).message}`, home)
      : [];
  }
}

async function queued(event: HookEvent, ports: EndingPorts): Promise<string[]> {
  const { home, store, env, now } = ports;
  const folder = sessionFolder(store.projectOfSession(event.session), env, event.cwd ?? process.cwd());
  const read = wishOf(event, folder, ports);
  if (read.kind === 'problem') return toldOnce(event.session, `${NOT_DONE}${read.problem}`, home);
  if (read.kind === 'off') return [];
  if (!existsSync(home.keyFile)) createHome(home);
  const { session } = event;
  const before = queuedReflection(home, session);
  const transcript = event.transcript ?? before?.transcript;
  const { minTurns } = read.wish;
  const ended = event.name === 'SessionEnd';
  queueReflection(home, { v: 1, session, project: folder, transcript, minTurns, queuedAt: now, ended });
  const problems = before ? [] : await markProject(folder, { session, transcript, minTurns, now }, ports);
  if (ended) startReflection(home, env);
  if (problems.length === 0) return [];
  const where = `its summary is kept in ${home.root}, because the project cannot be written`;
  return toldOnce(
    session,
    `this session is looked back on when it ends, but ${where}: ${problems.join('; ')}`,
    home,
  );
}

/**
 * The sessions of a run end with it, and send no SessionEnd: the last one is queued, and those that were queued before are due
 * now. Never throws.
 */
export async function queueRun(
  ref: LoopRef,
  { session, cwd }: { session: string; cwd: string },
  ports: EndingPorts,
): Promise<void> {
  const { home, store, env } = ports;
  if (env[REFLECTION_MODE] === '1') return;
  try {
    for (const item of queuedReflections(home))
      if (!item.ended && store.loopOfSession(item.session)?.loop === ref.loop)
        queueReflection(home, { ...item, ended: true });
  } catch {
    // They are due when ten minutes have passed.
  }
  await queueEnding({ name: 'SessionEnd', session, cwd, reason: 'other' }, ports);
}

/** What the project's own file says, else the contract of the loop, else the one that you trust in this project. */
function wishOf(event: HookEvent, folder: string, { home, store, env }: EndingPorts): WishRead {
  const config = readReflectionConfig(folder);
  if (config.kind !== 'off') return config;
  const ref = store.loopOfSession(event.session);
  const project = projectOf(store.projectOfSession(event.session), env, event.cwd ?? process.cwd());
  const { reflection } = (ref ? store.contract(ref) : standingFiles(home).contract(project))?.contract ?? {};
  // Contracts of older versions may hold something else here, which never had an effect.
  return typeof reflection?.minTurns === 'number' ? { kind: 'on', wish: reflection } : config;
}

type Pending = Parameters<FormatsBundle['markReflection']>[1];

/** Leaves the signs of document 004, where a project keeps its state in that way. */
async function markProject(folder: string, pending: Pending, { home, load }: EndingPorts): Promise<string[]> {
  return isLockProject(folder, existsSync) ? (await load()).markReflection(folder, pending, home) : [];
}

const NOT_DONE = 'this session is not looked back on when it ends: ';

function toldOnce(session: string, words: string, home: Home): string[] {
  try {
    if (isSafeId(session) && !writeNew(join(home.sessions, `${session}.reflection-told`), '', 0o600))
      return [];
  } catch {
    // It is told again at the next Stop.
  }
  return [`untildone: ${words}`];
}

/** Starts the work in the background. It outlives this process, and keeps none of its pipes open. */
export function startReflection(home: Home, env: NodeJS.ProcessEnv): void {
  const { spawn } = require('node:child_process') as typeof import('node:child_process');
  const child = spawn(process.execPath, [require.resolve('./untildone.cjs'), 'reflect-queued'], {
    cwd: home.root,
    detached: true,
    stdio: 'ignore',
    env: { ...env, [REFLECTION_MODE]: '1' },
    windowsHide: true,
  });
  child.on('error', () => undefined);
  child.unref();
}
