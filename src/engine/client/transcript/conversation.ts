import type { Utterance } from '../../core/loop/transcript.ts';
import { asFields, type Fields, parseFields } from '../fields.ts';
import { readAt, withFile } from './file.ts';

/** The most tools that are named of one utterance. */
const MOST_TOOLS = 50;

/**
 * What was said on the main thread, from lines of a transcript in their order. Leaves out the answers of hooks and tools, and
 * lines that it does not understand. Never throws.
 */
export function parseConversation(lines: Iterable<string>): Utterance[] {
  const found: (Utterance & { id?: string })[] = [];
  for (const line of lines) {
    const said = utteranceIn(line);
    if (!said) continue;
    const last = found.at(-1);
    // Claude Code writes one line for each block of an answer.
    if (last && last.who === 'agent' && said.who === 'agent' && said.id !== undefined && said.id === last.id)
      found[found.length - 1] = { ...last, ...joined(last, said) };
    else found.push(said);
  }
  return found.map(({ who, text, tools }) => ({ who, text, tools }));
}

function joined(a: Utterance, b: Utterance): Pick<Utterance, 'text' | 'tools'> {
  return {
    text: [a.text, b.text].filter((text) => text !== '').join('\n'),
    tools: [...a.tools, ...b.tools].slice(0, MOST_TOOLS),
  };
}

function utteranceIn(line: string): (Utterance & { id?: string }) | undefined {
  // Most bytes of a transcript are other lines: skip them before parsing.
  if (!line.includes('"user"') && !line.includes('"assistant"')) return undefined;
  const entry = parseFields(line);
  const message = asFields(entry?.message);
  if (!entry || !message || entry.isSidechain === true || entry.isMeta === true) return undefined;
  const blocks = blocksOf(message.content);
  const text = blocks
    .flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? [block.text] : []))
    .join('\n');
  if (entry.type === 'user') return saidByPerson(entry, blocks, text);
  if (entry.type !== 'assistant' || entry.isApiErrorMessage === true || message.model === '<synthetic>')
    return undefined;
  const tools = blocks.flatMap((block) =>
    block.type === 'tool_use' && typeof block.name === 'string' ? [block.name.slice(0, 100)] : [],
  );
  if (text.trim() === '' && tools.length === 0) return undefined;
  return {
    who: 'agent',
    text,
    tools: tools.slice(0, MOST_TOOLS),
    id: typeof message.id === 'string' ? message.id : undefined,
  };
}

function saidByPerson(entry: Fields, blocks: readonly Fields[], text: string): Utterance | undefined {
  if (text.trim() === '' || blocks.some((block) => block.type === 'tool_result')) return undefined;
  return { who: entry.isCompactSummary === true ? 'summary' : 'person', text, tools: [] };
}

function blocksOf(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.map(asFields).filter((block) => block !== undefined);
}

/** The most bytes that are read, from the end of a transcript. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The end of the conversation in a transcript, oldest first; empty for what is not a readable file. Never throws. */
export function readConversation(path: string, maxBytes = MAX_BYTES): Utterance[] {
  const text = endOf(path, maxBytes);
  return text === undefined ? [] : parseConversation(text.split('\n'));
}

function endOf(path: string, maxBytes: number): string | undefined {
  return withFile(path, (fd, size) => {
    const start = Math.max(0, size - maxBytes);
    const text = readAt(fd, start, size - start).toString('utf8');
    // The first line of a part may be the rest of an earlier line.
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  });
}
