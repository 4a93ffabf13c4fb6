import { visit } from 'jsonc-parser';

/** Where a text stops being JSON, counted from 1: the errors of `JSON.parse` name no place. */
export function jsonFault(text: string): { line: number; column: number } {
  const before = text.slice(0, faultOffset(text)).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

function faultOffset(text: string): number {
  let first = Number.POSITIVE_INFINITY;
  const onError = (_code: number, offset: number) => {
    first = Math.min(first, offset);
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (cause) {
    // Lists nested thousands deep overflow the stack of the parser.
    if (!(cause instanceof RangeError)) throw cause;
  }
  return Number.isFinite(first) ? first : 0;
}
