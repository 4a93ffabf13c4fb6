/** Reads what a person typed behind a slash command. No shell is asked: quotes group words, and nothing is expanded. */

interface Word {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"|'([^']*)'`;
/** A quoted word, a flag with a quoted value, or anything without blanks. A quote inside of a word is a letter. */
const WORD = new RegExp(String.raw`(--[a-z][a-z-]*=)?(?:${QUOTED})(?=\s|$)|\S+`, 'gsu');

/** The words with their places in the text. A text without its closing quote is taken word by word. */
function wordsIn(text: string): Word[] {
  return [...text.matchAll(WORD)].map((match) => {
    const [whole, flag = '', double, single] = match;
    const quoted = double?.replace(/\\(["\\])/g, '$1') ?? single;
    const value = quoted === undefined ? whole : flag + quoted;
    return { start: match.index, end: match.index + whole.length, value };
  });
}

export function splitWords(text: string): string[] {
  return wordsIn(text).map(({ value }) => value);
}

export interface Task {
  /** Ready for the command line, as `--name=value`. */
  readonly flags: string[];
  /** Word for word, with its line breaks and quotes. */
  readonly task: string;
}

/** What a flag takes: a word that the pattern fits. At the end of the text, `quoted` values have to stand in quotes. */
export interface FlagForm {
  readonly name: string;
  readonly value: RegExp;
  readonly quoted?: boolean;
}

const ANY = /^(?!--[a-z])[\s\S]*\S/;
export const LOOP_FLAGS: readonly FlagForm[] = [
  { name: '--max-iterations', value: /^(?:\d+|unlimited)$/ },
  { name: '--max-duration', value: /^(?:(?:\d+[smhd])+|unlimited)$/ },
  { name: '--promise', value: ANY, quoted: true },
];

/**
 * Takes flags from the beginning and from the end. Everything between them is the task, also what looks like a flag there or
 * like one that does not exist. Behind `--` everything is the task.
 */
export function splitTask(text: string, forms: readonly FlagForm[]): Task {
  const words = wordsIn(text);
  const flags: string[] = [];
  let first = 0;
  for (let taken = flagAt(words, first, forms); taken; taken = flagAt(words, first, forms)) {
    flags.push(taken.flag);
    first += taken.words;
  }
  if (words[first]?.value === '--') return { flags, task: text.slice(words[first]?.end).trim() };
  const tail = flagsAtEnd(text, words, first, forms);
  const from = words[first]?.start ?? text.length;
  return { flags: [...flags, ...tail.flags], task: text.slice(from, tail.from).trim() };
}

function flagAt(
  words: readonly Word[],
  at: number,
  forms: readonly FlagForm[],
): { flag: string; form: FlagForm; words: 1 | 2 } | undefined {
  const word = words[at]?.value ?? '';
  for (const form of forms) {
    const inline = word.startsWith(`${form.name}=`) ? word.slice(form.name.length + 1) : undefined;
    if (inline !== undefined && form.value.test(inline)) return { flag: word, form, words: 1 };
    const next = words[at + 1]?.value;
    if (word === form.name && next !== undefined && form.value.test(next))
      return { flag: `${form.name}=${next}`, form, words: 2 };
  }
  return undefined;
}

/** Flags behind the task: the longest row of them that reaches to the end of the text. */
function flagsAtEnd(text: string, words: readonly Word[], first: number, forms: readonly FlagForm[]) {
  for (let start = first + 1; start < words.length; start++) {
    const flags: string[] = [];
    let at = start;
    for (let taken = flagAt(words, at, forms); taken; taken = flagAt(words, at, forms)) {
      const last = words[at + taken.words - 1];
      if (taken.form.quoted && !/["']$/.test(text.slice(0, last?.end))) break;
      flags.push(taken.flag);
      at += taken.words;
    }
    if (at === words.length) return { flags, from: words[start]?.start ?? text.length };
  }
  return { flags: [], from: text.length };
}

const RALPH_FLAGS = ['--max-iterations', '--completion-promise'];

/**
 * Reads the arguments of `/ralph-loop` as its users type them: flags anywhere outside of quotes, the prompt in quotes or not.
 * A promise of several words without quotes is taken whole when it follows the prompt.
 */
export function splitRalph(text: string): Task {
  const words = wordsIn(text);
  const flags: string[] = [];
  let prompt = '';
  let end = 0;
  for (let at = 0; at < words.length; ) {
    const word = words[at];
    if (word === undefined || word.value === '--') {
      prompt += text.slice(word?.end);
      break;
    }
    const taken = ralphFlagAt(words, at, prompt.trim() !== '');
    if (!taken) {
      prompt += text.slice(end === 0 ? word.start : end, word.end);
      end = word.end;
      at += 1;
      continue;
    }
    flags.push(taken.flag);
    at += taken.words;
    end = words[at - 1]?.end ?? end;
  }
  return { flags, task: unquoted(prompt.trim()) };
}

function ralphFlagAt(words: readonly Word[], at: number, promptBefore: boolean) {
  const word = words[at]?.value ?? '';
  if (word === '--no-safety-stop') return { flag: word, words: 1 };
  const name = RALPH_FLAGS.find((flag) => word === flag || word.startsWith(`${flag}=`));
  if (name === undefined) return undefined;
  if (word !== name) return { flag: word, words: 1 };
  const rest = words.slice(at + 1).map(({ value }) => value);
  const end = rest.findIndex((value) => /^--([a-z]|$)/.test(value));
  const free = end < 0 ? rest : rest.slice(0, end);
  const value = name === '--completion-promise' && promptBefore ? free : free.slice(0, 1);
  return { flag: value.length === 0 ? name : `${name}=${value.join(' ')}`, words: 1 + value.length };
}

/** The text without its quotes, when it is one quoted text as a whole. */
function unquoted(text: string): string {
  const [only, second] = wordsIn(text);
  return only !== undefined && second === undefined && /^["']/.test(text) ? only.value : text;
}
