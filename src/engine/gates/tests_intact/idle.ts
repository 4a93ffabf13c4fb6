/** Assertions that hold whatever the code does. */

const CONSTANT = '(?:true|True|1|!0|!false|not False)';
const TEXT = String.raw`(?:\s*,\s*f?(?:"[^"]*"|'[^']*'|\x60[^\x60]*\x60))?`;
const LITERAL = String.raw`(?:true|false|True|False|null|nil|None|undefined|-?\d+(?:\.\d+)?|"[^"]*"|'[^']*')`;

const IDLE: readonly RegExp[] = [
  // `assert(true)`, `assert True`, `assertTrue(true, "why")`
  new RegExp(
    String.raw`^[\w.!:]*\b(?:assert|ok|assertTrue|assert_true|assert!|True|truthy|is_true|pass)\b!?\s*\(?\s*(?:t\s*,\s*)?${CONSTANT}${TEXT}\s*(?:\)|;|$)`,
  ),
  // `expect(true).toBe(true)`, `expect(1).to eq(1)`
  new RegExp(String.raw`^expect\s*\(\s*${LITERAL}\s*\)\s*\.[\w.\s]*?[\s(]*(?:${LITERAL})?\s*(?:\)|;|$)`),
  // `assert.equal(1, 1)`, `assert x == x`, `expect(x).toBe(x)`
  /^[\w.!:]+\s*\(\s*(?:t\s*,\s*)?([^,()]{1,60}?)\s*,\s*\1\s*[,)]/,
  /^assert\s+([\w.]+)\s*(?:==|is)\s*\1\s*$/,
  /^expect\s*\(\s*([^()]{1,60}?)\s*\)\s*\.\s*(?:to\s*\.\s*)?\w+[\s(]+\1\s*\)/,
  // `assert x || true`, `expect(x || true).toBe(true)`
  /^expect\s*\([^\n]*\|\|\s*true\s*\)\s*\./,
  /^[\w.!:]+[\s(][^\n]*(?:\|\|\s*true|\bor\s+True)\s*\)?\s*;?\s*$/,
];

export function isIdle(text: string): boolean {
  const [line = ''] = text.split('\n', 1);
  return IDLE.some((expression) => expression.test(line.slice(0, 300)));
}
