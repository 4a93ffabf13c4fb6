/** What a person names when they submit a run, checked before anything is queued. */
import { UsageError } from '../text/errors.ts';
import { insideProject } from '../text/paths.ts';

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

const LABEL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const MOST_LABELS = 8;

/** Labels of a run or a worker: `gpu,linux`, given once or more often. Sorted, each once. */
export function checkedLabels(texts: readonly string[]): string[] {
  const labels = [...new Set(partsOf(texts))].sort();
  const odd = labels.find((label) => !LABEL.test(label));
  if (odd !== undefined)
    throw new UsageError(
      `"${odd}" is no label: it has at most 63 letters, digits, dots, dashes and underscores, and begins with a letter or a digit`,
    );
  if (labels.length > MOST_LABELS)
    throw new UsageError(`${labels.length} labels are too many: name at most ${MOST_LABELS}`);
  return labels;
}

/** Comma-separated values of a flag that may be repeated, too. */
export function partsOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',').map((part) => part.trim())).filter((part) => part !== '');
}

/** Names of variables. Their values are those of the worker: a job never holds one. */
export function checkedEnv(texts: readonly string[]): string[] {
  const names = [...new Set(texts.flatMap((text) => (text.includes('=') ? [text] : partsOf([text]))))];
  for (const name of names) {
    if (name.includes('='))
      throw new UsageError(
        `--env takes the name of a variable, not its value: type --env ${name.slice(0, name.indexOf('='))}, and set it where the worker runs`,
      );
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name))
      throw new UsageError(`"${name}" is no name of a variable`);
    if (/^(UNTILDONE_|NODE_OPTIONS$|LD_|DYLD_|GIT_)/i.test(name))
      throw new UsageError(`the variable ${name} steers the worker itself, so no run gets it`);
  }
  return names.sort();
}

export function checkedKey(text: string): string {
  const key = text.trim();
  if (key !== '' && key.length <= 200 && !hasControl(key)) return key;
  throw new UsageError(
    'a key has 1 to 200 characters in one line; type for example: --key nightly-2026-01-31',
  );
}

/** A folder in the repository; undefined for its top. */
export function checkedFolder(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const folder = insideProject(text.replaceAll('\\', '/'));
  if (folder === undefined || hasControl(folder) || folder.split('/')[0] === '.git')
    throw new UsageError(`"${text}" is no folder in the repository: name it from the top, like packages/api`);
  return folder === '.' ? undefined : folder;
}

/** The name of a schedule: part of a ref and of keys. */
export function checkedScheduleName(text: string): string {
  const name = text.trim();
  if (LABEL.test(name) && !name.includes('..') && !/\.(lock)?$/.test(name)) return name;
  throw new UsageError(
    `"${text}" is no name of a schedule: it has at most 63 letters, digits, dots, dashes and underscores, and begins with a letter or a digit`,
  );
}
