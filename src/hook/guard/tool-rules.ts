/** The tool rules of a contract, asked when the client is about to use a tool or would ask a person whether it may. */

import { type Answer, SILENCE, type ToolEvent } from '../../core/loop/event.ts';
import { oneLine } from '../../core/text/clip.ts';
import type { ToolRuling } from '../../core/tools/tool-rules.ts';
import type { JudgingPorts } from '../../judging/ports.ts';
import type { GuardedSession } from '../../ports/guarded-session.ts';
import { withMessages } from '../stop/answers.ts';

const NOTHING: ToolRuling = { kind: 'none' };
/** What comes from outside is cut to size before it is written. */
const WORD_LIMIT = 200;

/** What the contract of a session rules about a tool call. A contract that nobody approved rules nothing. */
export async function rulingOn(
  event: ToolEvent,
  session: Pick<GuardedSession, 'contract' | 'rules'>,
  ports: Pick<JudgingPorts, 'tools'>,
): Promise<ToolRuling> {
  const { name, tool, input } = event;
  const { contract, frozen } = session.contract;
  if (contract.tools === undefined || (name !== 'PreToolUse' && name !== 'PermissionRequest')) return NOTHING;
  if (!session.rules()) return NOTHING;
  const { project } = frozen;
  const call = { event: name, tool, input, cwd: event.cwd ?? project };
  return (await ports.tools()).judge(call, contract.tools, project);
}

/** Records what was ruled, and answers with it. */
export function answerRuling(
  event: ToolEvent,
  ruling: ToolRuling,
  session: Pick<GuardedSession, 'note'>,
): Answer {
  const detail = { tool: oneLine(event.tool, WORD_LIMIT), ...noteOfRuling(ruling) };
  const messages = session.note(detail, { durable: ruling.kind !== 'none' });
  return withMessages(answerFor(event, ruling), messages);
}

/** When the client would ask a person, the only word of ours is yes: what we refuse was refused before. */
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

/** What the journal keeps of it; never the input. */
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
