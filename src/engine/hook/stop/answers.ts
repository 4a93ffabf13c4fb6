import { type Answer, SILENCE } from '../../core/loop/event.ts';
import { keepShort } from '../../core/text/clip.ts';
import { REASON_LIMIT } from '../../core/words/reason.ts';

const BETWEEN = '\n\n---\n\n';

/** Joins the answers of all loops of a session. One refusal is enough to hold it, and every message is kept. */
export function joined(answers: readonly Answer[]): Answer {
  const halt = answers.find((a) => a.kind === 'halt');
  if (halt) return halt;
  const messages = answers.flatMap((a) => ('message' in a && a.message !== undefined ? [a.message] : []));
  const reasons = answers.flatMap((a) => (a.kind === 'refuse' ? [a.reason] : []));
  if (reasons.length > 0) {
    return withMessages({ kind: 'refuse', reason: inOne(reasons) }, messages);
  }
  const contexts = answers.flatMap((a) => (a.kind === 'inject' ? [a.context] : []));
  if (contexts.length > 0) return withMessages({ kind: 'inject', context: inOne(contexts) }, messages);
  const rewritten = answers.find((a) => a.kind === 'rewrite');
  if (rewritten) {
    const { input, permitted } = rewritten;
    return withMessages({ kind: 'rewrite', input, ...(permitted ? { permitted } : {}) }, messages);
  }
  if (answers.some((a) => a.kind === 'permit')) return withMessages({ kind: 'permit' }, messages);
  if (messages.length > 0) return withMessages(SILENCE, messages);
  return answers.find((a) => a.kind === 'ignore') ?? SILENCE;
}

/** Gives each part the same share of the room. */
function inOne(parts: readonly string[]): string {
  const room = Math.floor(REASON_LIMIT / parts.length) - BETWEEN.length;
  return parts.length === 1 ? (parts[0] ?? '') : parts.map((part) => keepShort(part, room)).join(BETWEEN);
}

/** Adds messages for the user to an answer. */
export function withMessages(answer: Answer, messages: readonly string[]): Answer {
  if (messages.length === 0) return answer;
  const own = 'message' in answer && answer.message !== undefined ? [answer.message] : [];
  const message = [...own, ...messages].join('\n');
  switch (answer.kind) {
    case 'refuse':
    case 'halt':
    case 'tell':
    case 'inject':
    case 'permit':
    case 'rewrite':
      return { ...answer, message };
    case 'silence':
    case 'ignore':
      return { kind: 'tell', message };
  }
}
