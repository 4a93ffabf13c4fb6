/** `untildone ask` in a shell line of the agent. */
import { simpleCommands } from '../shell/words.ts';

export interface AskRequest {
  text: string;
  options: string[];
  /** What the agent decided itself, where nobody answers. */
  decided?: string;
}

/** A longer line is not read: it has more to say than one question. */
const LINE_LIMIT = 20_000;

/**
 * What a line asks that does nothing else, and whose words are all written out. Undefined for other lines: the shell has to
 * read those.
 */
export function askInLine(line: string): AskRequest | undefined {
  if (line.length > LINE_LIMIT || !/\buntildone\S*\s+ask\b/.test(line) || /[$`]|<[<(]/.test(line))
    return undefined;
  const said = line.trimEnd();
  const commands = simpleCommands(said.endsWith(' 2>&1') ? said.slice(0, -5) : said).filter(
    ({ words }) => words[0] !== 'cd',
  );
  const [only, second] = commands;
  if (!only || second || only.inner?.length || only.assigns?.length || only.writes.length > 0)
    return undefined;
  const words =
    only.words[0] === 'npx'
      ? only.words.slice(1).filter((word, i) => i > 0 || !/^(?:-y|--yes)$/.test(word))
      : only.words;
  const [program = '', command, ...rest] = words;
  return /^untildone(?:@[\w.-]+)?$/.test(program) && command === 'ask' ? requestIn(rest) : undefined;
}

function requestIn(words: readonly string[]): AskRequest | undefined {
  const request: AskRequest = { text: '', options: [] };
  const said: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (word === '--') {
      said.push(...words.slice(i + 1));
      break;
    }
    const [, flag, inside] = /^--(option|decided)(?:=(.*))?$/s.exec(word) ?? [];
    // Other flags are for the command itself.
    if (flag === undefined && /^-/.test(word)) return undefined;
    if (flag === undefined) said.push(word);
    else {
      const value = inside ?? words[++i];
      if (value === undefined) return undefined;
      if (flag === 'option') request.options.push(value);
      else request.decided = value;
    }
  }
  return { ...request, text: said.join(' ') };
}
