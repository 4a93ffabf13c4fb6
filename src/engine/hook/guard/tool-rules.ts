/** The tool rules of a contract. They answer before a tool call, and when Claude Code would ask the user for permission. */

import { type Answer, SILENCE, type ToolEvent } from '../../core/loop/event.ts';
import { agentDetail } from '../../core/loop/subagents.ts';
import { oneLine } from '../../core/text/clip.ts';
import type { ToolRuling } from '../../core/tools/tool-rules.ts';
import type { Ports } from '../../judging/ports.ts';
import type { GuardedSession } from '../../ports/guarded-session.ts';
import { withMessages } from '../stop/answers.ts';

const NOTHING: ToolRuling = { kind: 'none' };
/** Texts from outside are cut short in the journal. */
const WORD_LIMIT = 200;

/** What the contract of a session says about a tool call. A contract that is not trusted says nothing. */
export async function rulingOn(
  event: ToolEvent,
  session: Pick<GuardedSession, 'contract' | 'rules'>,
  ports: Pick<Ports, 'tools'>,
): Promise<ToolRuling> {
  const { name, tool, input } = event;
  const { contract, frozen } = session.contract;
  if (contract.tools === undefined || (name !== 'PreToolUse' && name !== 'PermissionRequest')) return NOTHING;
  if (!session.rules()) return NOTHING;
  const { project } = frozen;
  const call = { event: name, tool, input, cwd: event.cwd ?? project };
  return (await ports.tools()).judge(call, contract.tools, project);
}

/** Answers a tool call of a session without a loop by the rules of the contract. */
export async function ruleOn(
  event: ToolEvent,
  session: GuardedSession,
  ports: Pick<Ports, 'tools'>,
): Promise<Answer> {
  return answerRuling(event, await rulingOn(event, session, ports), session);
}

/** Records the ruling, and answers with it. */
export function answerRuling(
  event: ToolEvent,
  ruling: ToolRuling,
  session: Pick<GuardedSession, 'note'>,
): Answer {
  const detail = { tool: oneLine(event.tool, WORD_LIMIT), ...agentDetail(event), ...noteOfRuling(ruling) };
  const messages = session.note(detail, { durable: ruling.kind !== 'none' });
  return withMessages(answerFor(event, ruling), messages);
}

/** A permission question is only ever answered with yes: what is refused was refused before the call. */
function answerFor(event: ToolEvent, ruling: ToolRuling): Answer {
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

/** What the journal keeps of a ruling; never the tool's input. */
function noteOfRuling(ruling: ToolRuling): Record<string, string> {
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
