/** Tests that stand in the files that they test: modules of Rust under `#[cfg(test)]`. */
import { maskSource } from '../source/mask.ts';

interface Span {
  from: number;
  to: number;
}

const HEAD =
  /^[ \t]*#\[cfg\((?:test|all\(\s*test\b[^\]]*)\)\][^\S\n]*\n?(?:[ \t]*#\[[^\n]*\]\s*\n)*[ \t]*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*\{/gm;

/** Modules of unit tests on the outermost level of a file. */
function modulesOf(text: string): Span[] {
  const masked = maskSource(text, 'rust');
  const found: Span[] = [];
  for (const match of masked.code.matchAll(HEAD)) {
    const open = match.index + match[0].length - 1;
    if (depthAt(masked.code, match.index) !== 0) continue;
    found.push({ from: match.index, to: Math.min(masked.closing(open) + 1, text.length) });
  }
  return found;
}

function depthAt(code: string, index: number): number {
  const before = code.slice(0, index);
  return (before.match(/\{/g)?.length ?? 0) - (before.match(/\}/g)?.length ?? 0);
}

function hasUnitTests(path: string, text: string): boolean {
  return path.endsWith('.rs') && /#\[cfg\((?:test|all\(\s*test)\b/.test(text);
}

/** The code of one text with the unit tests of another; undefined when these are its own already. */
export function withUnitTestsOf(path: string, code: string, tests: string): string | undefined {
  if (!hasUnitTests(path, code) && !hasUnitTests(path, tests)) return undefined;
  const own = modulesOf(code);
  const textsOf = (text: string, spans: readonly Span[]) => spans.map(({ from, to }) => text.slice(from, to));
  const modules = textsOf(tests, modulesOf(tests));
  if (modules.join('\n') === textsOf(code, own).join('\n')) return undefined;
  const plain = without(code, own);
  return modules.length === 0 ? plain : `${plain.trimEnd()}\n\n${modules.join('\n\n')}\n`;
}

/** The code of a text without its unit tests, for comparing. */
export function withoutUnitTests(path: string, text: string): string {
  return path.endsWith('.rs') ? without(text, modulesOf(text)).trimEnd() : text;
}

function without(text: string, spans: readonly Span[]): string {
  let rest = '';
  let at = 0;
  for (const { from, to } of spans) {
    rest += text.slice(at, from);
    at = to;
  }
  return rest + text.slice(at);
}
