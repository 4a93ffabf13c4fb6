import { type Answer, SILENCE } from '../core/answer.ts';
import { oneLine } from '../core/clip.ts';
import type { ConfigChangeEvent, ToolEvent } from '../core/event.ts';
import type { Entry } from '../core/journal.ts';
import { personOnlyCommand, refusedWrite } from '../core/protect.ts';
import type { ToolRuling } from '../core/tool-rules.ts';
import type { SessionLoop } from '../ports/session-loop.ts';
import type { LoopRef } from '../ports.ts';
import { withMessages } from './answers.ts';
import type { SessionPorts } from './judging-ports.ts';
import { rulingOnOwnFile } from './own-files.ts';
import { answerFor, noteOfRuling, rulingInLoop } from './tool-rules.ts';
import { noteDown } from './unwritten.ts';

/** What comes from outside is cut to size before it is written. */
const WORD_LIMIT = 200;

/** A tool call of a session in a loop: refused when it reaches for the definition of done, or as the contract's rules say. */
export async function guardTool(event: ToolEvent, loop: SessionLoop, ports: SessionPorts): Promise<Answer> {
  const { ref, state } = loop;
  const refusal = refusalOf(event, ref, ports);
  const ruling: ToolRuling = refusal
    ? { kind: 'refuse', ...refusal }
    : await rulingInLoop(event, ref, state, ports);
  return withMessages(answerFor(event, ruling), noteRuling(event, loop, ruling, ports));
}

/** The client would ask a person: answered where a rule of the contract does, or for the loop's own files, and left to the client elsewhere. */
export async function guardPermission(
  event: ToolEvent,
  loop: SessionLoop,
  ports: SessionPorts,
): Promise<Answer> {
  const ruled = await rulingInLoop(event, loop.ref, loop.state, ports);
  const ruling = ruled.kind === 'none' ? await rulingOnOwnFile(event, loop, ports) : ruled;
  return withMessages(answerFor(event, ruling), noteRuling(event, loop, ruling, ports));
}

/** Returns what the person should be told. */
function noteRuling(event: ToolEvent, loop: SessionLoop, ruling: ToolRuling, ports: SessionPorts): string[] {
  const detail = { tool: oneLine(event.tool, WORD_LIMIT), ...noteOfRuling(ruling) };
  const entry: Entry = { kind: 'event', event: event.name, detail };
  return noteDown(event, loop, entry, ports, { durable: ruling.kind !== 'none' }).messages;
}

function refusalOf(
  event: ToolEvent,
  ref: LoopRef,
  ports: SessionPorts,
): { why: string; reason: string } | undefined {
  const command = event.tool === 'Bash' ? event.input.command : undefined;
  const forPeople = typeof command === 'string' ? personOnlyCommand(command) : undefined;
  if (forPeople) {
    const reason = `untildone: "untildone ${forPeople}" is for the person who started this. Go on with the task.`;
    return { why: `untildone ${forPeople}`, reason };
  }
  const { project } = ports.store.contract(ref).frozen;
  const cwd = event.cwd ?? project;
  const reason = refusedWrite(event.tool, event.input, ports.guard.protectedPaths(project), (path) =>
    ports.guard.resolve(cwd, path),
  );
  return reason ? { why: 'a protected path', reason } : undefined;
}

/** Settings changed in mid-session: a change that would switch our hooks off is refused, and so does not take effect. */
export function guardSettings(event: ConfigChangeEvent, loop: SessionLoop, ports: SessionPorts): Answer {
  const problem = ports.guard.settingsProblem(ports.store.contract(loop.ref).frozen.project);
  const detail = { source: oneLine(event.source, WORD_LIMIT), ...(problem ? { refused: problem } : {}) };
  const { messages } = noteDown(event, loop, { kind: 'event', event: event.name, detail }, ports);
  if (!problem) return withMessages(SILENCE, messages);
  const reason = `untildone: ${problem}. A loop is running; the change does not take effect.`;
  return withMessages({ kind: 'refuse', reason }, messages);
}
