/** Finds code that bypasses assertions: the process ends early with success, code is never reached, a failure is swallowed. */
import type { MaskedSource } from '../../../core/source/mask.ts';
import type { Marker } from './language.ts';
import { notTooDeep, type Span, squeeze } from './text.ts';

/** A test and its place in the file. What is found inside it gets its name. */
export interface TestPlace {
  name: string;
  span: Span;
}

export interface AssertionBypasses {
  /** Code that ends the process with success. */
  exits: RegExp;
  /** Conditions that are never true, and returns that always happen. */
  unreached: RegExp;
  /** Blocks whose failures are caught and ignored. */
  swallowed?(source: MaskedSource): Span[];
}

export const JAVASCRIPT_BYPASSES: AssertionBypasses = {
  exits: /(?<![\w$.])process\.(?:exit|reallyExit)\s*\(\s*0?\s*\)|(?<![\w$.])process\.exitCode\s*=\s*0/g,
  unreached:
    /(?<![\w$.])(?:if|while)\s*\(\s*(?:false|0|!1|!true)\s*\)|(?<![\w$.])if\s*\(\s*(?:true|1|!0|!false)\s*\)\s*\{?\s*return\b|\.runIf\s*\(\s*(?:false|0)\s*\)|\b(?:const|let|var)\s+(?:test|it|describe|expect|assert)\b[^=\n]{0,80}=\s*(?:async\s*)?\([^()\n]{0,80}\)\s*(?::[^=\n]{0,80})?=>\s*\{\s*\}|\bfunction\s+(?:test|it|describe|expect|assert)\s*\([^()\n]{0,80}\)\s*\{\s*\}/g,
  swallowed({ code, closing }) {
    const blocks = [...code.matchAll(/(?<![\w$.])try\s*\{/g)].map((match) => ({
      start: match.index,
      end: closing(match.index + match[0].length - 1),
    }));
    return notTooDeep(blocks, (span) => span).filter(({ end }) =>
      /^\}\s*catch\s*(?:\([^)]{0,80}\)\s*)?\{\s*\}/.test(code.slice(end, end + 400)),
    );
  },
};

/** Bounds for generated code, which could take very long to search. */
const LONGEST_BLOCK = 4_000;
const MOST = 1_000;

export const PYTHON_BYPASSES: AssertionBypasses = {
  exits: /\bos\._exit\s*\(|(?<![\w.])(?:sys\.exit|exit|quit)\s*\(\s*0?\s*\)/g,
  unreached: /^[ \t]*(?:(?:if|while)\s+(?:False|0)\s*:|if\s+(?:True|1)\s*:\s*return\b)|^del\s+[Tt]est\w*/gm,
  swallowed({ code }) {
    const caught =
      /^([ \t]*)except(?:[^\n:]*\b(?:AssertionError|Exception|BaseException)\b[^\n:]*)?\s*:\s*(?:pass|\.\.\.|return|continue)(?!\w)/gm;
    return [...code.matchAll(caught)].slice(0, MOST).flatMap((match) => {
      const from = Math.max(0, match.index - LONGEST_BLOCK);
      const block = code.slice(from, match.index).lastIndexOf(`\n${match[1]}try:`);
      return block === -1 ? [] : [{ start: from + block + 1, end: match.index }];
    });
  },
};

export const GO_BYPASSES: AssertionBypasses = {
  exits: /(?!)/g,
  unreached: /\bif\s+false\s*\{|\bif\s+true\s*\{\s*return\b/g,
};

export const RUST_BYPASSES: AssertionBypasses = {
  exits: /\bprocess\s*::\s*exit\s*\(\s*0\s*\)/g,
  unreached:
    /\bif\s+false\s*\{|\bif\s+true\s*\{\s*return\b|#!?\[\s*cfg\s*\(\s*(?:any\s*\(\s*\)|FALSE)\s*\)\s*\]|#\[\s*cfg\s*\(\s*not\s*\(\s*test\s*\)\s*\)\s*\]\s*(?:pub\s+)?mod\s+tests?\b/g,
};

export function bypassesIn(
  source: MaskedSource,
  bypasses: AssertionBypasses,
  places: readonly TestPlace[],
  assertion: RegExp,
): Marker[] {
  const { code } = source;
  const marker = (kind: Marker['kind'], at: number, word: string): Marker => ({
    kind,
    word,
    name: places.find(({ span }) => span.start <= at && at < span.end)?.name ?? '',
    line: source.lineAt(at),
  });
  const written = [...code.matchAll(bypasses.exits), ...code.matchAll(bypasses.unreached)]
    .slice(0, MOST)
    // A test that expects a program to end is a real test.
    .filter(
      ({ index }) =>
        !/\braises\s*\(\s*SystemExit\b[^\n]*\n?[^\n]*$/.test(code.slice(Math.max(0, index - 200), index)),
    )
    .map((match) => marker('skip', match.index + match[0].search(/\S/), squeeze(match[0]).slice(0, 60)));
  const swallowed = (bypasses.swallowed?.(source) ?? [])
    .filter(({ start, end }) => assertion.test(code.slice(start, end)))
    .map(({ start }) => marker('fails', start, 'a catch that swallows what its assertions say'));
  return [...written, ...swallowed];
}
