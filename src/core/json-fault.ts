const TOKEN = /[[\]{},:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end' | 'nothing';

/** Where a text stops being JSON, counted from 1; for a text that `JSON.parse` refused, whose words name no place. */
export function jsonFault(text: string): { line: number; column: number } {
  const open: ('[' | '{')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    at = afterSpace(text, at);
    const end = tokenEnd(text, at);
    const next: Expected | undefined =
      end === undefined ? undefined : afterToken(expected, kindOf(text.charAt(at)), open);
    if (end === undefined || next === undefined) return placeOf(text, at);
    expected = next;
    at = end;
  }
}

function kindOf(first: string): string {
  if (first === '"') return 'string';
  return '[]{},:'.includes(first) ? first : 'scalar';
}

function tokenEnd(text: string, at: number): number | undefined {
  return text.charAt(at) === '"' ? stringEnd(text, at) : ending(TOKEN, text, at);
}

/** By hand: an expression keeps every character of a string in mind, and a long one is more than fits. */
function stringEnd(text: string, at: number): number | undefined {
  for (let i: number | undefined = at + 1; i !== undefined && i < text.length; ) {
    const character = text.charAt(i);
    if (character === '"') return i + 1;
    if (character < ' ') return undefined;
    i = character === '\\' ? ending(ESCAPE, text, i) : i + 1;
  }
  return undefined;
}

function ending(expression: RegExp, text: string, at: number): number | undefined {
  expression.lastIndex = at;
  const match = expression.exec(text);
  return match ? at + match[0].length : undefined;
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

function afterSpace(text: string, at: number): number {
  let next = at;
  while (next < text.length && ' \t\r\n'.includes(text.charAt(next))) next += 1;
  return next;
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
