const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
  /[ \t\r\n]*(?:([[\]{},:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end' | 'nothing';

/** Where a text stops being JSON, counted from 1; for a text that `JSON.parse` refused, whose words name no place. */
export function jsonFault(text: string): { line: number; column: number } {
  const open: ('[' | '{')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const next: Expected | undefined | null =
      match && afterToken(expected, match[1] ?? (match[2] === undefined ? 'scalar' : 'string'), open);
    if (!match || !next) return placeOf(text, at + leadingSpace(text, at));
    expected = next;
    at += match[0].length;
  }
}

/** What may follow; undefined when this token may not stand here. */
function afterToken(expected: Expected, token: string, open: ('[' | '{')[]): Expected | undefined {
  const close = (): Expected => {
    open.pop();
    return open.length === 0 ? 'nothing' : 'comma or end';
  };
  const inner = open.at(-1);
  if (expected === 'nothing') return undefined;
  if (expected === 'colon') return token === ':' ? 'value' : undefined;
  if (token === ']') return inner === '[' && /\]|end/.test(expected) ? close() : undefined;
  if (token === '}') return inner === '{' && /\}|end/.test(expected) ? close() : undefined;
  if (expected === 'comma or end') return token === ',' ? (inner === '{' ? 'key' : 'value') : undefined;
  if (expected.startsWith('key')) return token === 'string' ? 'colon' : undefined;
  if (token === '[' || token === '{') {
    open.push(token);
    return token === '[' ? 'value or ]' : 'key or }';
  }
  if (token !== 'string' && token !== 'scalar') return undefined;
  return inner === undefined ? 'nothing' : 'comma or end';
}

function leadingSpace(text: string, at: number): number {
  return text.slice(at).search(/\S|$/);
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
