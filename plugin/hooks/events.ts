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
  return beside(await next({ ...e, untildone_answered: true }), answer);
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

/** Runs the hook process with the event on its stdin. Throws when it does not end in time. */
async function hookProcess($: EngineInterface, e: Event): Promise<Ended> {
  const [root, cwd] = [await $.session.root(), e.cwd];
  const child = $.process.spawn({
    argv: ['/bin/sh', '-c', SCRIPT, $.plugin.root, e.hook_event_name],
    cwd: cwd !== undefined && (await $.fs.exists(cwd)) ? cwd : root,
    env: {
      UNTILDONE_WAY: 'module',
      CLAUDECODE: '1',
      CLAUDE_CODE_SESSION_ID: e.session_id,
      CLAUDE_PROJECT_DIR: root,
    },
    input: JSON.stringify(e),
  });
  let isLate = false;
  const limit = $.clock.after(LIMIT_MS, () => {
    isLate = true;
    void child.return({ code: null, signal: null });
  });
  const written = { stdout: '', stderr: '' };
  let code: number | null = null;
  for (;;) {
    const piece = await child.next();
    if (piece.done) {
      code = piece.value?.code ?? null;
      break;
    }
    written[piece.value.stream] += piece.value.text;
  }
  limit.cancel();
  if (isLate) throw new Error(`the hook took more than ${LIMIT_MS / 1000} s`);
  return { ...written, code };
}

/** Claude Code gives its process id to command hooks; here it is the parent. */
const SCRIPT = 'CLAUDE_PID=$PPID; export CLAUDE_PID; untildone=$1; . "$0/hooks/hook.sh"';

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
