/** The text of one test, found by the name that its runner gives it. Good enough to show it, and to see that it changed. */

export interface TestForm {
  path: string;
  /** Of its first line, from 1. */
  line: number;
  lines: string[];
}

/** The test in one of these files; undefined when no file seems to hold it. */
export function formOf(name: string, files: ReadonlyMap<string, string>): TestForm | undefined {
  const titles = titlesOf(name);
  const paths = [...files.keys()].sort((a, b) => closeness(b, name) - closeness(a, name));
  for (const title of titles)
    for (const path of paths) {
      const form = regionIn(path, files.get(path) ?? '', title);
      if (form) return form;
    }
  return undefined;
}

/** The file that a test's name names, among these. Runners name a path, a dotted module, a class or a package. */
export function fileOf(name: string, paths: Iterable<string>): string | undefined {
  let best: { path: string; score: number } | undefined;
  for (const path of paths) {
    const score = closeness(path, name);
    if (score > 0 && score > (best?.score ?? 0)) best = { path, score };
  }
  return best?.path;
}

/** How much of a path the name of a test repeats; 0: nothing that tells. */
function closeness(path: string, name: string): number {
  const [first = ''] = name.split(' > ');
  if (first === path) return 1000;
  if (first.endsWith(`/${path}`) || path.endsWith(`/${first}`)) return 900;
  const stem = path.replace(/\.\w+$/, '');
  const dotted = first.replace(/[.]/g, '/');
  // `tests.test_a.TestClass` of pytest, `com.shop.CartTest` of Java.
  const at = `${dotted}/`.indexOf(`${stem}/`);
  if (at === 0) return 800 + stem.length;
  if (stem.endsWith(`/${dotted}`)) return 800;
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return folder !== '' && first.endsWith(folder) ? 10 + folder.length : 0;
}

/** What may stand in the file as the test's title: the last part of its name, without what rows of a table add. */
function titlesOf(name: string): string[] {
  const last = name.split(' > ').at(-1) ?? name;
  const word = last.split('::').at(-1) ?? last;
  const plain = [
    last,
    word,
    withoutEnd(word, '[', ']'),
    withoutEnd(word, '(', ')'),
    word.split('/')[0] ?? '',
  ];
  return [...new Set(plain.map((title) => title.trim()))].filter((title) => title.length > 1);
}

function withoutEnd(text: string, open: string, close: string): string {
  const at = text.endsWith(close) ? text.indexOf(open) : -1;
  return at < 0 ? text : text.slice(0, at);
}

function regionIn(path: string, text: string, title: string): TestForm | undefined {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => isHead(line, title));
  if (at < 0) return undefined;
  const first = withMarks(lines, at);
  let end = endOf(lines, at);
  while (end > at + 1 && (lines[end - 1] ?? '').trim() === '') end--;
  return { path, line: first + 1, lines: lines.slice(first, end) };
}

/** Whether a test of this title begins here: the title in quotes, or as the name of a function. */
function isHead(line: string, title: string): boolean {
  const at = line.indexOf(title);
  if (at < 0) return false;
  const [before, after] = [line[at - 1] ?? '', line[at + title.length] ?? ''];
  if (/["'`]/.test(before) && before === after) return true;
  const isWord = /^\w+$/.test(title);
  return (
    isWord &&
    !/\w/.test(before) &&
    !/\w/.test(after) &&
    /\b(?:def|func|fn|fun|function|void|test|it|sub|proc)\b[^=;]*$/.test(line.slice(0, at))
  );
}

/** Attributes and decorators above a test belong to it. */
function withMarks(lines: readonly string[], at: number): number {
  let first = at;
  while (first > 0 && /^\s*(?:@\w|#\[)/.test(lines[first - 1] ?? '')) first--;
  return first;
}

const CLOSES = /^\s*(?:[)}\]][)}\];,]{0,20}|end)\s*$/;

/** The line after the test: the first one that is not further in than its head. A line that only closes belongs to it. */
function endOf(lines: readonly string[], at: number): number {
  const indent = indentOf(lines[at] ?? '');
  for (let next = at + 1; next < lines.length; next++) {
    const line = lines[next] ?? '';
    if (line.trim() === '' || indentOf(line) > indent) continue;
    // A brace of its own line opens the body, and the closing lines of a head go on.
    if (/^\s*(?:\{|\)\s*(?:->.*)?[:{]|\).*\{)\s*$/.test(line)) continue;
    return CLOSES.test(line) && indentOf(line) === indent ? next + 1 : next;
  }
  return lines.length;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

const MOST_LINES = 6;

/** The lines in which two forms of a test differ, those of the start marked with `-`, those of now with `+`. */
export function differingLines(then: TestForm | undefined, now: TestForm | undefined): string[] {
  const [old, fresh] = [(then?.lines ?? []).map(trimmed), (now?.lines ?? []).map(trimmed)];
  return [...marked('-', old, fresh), ...marked('+', fresh, old)];
}

function marked(mark: string, lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  const only = lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0 && line !== '';
  });
  const more = only.length > MOST_LINES ? [`${mark} ... and ${only.length - MOST_LINES} more lines`] : [];
  return [...only.slice(0, MOST_LINES).map((line) => `${mark} ${line}`), ...more];
}

const trimmed = (line: string) => line.trim();

/** Whether two forms of a test say the same, white space aside. */
export function isSameForm(then: TestForm | undefined, now: TestForm | undefined): boolean {
  return then !== undefined && now !== undefined && differingLines(then, now).length === 0;
}
