/** What a settings file says about tests and checks. All readers have this shape. */

/** A setting that lets more pass. It is a weakening when it appears. */
export interface Loosening {
  key: string;
  text: string;
  line: number;
}

/** A setting that lets less pass. It is a weakening when it disappears, or when its value falls. */
export interface Guard {
  key: string;
  text: string;
  value?: number;
}

export interface ConfigReader {
  /** The first word of ids such as `coverage:jest.config.js:lines`. */
  id: string;
  reads(path: string): boolean;
  loosenings?(text: string, path: string): Loosening[];
  guards?(text: string, path: string): Guard[];
  /** New files are compared, too: they may loosen what ran without them. */
  newFilesToo?: true;
  /** Values are counts: what one file lost, another may have gained. */
  movesByNumber?: true;
}

/** Folders without tests, or with tests that another runner runs. */
export const NEVER_TESTS =
  /node_modules|\b(dist|build|out|coverage|target|vendor|fixtures?|e2e|cypress|playwright|worktrees|venv)\b|\.(git|next|nuxt|cache|claude|venv|tox|svelte-kit|output|idea|temp)\b|\{/;

/** A command that tests or checks, and whose failure is ignored. */
export const IGNORED_FAILURE =
  /^[^\n]*(?:test|spec|lint|check|pytest|mypy|tsc|clippy|\bvet\b|coverage|verify)[^\n|]*(\|\|\s*(?:true|exit 0|:|echo\b[^\n]*))(?=\s|$|["'])/gm;

export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** One loosening for each match; the first group, if any, is the key. */
export function matchesOf(text: string, expression: RegExp, words: (found: string) => string): Loosening[] {
  return [...text.matchAll(expression)].map((match) => {
    const found = (match[1] ?? match[0]).replace(/\s+/g, ' ').trim();
    return { key: found, text: words(found), line: lineOf(text, match.index) };
  });
}

const LONGEST_LIST = 5_000;

/** The strings in the list that follows `name`: `exclude: ['a', "b"]`, or its lines in an ini file. */
export function listAfter(text: string, name: RegExp): { value: string; line: number }[] {
  const heads = [
    ...text.matchAll(new RegExp(`(?<![\\w.-])["']?(?:${name.source})["']?\\s*[:=]\\s*(?:\\[|\\()`, 'g')),
  ];
  return heads.flatMap((head) => {
    const start = head.index + head[0].length;
    const [list = ''] = text.slice(start, start + LONGEST_LIST).split(/[\])]/, 1);
    return [...list.matchAll(/["'`]([^"'`\n]+)["'`]/g)].map((match) => ({
      value: match[1] ?? '',
      line: lineOf(text, start + match.index),
    }));
  });
}

export interface ConfigPair {
  path: string;
  /** Absent: the file is new. */
  before?: string;
  /** Absent: the file is gone. */
  after?: string;
}
