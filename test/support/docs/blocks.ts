/** The commands that pages show: in blocks of shell, in transcripts of a terminal, in workflows, and inside of sentences. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../../..');

export interface DocCommand {
  page: string;
  line: number;
  text: string;
  /** What the page shows below it, in a transcript. */
  output: string[];
}

export interface DocBlock {
  page: string;
  line: number;
  /** `sh`, `console`, `yaml`, ...; empty for a plain one. */
  language: string;
  /** `run=project`: it is run in this place. `exit=1`: its last command ends so. */
  marks: Record<string, string>;
  commands: DocCommand[];
  /** Lines that look like a command of ours, although the block is not one of commands. */
  stray: string[];
}

const SKIPPED = /node_modules|\/fixtures\/|\/corpus\//;

function markdownIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !SKIPPED.test(path));
  } catch {
    return [];
  }
}

/** Every page for a reader, by its path in the repository. What is new, and why it was decided so, speaks of the past. */
export function docPages(): string[] {
  const top = readdirSync(ROOT).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md');
  const below = ['docs', 'deploy', 'examples', 'plugin', 'plugin-ralph'].flatMap((folder) =>
    markdownIn(join(ROOT, folder)),
  );
  return [...top, ...below.map((path) => relative(ROOT, path))].filter(
    (page) => !page.startsWith('docs/adr/'),
  );
}

const FENCE = /^( *)(`{3,})([^\n`]*)$/;

export function blocksOf(page: string, text = readFileSync(join(ROOT, page), 'utf8')): DocBlock[] {
  const blocks: DocBlock[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', fence, info = ''] = FENCE.exec(lines[at] ?? '') ?? [];
    if (fence === undefined) continue;
    const first = at + 1;
    while (++at < lines.length && lines[at]?.trim() !== fence);
    const body = lines.slice(first, at).map((line) => line.replace(indent, ''));
    const [language = '', ...rest] = info.trim().split(/\s+/);
    const commands = commandsIn(language, body).map((command) => ({
      ...command,
      page,
      line: command.line + first + 1,
    }));
    const stray =
      commands.length > 0 ? [] : body.filter((line) => /^\s*(?:npx )?untildone [a-z-]/.test(line));
    blocks.push({ page, line: first, language, marks: marksOf(rest), commands, stray });
  }
  return blocks;
}

function marksOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words
      .map((word) => /^(\w+)=(.*)$/.exec(word) ?? ['', 'file', word])
      .map(([, name, value]) => [name, value]),
  );
}

type Found = Omit<DocCommand, 'page'>;

function commandsIn(language: string, body: readonly string[]): Found[] {
  if (/^(?:sh|bash|shell|zsh|fish)$/.test(language)) return shellLines(body);
  if (/^(?:console|text|)$/.test(language)) return transcriptLines(language, body);
  if (/^(?:ya?ml|md|!)$/.test(language)) return workflowLines(body);
  return [];
}

/** One command a line; a backslash at its end joins the next one, a line with a comment alone is none. */
function shellLines(body: readonly string[]): Found[] {
  const found: Found[] = [];
  for (let at = 0; at < body.length; at++) {
    const line = at;
    let text = body[at] ?? '';
    while (text.endsWith('\\') && at + 1 < body.length) text = `${text.slice(0, -1)}${body[++at]?.trim()}`;
    if (!/^\s*(?:#|$)/.test(text)) found.push({ line, text: text.replace(/^\$ /, '').trim(), output: [] });
  }
  return found;
}

/** `$ command`, and below it what it prints. A console without a prompt shows commands alone. */
function transcriptLines(language: string, body: readonly string[]): Found[] {
  const found: Found[] = [];
  const isTranscript = body.some((text) => text.startsWith('$ '));
  if (!isTranscript) return language === 'console' ? shellLines(body) : [];
  body.forEach((text, line) => {
    if (text.startsWith('$ ')) found.push({ line, text: text.slice(2).trim(), output: [] });
    else found.at(-1)?.output.push(text);
  });
  return found;
}

/** The lines of a workflow, or of a command of Claude Code, that call us: `- run: npx untildone verify`. */
function workflowLines(body: readonly string[]): Found[] {
  return body.flatMap((text, line) => {
    const [, command] =
      /^\s*(?:- )?(?:run: )?((?:npx (?:--yes |-y )?)?untildone(?:@\S+)? [a-z-].*)$/.exec(text) ?? [];
    return command === undefined ? [] : [{ line, text: command, output: [] }];
  });
}

/** Commands in sentences and tables: `untildone status --all`. */
export function inlineCommands(page: string, text = readFileSync(join(ROOT, page), 'utf8')): DocCommand[] {
  const withoutBlocks = text.replace(/^ *(`{3,})[^\n]*\n[\s\S]*?^ *\1$/gm, (block) =>
    block.replace(/[^\n]/g, ''),
  );
  return [...withoutBlocks.matchAll(/(?<!`)`((?:npx )?untildone [^`]+)`(?!`)/g)].map((match) => ({
    page,
    line: withoutBlocks.slice(0, match.index).split('\n').length,
    text: (match[1] ?? '').replaceAll('\\|', '|').replace(/\s+/g, ' '),
    output: [],
  }));
}
