import { type Answer, SILENCE } from '../core/answer.ts';
import { oneLine } from '../core/clip.ts';
import type { ConfigChangeEvent, ToolEvent } from '../core/event.ts';
import { personOnlyCommand, refusedWrite } from '../core/protect.ts';
import type { LoopRef, Ports } from '../ports.ts';

/** What comes from outside is cut to size before it is written. */
const WORD_LIMIT = 200;

/** A tool call of a session in a loop: refused when it reaches for the definition of done. */
export function guardTool(event: ToolEvent, ref: LoopRef, ports: Ports): Answer {
  const refusal = refusalOf(event, ref, ports);
  const detail = { tool: oneLine(event.tool, WORD_LIMIT), ...(refusal ? { refused: refusal.why } : {}) };
  ports.store.append(ref, () => ({ kind: 'event', event: event.name, detail }), {
    durable: refusal !== undefined,
  });
  return refusal ? { kind: 'refuse', reason: refusal.reason } : SILENCE;
}

function refusalOf(
  event: ToolEvent,
  ref: LoopRef,
  ports: Ports,
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
export function guardSettings(event: ConfigChangeEvent, ref: LoopRef, ports: Ports): Answer {
  const problem = ports.guard.settingsProblem(ports.store.contract(ref).frozen.project);
  const detail = { source: oneLine(event.source, WORD_LIMIT), ...(problem ? { refused: problem } : {}) };
  ports.store.append(ref, () => ({ kind: 'event', event: event.name, detail }));
  if (!problem) return SILENCE;
  return {
    kind: 'refuse',
    reason: `untildone: ${problem}. A loop is running; the change does not take effect.`,
  };
}
