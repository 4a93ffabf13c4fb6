import { keepShort } from '../text/clip.ts';

/** What was said in a conversation, without what tools answered. */
export interface Utterance {
  /** summary: what the client wrote in place of what it dropped. */
  who: 'person' | 'agent' | 'summary';
  text: string;
  /** The names of the tools that the agent called with it. */
  tools: readonly string[];
}

const UTTERANCE_LIMIT = 6_000;

const NAMES: Record<Utterance['who'], string> = {
  person: 'PERSON',
  agent: 'AGENT',
  summary: 'SUMMARY OF WHAT CAME BEFORE',
};

/**
 * The conversation as a text of at most `limit` characters; what was said last is kept. The final message is often not
 * in the transcript yet when it is read: it is added where it is missing.
 */
export function conversationText(
  utterances: readonly Utterance[],
  lastMessage: string | undefined,
  limit: number,
): { text: string; whole: boolean } {
  const all = withLast(utterances, lastMessage);
  const parts: string[] = [];
  let left = limit;
  for (const utterance of [...all].reverse()) {
    const part = inWords(utterance);
    if (part.length + SEPARATOR.length > left) return { text: parts.join(SEPARATOR), whole: false };
    parts.unshift(part);
    left -= part.length + SEPARATOR.length;
  }
  return { text: parts.join(SEPARATOR), whole: true };
}

const SEPARATOR = '\n\n';

function inWords({ who, text, tools }: Utterance): string {
  const calls = tools.length === 0 ? '' : `(tools called: ${tools.join(', ')})`;
  const said = keepShort(text.trim(), UTTERANCE_LIMIT);
  return [`${NAMES[who]}:`, said, calls].filter((part) => part !== '').join('\n');
}

/** What was said, the final message included. */
export function withLast(utterances: readonly Utterance[], lastMessage: string | undefined): Utterance[] {
  const said = lastMessage?.trim() ?? '';
  const last = utterances.findLast((utterance) => utterance.who === 'agent')?.text.trim();
  if (said === '' || last?.endsWith(said)) return [...utterances];
  return [...utterances, { who: 'agent', text: said, tools: [] }];
}
