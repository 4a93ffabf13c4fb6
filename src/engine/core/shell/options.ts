/** Questions about the words of a call. */

/** Whether a short option is among the words, alone or together with others: `-e`, `-xe`. */
export function hasFlag(words: readonly string[], letter: string): boolean {
  return words.some((word) => /^-[a-zA-Z]+$/.test(word) && word.includes(letter));
}

/** Whether an option is among the words, with or without a value behind `=`. */
export function hasOption(words: readonly string[], ...options: readonly string[]): boolean {
  return words.some((word) => options.some((option) => word === option || word.startsWith(`${option}=`)));
}

/** The words that are no options and no values of these options. */
export function plainWords(words: readonly string[], withValue: readonly string[] = []): string[] {
  return words.filter((word, i) => !word.startsWith('-') && !withValue.includes(words[i - 1] ?? ''));
}
