import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { isLong } from '../support/long.ts';
import { workMs } from '../support/work-time.ts';
import { filesIn, SRC } from './files.ts';

/** Regular expressions in our own code. The agent writes the texts that they meet, and no timeout interrupts a match. */
interface Written {
  place: string;
  source: string;
  flags: string;
}

function written(): { literals: Written[]; built: { place: string; argument: string }[] } {
  const literals: Written[] = [];
  const built: { place: string; argument: string }[] = [];
  for (const file of filesIn(SRC)) {
    const place = relative(SRC, file);
    const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
        literals.push({ place, source, flags });
      }
      const isBuilt = ts.isNewExpression(node) || ts.isCallExpression(node);
      const isExpression = isBuilt && node.expression.getText(tree) === 'RegExp';
      if (isExpression) built.push({ place, argument: node.arguments?.[0]?.getText(tree) ?? '' });
      ts.forEachChild(node, visit);
    };
    visit(tree);
  }
  return { literals, built };
}

/**
 * Places that build an expression from more than fixed text, and why it is no pattern from outside. Everything else is
 * matched by `engine/core/text/line-pattern.ts` or `engine/core/text/wildcards.ts`.
 */
const BUILT: Record<string, string> = {
  'engine/core/text/line-pattern.ts': 'only the syntax is looked at; nothing is matched',
  'engine/core/text/redact.ts': 'of constants',
  'engine/core/text/visible.ts': 'of constants',
  'engine/terminal/style.ts': 'of constants, and random digits of this process',
  'engine/home/scripts.ts': 'of the names of two variables',
  'engine/core/proof/expected.ts': 'of constants',
  'engine/core/loop/phases.ts': 'a name, with every special character escaped',
  'engine/core/tools/dangerous-git.ts': 'letters of options that the caller writes',
  'engine/core/import/import-hooks.ts': 'of constants',
  'engine/core/import/hook-commands.ts': 'of constants',
  'engine/gates/forbid/patterns.ts': 'of constants',
  'engine/gates/forbid/secrets.ts': 'of constants',
  'engine/gates/suppressions/find.ts': 'of constants',
  'engine/gates/artefact/index.ts': 'of constants',
  'engine/gates/hook/index.ts': 'of constants',
  'engine/gates/tests_intact/idle.ts': 'of constants',
  'engine/gates/tests_intact/config/runners.ts': 'of constants',
  'engine/gates/tests_intact/config/config.ts': 'of constants',
  'engine/gates/tests_intact/config/strictness.ts': 'of constants',
  'engine/project/facts/project-facts.ts': 'of constants',
  'engine/client/sdk/environment.ts': 'of constants',
  'dev/simulator/script.ts': 'written by the author of a simulation',
  'dev/simulator/simulator-script.ts': 'written by the author of a simulation',
  'dev/conformance/parse-steps.ts': 'of constants',
  'dev/conformance/command.ts': 'words of the person at the terminal, escaped',
};

const WRITTEN = written();

test('expressions are built from more than fixed text in named places alone', () => {
  const places = new Set(WRITTEN.built.map(({ place }) => place));
  expect([...places].filter((place) => !Object.hasOwn(BUILT, place))).toEqual([]);
  expect(Object.keys(BUILT).filter((place) => !places.has(place))).toEqual([]);
});

/** Expressions that take more than linear time, by their beginning, and what bounds the texts that they meet. */
const BOUNDED: [place: string, beginning: string, bound: string][] = [
  ['cli/formats/features.ts', '-+$', 'a name of bounded length'],
  ['engine/core/import/command-phases.ts', '-+$', 'a name of bounded length'],
  ['engine/core/import/import-hooks.ts', '[-._]+$', 'a name of bounded length'],
  ['engine/core/tools/dangerous.ts', '([A-Za-z_:.][\\w:.]{0,40})', 'every repetition is bounded'],
  ['engine/gates/tests_intact/config/commands.ts', '--updateSnapshot', 'scripts of at most 1,000 characters'],
  ['engine/gates/tests_intact/config/config.ts', '^[^\\n]*(?:test', 'lines of at most 1,000 characters'],
];

const COMMON = [
  ' ',
  '\t',
  'a',
  '0',
  '_',
  '-',
  '"',
  '(',
  '{',
  '[',
  '<',
  '/',
  '.',
  ':',
  '=',
  'a ',
  '\n',
  ' \n',
  '*',
];
const [SHORT, LONG] = [2000, 8000];

function timeOf(expression: RegExp, text: string): number {
  const before = workMs();
  expression.lastIndex = 0;
  expression.test(text);
  return workMs() - before;
}

/** The text that makes an expression slow: four times the length takes over eight times the time. */
function slowOn({ source, flags }: Written): string | undefined {
  const expression = new RegExp(source, flags);
  const words = source
    .replace(/\\[bBdDwWsS]|\\[pP]\{[^}]*\}|\(\?<?[:=!]/g, ' ')
    .match(/[A-Za-z]+|\\?[^\sA-Za-z0-9]/g);
  const own = [...new Set((words ?? []).map((word) => word.replace(/^\\/, '')))].filter(Boolean);
  const few = own.slice(0, isLong ? 12 : 3);
  for (const pump of new Set([...COMMON, ...few, ...few.map((word) => `${word} `)])) {
    for (const start of ['', ...few]) {
      const text = (length: number) => `${start}${pump.repeat(Math.ceil(length / pump.length))}\u0001`;
      const best = (length: number) =>
        Math.min(...Array.from({ length: 3 }, () => timeOf(expression, text(length))));
      if (timeOf(expression, text(LONG)) < 4) continue;
      if (best(LONG) <= Math.max(4, 8 * best(SHORT))) continue;
      // Another process may have taken the time, or a bound of the expression may not have been reached.
      if (best(4 * LONG) > 9 * best(LONG)) return JSON.stringify([start, pump]);
    }
  }
  return undefined;
}

test('expressions take linear time on long, repetitive texts, or meet short ones', () => {
  const isBounded = ({ place, source }: Written) =>
    BOUNDED.some(([where, beginning]) => place === where && source.startsWith(beginning));
  const searched = WRITTEN.literals.filter((one) => !one.place.startsWith('dev/') && !isBounded(one));
  const slow = searched.flatMap((one) => {
    const text = slowOn(one);
    return text === undefined ? [] : [`${one.place}: /${one.source}/ on ${text}`];
  });
  expect(slow).toEqual([]);
}, 300_000);
