/** The files that a program changes, as its words name them. */
import { baseName } from '../shell/calls.ts';

/** Programs that change the files they name. Reading a protected file is fine. */
const CHANGERS =
  /^(?:rm|rimraf|unlink|shred|truncate|touch|tee|sponge|chmod|chown|patch|ed|ex|vi|vim|nvim|nano|mkdir|rmdir)$/;
/** Programs that write to the last name. */
const COPIERS = /^(?:cp|mv|ln|install|rsync|scp)$/;
/** Programs that change their sources, too. */
const TAKERS = /^(?:mv|ln)$/;
/** Programs that change files only with certain options. */
const CHANGERS_WITH: Record<string, RegExp> = {
  sed: /^-[a-zA-Z]*i|^--in-place/,
  perl: /^-[a-zA-Z]*i/,
  ruby: /^-[a-zA-Z]*i/,
  awk: /^inplace$/,
  gawk: /^inplace$/,
  yq: /^-i$|^--inplace/,
  curl: /^-[a-zA-Z]*[oO]|^--(?:output|remote-name)/,
  wget: /./,
  sort: /^-o|^--output/,
  'ssh-keygen': /^-f/,
};
/** Options whose value is a file that is written, whatever the program. */
const OUTPUT = /^(?:-o|-out|--out|--output|--output-file)$/;
/** Options of formatters. Agents run these on whole projects, so only files that are named count, not patterns. */
const IN_PLACE = /^--(?:write|fix|in-?place)$/;

/** The names among a call's words that it may change. */
export function changedNames(program: string, words: readonly string[]): string[] {
  const names = namesIn(program === 'sed' ? withoutScript(words) : words);
  if (COPIERS.test(program)) return copiedTo(program, words, names);
  if (program === 'dd') return words.filter((word) => word.startsWith('of=')).map((word) => word.slice(3));
  return [
    ...changedByProgram(program, words, names),
    ...words.filter((_, i) => OUTPUT.test(words[i - 1] ?? '')),
    ...(CHANGERS_WITH[program] ? words.flatMap((word) => /^-[oO](.+)/.exec(word)?.[1] ?? []) : []),
  ];
}

/** The words of `sed` without its script, which is no file. */
function withoutScript(words: readonly string[]): string[] {
  const isExpression = (word: string | undefined) => /^-[a-zA-Z]*e$|^--expression$/.test(word ?? '');
  if (words.some((word) => isExpression(word) || /^(?:-f|--file|--expression=)/.test(word)))
    return words.filter((word, i) => !isExpression(words[i - 1]) && !word.startsWith('--expression='));
  const script = words.findIndex((word) => word !== '' && !word.startsWith('-'));
  return words.filter((_, i) => i !== script);
}

function changedByProgram(
  program: string,
  words: readonly string[],
  names: readonly string[],
): readonly string[] {
  const pattern = CHANGERS_WITH[program];
  if (CHANGERS.test(program) || words.some((word) => pattern?.test(word))) {
    // A download is saved under the name that it has in its address.
    return /^(?:wget|curl)$/.test(program) ? [...names, ...names.map(baseName)] : names;
  }
  return words.some((word) => IN_PLACE.test(word)) ? names.filter((name) => !/[*?[{]/.test(name)) : [];
}

/** The words without options; of `--output=FILE`, the value. */
export function namesIn(words: readonly string[]): string[] {
  return words.flatMap((word) =>
    word.startsWith('-') ? (word.includes('=') ? [word.slice(word.indexOf('=') + 1)] : []) : [word],
  );
}

function copiedTo(program: string, words: readonly string[], names: readonly string[]): string[] {
  const named = words.find((word) => word.startsWith('--target-directory='))?.slice(19);
  const at = words.findIndex((word) => /^(?:-t|--target-directory)$/.test(word));
  const close = program === 'rsync' ? undefined : words.find((word) => /^-t./.test(word))?.slice(2);
  const target = named ?? close ?? (at >= 0 ? words[at + 1] : names.at(-1)) ?? '';
  const sources = names.filter((name) => name !== target);
  return [
    target,
    ...sources.map((source) => `${target}/${baseName(source)}`),
    ...(TAKERS.test(program) ? sources : []),
  ];
}
