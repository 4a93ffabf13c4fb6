/** Places in a text, found once for the whole of it. */

/** Counts lines from 1. */
export function lineFinder(text: string): (index: number) => number {
  const starts: number[] = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (index) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

export const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Answers which bracket closes the one at an index: the end of the code when none does. */
export function bracketFinder(code: string): (open: number) => number {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < code.length; at++) {
    const character = code[at] as string;
    if (CLOSING[character]) open.push(at);
    else if (character === CLOSING[code[open.at(-1) ?? -1] ?? '']) closing.set(open.pop() as number, at);
  }
  return (index) => closing.get(index) ?? code.length;
}
