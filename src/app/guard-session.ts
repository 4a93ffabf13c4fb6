import { type Answer, SILENCE } from '../core/answer.ts';
import { oneLine } from '../core/clip.ts';
import type { ConfigChangeEvent, ToolEvent } from '../core/event.ts';
import { personOnlyCommand, refusedWrite } from '../core/protect.ts';
import type { ToolRuling } from '../core/tool-rules.ts';
import type { LoopRef } from '../ports.ts';
import type { OwnLoop } from './handle-stop.ts';
import type { SessionPorts } from './session-care.ts';
import { answerFor, noteOfRuling, rulingInLoop } from './tool-rules.ts';

/** What comes from outside is cut to size before it is written. */
const WORD_LIMIT = 200;

/** A tool call of a session in a loop: refused when it reaches for the definition of done, or as the contract's rules say. */
export async function guardTool(event: ToolEvent, loop: OwnLoop, ports: SessionPorts): Promise<Answer> {
  const { ref, state } = loop;
  const refusal = refusalOf(event, ref, ports);
  const ruling: ToolRuling = refusal
    ? { kind: 'refuse', ...refusal }
    : await rulingInLoop(event, ref, state, ports);
  noteRuling(event, ref, ruling, ports);
  return answerFor(event, ruling);
}

/** The client would ask a person: answered where a rule of the contract does, and left to the client elsewhere. */
export async function guardPermission(event: ToolEvent, loop: OwnLoop, ports: SessionPorts): Promise<Answer> {
  const ruling = await rulingInLoop(event, loop.ref, loop.state, ports);
  noteRuling(event, loop.ref, ruling, ports);
  return answerFor(event, ruling);
}

function noteRuling(event: ToolEvent, ref: LoopRef, ruling: ToolRuling, ports: SessionPorts): void {
  const detail = { tool: oneLine(event.tool, WORD_LIMIT), ...noteOfRuling(ruling) };
  ports.store.append(ref, () => ({ kind: 'event', event: event.name, detail }), {
    durable: ruling.kind !== 'none',
  });
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
export function guardSettings(event: ConfigChangeEvent, ref: LoopRef, ports: SessionPorts): Answer {
  const problem = ports.guard.settingsProblem(ports.store.contract(ref).frozen.project);
  const detail = { source: oneLine(event.source, WORD_LIMIT), ...(problem ? { refused: problem } : {}) };
  ports.store.append(ref, () => ({ kind: 'event', event: event.name, detail }));
  if (!problem) return SILENCE;
  return {
    kind: 'refuse',
    reason: `untildone: ${problem}. A loop is running; the change does not take effect.`,
  };
}
