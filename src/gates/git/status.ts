/** `git status --porcelain=v2 --branch -z`, as values. */

export interface StatusEntry {
  kind: 'changed' | 'unmerged' | 'untracked';
  /** Two letters, as git writes them: index and working tree. */
  letters: string;
  path: string;
}

export interface GitStatus {
  /** Undefined before the first commit. */
  commit?: string;
  /** Undefined when HEAD is detached. */
  branch?: string;
  upstream?: string;
  /** Commits that the upstream does not have; undefined when the upstream is gone. */
  ahead?: number;
  entries: StatusEntry[];
}

/** Paths come relative to the repository; `prefix` is the project's folder in it, with a slash at its end. */
export function parseStatus(output: string, prefix: string): GitStatus {
  const status: GitStatus = { entries: [] };
  const parts = output.split('\0');
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? '';
    if (part.startsWith('# ')) readHeader(part, status);
    const entry = entryOf(part, prefix);
    if (entry) status.entries.push(entry);
    // A renamed file is followed by its old name.
    if (part.startsWith('2 ')) i++;
  }
  return status;
}

function readHeader(line: string, status: GitStatus): void {
  const [, name, value = ''] = /^# branch\.(\S+) (.*)$/s.exec(line) ?? [];
  if (name === 'oid' && value !== '(initial)') status.commit = value;
  if (name === 'head' && value !== '(detached)') status.branch = value;
  if (name === 'upstream') status.upstream = value;
  if (name === 'ab') status.ahead = Number(/^\+(\d+)/.exec(value)?.[1] ?? 0);
}

/** How many words stand before the path. */
const WORDS = { '1': 8, '2': 9, u: 10, '?': 1 } as const;
const KINDS = { '1': 'changed', '2': 'changed', u: 'unmerged', '?': 'untracked' } as const;

function entryOf(line: string, prefix: string): StatusEntry | undefined {
  const type = line[0] as keyof typeof WORDS;
  if (line[1] !== ' ' || !(type in WORDS)) return undefined;
  const words = line.split(' ');
  const path = words.slice(WORDS[type]).join(' ');
  return {
    kind: KINDS[type],
    letters: type === '?' ? '??' : (words[1] ?? ''),
    path: path.startsWith(prefix) ? path.slice(prefix.length) : path,
  };
}

const WORD_OF: Record<string, string> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  T: 'type changed',
};

/** `modified, not committed: src/a.ts`. */
export function describeEntry({ kind, letters, path }: StatusEntry): string {
  if (kind === 'untracked') return `untracked: ${path}`;
  if (kind === 'unmerged') return `not merged: ${path}`;
  const letter = letters.replaceAll('.', '').at(-1) ?? 'M';
  const staged = letters[1] === '.' ? 'staged, not committed' : 'not committed';
  return `${WORD_OF[letter] ?? 'modified'}, ${staged}: ${path}`;
}
