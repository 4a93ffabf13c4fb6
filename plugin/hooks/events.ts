/**
 * Answers an event inside of Claude Code. It runs the same hook process as the hooks in the settings. What is different: when
 * that process fails or takes too long, the session is held, and the agent reads a reason once instead of twice.
 */
import type { EngineInterface } from 'claude-code';
import {
  beside,
  type Ended,
  heldReason,
  LET_GO_AFTER,
  letGoMessage,
  type ModuleAnswer,
  translate,
} from './answer';
import { refresh } from './band';
import { environment, hook } from './program';

/** As long as the hooks in the settings may take. */
const LIMIT_MS = 3_600_000;

/** The fields of an event that this module reads. */
export interface Event {
  readonly session_id: string;
  readonly hook_event_name: string;
  readonly cwd?: string;
}

/** The hooks beneath this one: those of the settings, of plugins, and of the host. */
type Next<E> = ((e: E) => Promise<ModuleAnswer>) & { error?: unknown };

/** How often in a row the events of a session were not answered. */
const unanswered = new Map<string, number>();

/** Answers with the hook process, and tells all other hooks of untildone that it did. */
export async function answered<E extends Event>(
  $: EngineInterface,
  e: E,
  next: Next<E>,
): Promise<ModuleAnswer> {
  // A run answers the events of its sessions itself.
  if ((await $.env.get('UNTILDONE_RUN')) !== undefined) return next(e);
  const { answer, message } = translate(await hookProcess($, e));
  unanswered.delete(e.session_id);
  if (message !== undefined) $.ui.log(message.replace(/^untildone: /, ''));
  const others = await next({ ...e, untildone_answered: true });
  void refresh($);
  return beside(others, answer);
}

/**
 * Answers when `answered` did not. The command hooks judge, as they do without this module. When they do not hold the session
 * although it is not done, this does, a few times in a row.
 */
export async function held<E extends Event>($: EngineInterface, e: E, next: Next<E>): Promise<ModuleAnswer> {
  const others = await next(e);
  if (others.block !== undefined || (await $.env.get('UNTILDONE_RUN')) !== undefined) return others;
  if (!(await isMeasured($, e))) return others;
  const why = reasonOf(next.error);
  const times = (unanswered.get(e.session_id) ?? 0) + 1;
  unanswered.set(e.session_id, times);
  if (times < LET_GO_AFTER) return { ...others, block: heldReason(why) };
  unanswered.delete(e.session_id);
  $.ui.log(letGoMessage(why));
  return others;
}

function reasonOf(error: unknown): string {
  const { kind, message } = (error ?? {}) as { kind?: string; message?: string };
  if (kind === 'timeout') return 'the hooks module took too long';
  return (message ?? 'the hooks module failed').slice(0, 300);
}

/** Runs the hook process with the event on its stdin, where a command hook would run. */
async function hookProcess($: EngineInterface, e: Event): Promise<Ended> {
  const cwd = e.cwd !== undefined && (await $.fs.exists(e.cwd)) ? e.cwd : await $.session.root();
  const env = { ...(await environment($)), UNTILDONE_WAY: 'module', CLAUDE_CODE_SESSION_ID: e.session_id };
  return hook($, e.hook_event_name, { input: JSON.stringify(e), env, cwd, limitMs: LIMIT_MS });
}

/** Whether gates measure something in this session. The marker of such a session, or of its project, has content. */
async function isMeasured($: EngineInterface, e: Event): Promise<boolean> {
  const home = (await $.env.get('UNTILDONE_HOME')) ?? `${await $.env.get('HOME')}/.untildone`;
  const markers = [`${home}/active/${e.session_id}`, `${home}/standing${await $.session.root()}/.on`];
  for (const marker of markers) if (await hasContent($, marker)) return true;
  return false;
}

async function hasContent($: EngineInterface, path: string): Promise<boolean> {
  try {
    return (await $.fs.exists(path)) && (await $.fs.stat(path)).size > 0;
  } catch {
    return false;
  }
}
