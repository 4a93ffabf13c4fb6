/** The tool rules of a contract, asked when the client is about to use a tool or would ask a person whether it may. */
import { type Answer, SILENCE } from '../core/answer.ts';
import type { FrozenContract } from '../core/contract.ts';
import type { ToolEvent } from '../core/event.ts';
import type { LoopState } from '../core/loop.ts';
import type { ToolRuling } from '../core/tool-rules.ts';
import type { LoopRef } from '../ports.ts';
import type { JudgingPorts } from './judging-ports.ts';
import { rulingContract } from './ruling-contract.ts';

const NOTHING: ToolRuling = { kind: 'none' };

/** In a loop. What nobody approved, or was put in the contract's place, rules nothing. */
export async function rulingInLoop(
  event: ToolEvent,
  ref: LoopRef,
  state: LoopState,
  ports: JudgingPorts,
): Promise<ToolRuling> {
  if (ports.store.contract(ref).contract.tools === undefined) return NOTHING;
  const ruling = rulingContract(ref, state, ports);
  return ruling ? rulingOf(event, ruling, ports) : NOTHING;
}

/** In a session without a loop; the contract was approved. */
export async function toolInSession(
  event: ToolEvent,
  frozen: FrozenContract,
  ports: JudgingPorts,
): Promise<Answer> {
  if (frozen.contract.tools === undefined) return SILENCE;
  return answerFor(event, await rulingOf(event, frozen, ports));
}

async function rulingOf(event: ToolEvent, frozen: FrozenContract, ports: JudgingPorts): Promise<ToolRuling> {
  const { name, tool, input } = event;
  const { tools } = frozen.contract;
  if (tools === undefined || (name !== 'PreToolUse' && name !== 'PermissionRequest')) return NOTHING;
  const { project } = frozen.frozen;
  return (await ports.tools()).judge({ event: name, tool, input, cwd: event.cwd ?? project }, tools, project);
}

/** When the client would ask a person, the only word of ours is yes: what we refuse was refused before. */
export function answerFor(event: ToolEvent, ruling: ToolRuling): Answer {
  switch (ruling.kind) {
    case 'none':
      return SILENCE;
    case 'refuse':
      return event.name === 'PreToolUse' ? { kind: 'refuse', reason: ruling.reason } : SILENCE;
    case 'permit':
      return { kind: 'permit' };
    case 'rewrite':
      return { kind: 'rewrite', input: ruling.input };
  }
}

/** What the journal keeps of it; never the input. */
export function noteOfRuling(ruling: ToolRuling): Record<string, string> {
  switch (ruling.kind) {
    case 'none':
      return {};
    case 'refuse':
      return { refused: ruling.why };
    case 'permit':
      return { allowed: ruling.rule };
    case 'rewrite':
      return { rewritten: ruling.what };
  }
}
