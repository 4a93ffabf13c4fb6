import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { keepShort } from '../../core/text/clip.ts';
import type { AgentStory } from '../../ports/ports.ts';
import { pollSignals } from './file.ts';
import { parseAgentLine } from './subagent.ts';

/** Of a longer transcript not every call can be told. */
const MAX_BYTES = 16 * 1024 * 1024;
const PROMPT_LIMIT = 20_000;
const MOST_FILES = 2000;
/** The client writes behind its own hooks. */
const WAIT_MS = 1000;

/** What a subagent was asked and did, from its own transcript; undefined when there is none. Never throws. */
export async function readAgentStory(path: string, maxBytes = MAX_BYTES): Promise<AgentStory | undefined> {
  await pollSignals(path, (signals) => signals.answered === true, WAIT_MS, { sidechain: true });
  const start = startOf(path, maxBytes);
  return start && storyIn(start.text.split('\n'), start.whole);
}

function storyIn(lines: readonly string[], whole: boolean): AgentStory {
  const edited = new Set<string>();
  const others = new Set<string>();
  let prompt: string | undefined;
  for (const line of lines) {
    const said = parseAgentLine(line);
    prompt ??= said.prompt;
    for (const file of said.edited) edited.add(file);
    for (const tool of said.others) others.add(tool);
  }
  return {
    ...(prompt === undefined ? {} : { prompt: keepShort(prompt, PROMPT_LIMIT) }),
    edited: [...edited].slice(0, MOST_FILES),
    others: [...others],
    whole: whole && edited.size <= MOST_FILES,
  };
}

function startOf(path: string, maxBytes: number): { text: string; whole: boolean } | undefined {
  let fd: number | undefined;
  try {
    if (!statSync(path).isFile()) return undefined;
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    const read = readSync(fd, bytes, 0, bytes.length, 0);
    return { text: bytes.toString('utf8', 0, read), whole: size <= maxBytes && read === size };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
