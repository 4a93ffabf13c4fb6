import { type Answer, SILENCE } from '../../core/loop/answer.ts';
import type { ConfigChangeEvent, ToolEvent } from '../../core/loop/event.ts';
import { oneLine } from '../../core/text/clip.ts';
import { personOnlyCommand, refusedWrite } from '../../core/tools/protect.ts';
import type { ToolRuling } from '../../core/tools/tool-rules.ts';
import type { SessionPorts } from '../../judging/ports.ts';
import type { GuardedSession } from '../../ports/guarded-session.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';
import { withMessages } from '../stop/answers.ts';
import { rulingOnOwnFile } from './own-files.ts';
import { answerRuling, rulingOn } from './tool-rules.ts';

/** What comes from outside is cut to size before it is written. */
const WORD_LIMIT = 200;

/** A tool call of a session in a loop: refused when it reaches for the definition of done, or as the contract's rules say. */
export async function guardTool(
  event: ToolEvent,
  session: GuardedSession,
  ports: SessionPorts,
): Promise<Answer> {
  const refusal = refusalOf(event, session, ports);
  const ruling: ToolRuling = refusal ? { kind: 'refuse', ...refusal } : await rulingOn(event, session, ports);
  return answerRuling(event, ruling, session);
}

/** Claude Code would ask you: answered where a rule of the contract does, or for the loop's own files; else it asks. */
export async function guardPermission(
  event: ToolEvent,
  loop: SessionLoop,
  session: GuardedSession,
  ports: SessionPorts,
): Promise<Answer> {
  const ruled = await rulingOn(event, session, ports);
  const ruling = ruled.kind === 'none' ? await rulingOnOwnFile(event, loop, ports) : ruled;
  return answerRuling(event, ruling, session);
}

function refusalOf(
  event: ToolEvent,
  session: GuardedSession,
  ports: SessionPorts,
): { why: string; reason: string } | undefined {
  const command = event.tool === 'Bash' ? event.input.command : undefined;
  const forPeople = typeof command === 'string' ? personOnlyCommand(command) : undefined;
  if (forPeople) {
    const reason = `untildone: "untildone ${forPeople}" is for the person who started this. Go on with the task.`;
    return { why: `untildone ${forPeople}`, reason };
  }
  const { project } = session.contract.frozen;
  const cwd = event.cwd ?? project;
  const reason = refusedWrite(event.tool, event.input, ports.guard.protectedPaths(project), (path) =>
    ports.guard.resolve(cwd, path),
  );
  return reason ? { why: 'a protected path', reason } : undefined;
}

/** Settings changed in mid-session: a change that would switch our hooks off is refused, and so does not take effect. */
export function guardSettings(
  event: ConfigChangeEvent,
  session: GuardedSession,
  ports: SessionPorts,
): Answer {
  const problem = ports.guard.settingsProblem(session.contract.frozen.project);
  const messages = session.note({
    source: oneLine(event.source, WORD_LIMIT),
    ...(problem ? { refused: problem } : {}),
  });
  if (!problem) return withMessages(SILENCE, messages);
  const reason = `untildone: ${problem}. A loop is running; the change does not take effect.`;
  return withMessages({ kind: 'refuse', reason }, messages);
}
