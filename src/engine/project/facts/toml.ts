/** The few values of TOML files that say how a project is tested. Texts only: nothing is computed. */

/** The lines of a table; an empty text where there is none. */
export function tableIn(text: string, name: string): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => headOf(line) === name);
  if (from < 0) return '';
  const length = lines.slice(from + 1).findIndex((line) => headOf(line) !== undefined);
  return lines.slice(from + 1, length < 0 ? undefined : from + 1 + length).join('\n');
}

/** The names of all tables. */
export function tablesIn(text: string): string[] {
  return text.split('\n').flatMap((line) => headOf(line) ?? []);
}

function headOf(line: string): string | undefined {
  const name = /^[ \t]*\[([^[\]]+)\][ \t]*(?:#.*)?$/.exec(line)?.[1];
  return name?.replace(/["']/g, '').trim();
}

/** The text of a value: of an array or a text over several lines up to its end. */
export function valueIn(table: string, key: string): string | undefined {
  const lines = table.split('\n');
  const at = lines.findIndex((line) => keyOf(line) === key);
  if (at < 0) return undefined;
  let value = (lines[at] ?? '').replace(/^[^=]*=[ \t]*/, '');
  for (const line of lines.slice(at + 1)) {
    if (isWhole(value)) break;
    value += `\n${line}`;
  }
  return value;
}

export function keysIn(table: string): string[] {
  const keys: string[] = [];
  let open = '';
  for (const line of table.split('\n')) {
    const key = open === '' ? keyOf(line) : undefined;
    if (key !== undefined) keys.push(key);
    if (open !== '') open += `\n${line}`;
    else if (key !== undefined) open = line.replace(/^[^=]*=[ \t]*/, '');
    if (isWhole(open)) open = '';
  }
  return keys;
}

function keyOf(line: string): string | undefined {
  return /^[ \t]*(?:"([^"]+)"|'([^']+)'|([\w-]+))[ \t]*=/.exec(line)?.slice(1).find(Boolean);
}

function isWhole(value: string): boolean {
  const bare = value.replace(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g, '').replace(/#.*$/gm, '');
  const quotes = value.split('"""').length - 1 + (value.split("'''").length - 1);
  return (
    bare.split('[').length <= bare.split(']').length &&
    bare.split('{').length <= bare.split('}').length &&
    quotes % 2 === 0
  );
}

/** All texts in quotes, in their order. */
export function textsIn(value: string): string[] {
  const quoted = value.matchAll(/"""([\s\S]*?)"""|'''([\s\S]*?)'''|"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'/g);
  return [...quoted].map((match) =>
    (match.slice(1).find((one) => one !== undefined) ?? '').replace(/\\(["\\])/g, '$1'),
  );
}

/** The arrays inside an array, each with its texts: `[["python", "-m", "unittest"]]`. */
export function arraysIn(value: string): string[][] {
  // Tables in the place of a text say what a tool fills in.
  const inner = value
    .trim()
    .replace(/^\[|\]$/g, '')
    .replace(/("(?:[^"\\\n]|\\.)*"|'[^'\n]*')|\{[^{}]*\}/g, (_, text: string | undefined) => text ?? '');
  return [...inner.matchAll(/\[([^[\]]*)\]/g)].map(([, texts = '']) => textsIn(texts));
}
