/**
 * A canary: a test of our own among the tests of a run, which has to fail, as its runner is told. A run in which it does
 * not is bent: its assertions, its runner or its report say what somebody wants. Its names are other ones each time.
 */
import { folderOf } from '../../core/proof/imports.ts';
import { patternOf } from '../../core/proof/selection.ts';
import type { TestOutcome } from '../../core/proof/test-results.ts';

export const CANARY_RUNNERS = ['node', 'vitest', 'jest', 'mocha', 'pytest', 'unittest', 'go'] as const;
export type CanaryRunner = (typeof CANARY_RUNNERS)[number];

export interface Canary {
  path: string;
  text: string;
  /** The last part of its name in a report. */
  title: string;
  /** How a report names it when it fails as it has to. `todo`: failed, and to be done. */
  alive: TestOutcome | 'todo';
}

/** A file of tests that the runner finds, for the place and the form of the canary. */
export interface Neighbour {
  path: string;
  text: string;
}

/** Whether a file of tests is one of this runner's languages, and named as one. */
export function canaryFits(runner: CanaryRunner, path: string): boolean {
  if (runner === 'pytest' || runner === 'unittest') return /(?:^|\/)test_\w*\.py$|_test\.py$/.test(path);
  return runner === 'go'
    ? path.endsWith('_test.go')
    : /[-_.](?:tests?|spec)\.[cm]?[jt]sx?$|(?:^|\/)test[-_][^/]*\.[cm]?[jt]sx?$/.test(path);
}

interface CanaryForm {
  runner: CanaryRunner;
  beside: Neighbour;
  /** Changed modules that are loaded first, where tests load them, too. */
  loads: readonly string[];
  isTaken(path: string): boolean;
  /** A number from 0 on, below this one. */
  random(below: number): number;
}

const FIRST = [
  'rounding',
  'ordering',
  'padding',
  'spacing',
  'merging',
  'naming',
  'sorting',
  'counting',
  'joining',
  'folding',
  'indexing',
  'scaling',
];
const SECOND = [
  'order',
  'limits',
  'defaults',
  'edges',
  'ranges',
  'totals',
  'labels',
  'offsets',
  'ratios',
  'marks',
  'parts',
  'steps',
];
const TRIES = 20;

/** Undefined where the file beside it says nothing of its form, or no name is free. */
export function canaryBeside({ runner, beside, loads, isTaken, random }: CanaryForm): Canary | undefined {
  const pattern = patternOf(beside.path).split('/').at(-1) ?? '';
  if (!pattern.includes('*')) return undefined;
  const folder = folderOf(beside.path);
  const pick = (words: readonly string[]) => words[random(words.length)] ?? '';
  for (let tries = 0; tries < TRIES; tries++) {
    const words = [pick(FIRST), pick(SECOND), String(random(90) + 10)];
    const isScript = /\.[cm]?[jt]sx?$/.test(beside.path);
    const name = pattern.replace('*', words.join(isScript ? '-' : '_'));
    const path = folder === '' ? name : `${folder}/${name}`;
    if (isTaken(path)) continue;
    const number = random(900) + 100;
    const form = FORMS[runner]({
      words,
      number,
      beside,
      loads: loads.map((each) => relativeTo(folder, each)),
    });
    return form && { path, ...form };
  }
  return undefined;
}

function relativeTo(folder: string, path: string): string {
  const here = folder.split('/').filter(Boolean);
  const there = path.split('/');
  let same = 0;
  while (same < here.length && here[same] === there[same]) same++;
  const up = here.slice(same).map(() => '..');
  return [...(up.length === 0 ? ['.'] : up), ...there.slice(same)].join('/');
}

interface Form {
  words: readonly string[];
  number: number;
  beside: Neighbour;
  /** Relative to the canary. */
  loads: readonly string[];
}

type Written = Pick<Canary, 'text' | 'title' | 'alive'>;

const isEsm = ({ path, text }: Neighbour) =>
  !/\.c[jt]sx?$/.test(path) &&
  (/\.m?tsx?$|\.mjs$/.test(path) || /^[ \t]{0,40}(?:import|export)\b[^(]/m.test(text));

/** A module that cannot be loaded alone is no matter of the canary. */
function loading({ loads, beside }: Form, by = isEsm(beside) ? 'await import' : 'require'): string {
  if (loads.length === 0) return '';
  const load = `${by}(each)`;
  const list = loads.map((each) => JSON.stringify(each)).join(', ');
  return `  for (const each of [${list}]) {\n    try {\n      ${load};\n    } catch {}\n  }\n`;
}

const bring = (names: string, from: string, { beside }: Form) =>
  isEsm(beside) ? `import ${names} from '${from}';\n` : `const ${names} = require('${from}');\n`;

const titleOf = ({ words }: Form) => words.join(' ');

/** A test that passes where an assertion that has to fail fails. */
function noticing(title: string, assertion: string): string {
  return `  let noticed = false;\n  try {\n    ${assertion};\n  } catch {\n    noticed = true;\n  }\n  if (!noticed) throw new Error('${title}');\n`;
}

const FORMS: Record<CanaryRunner, (form: Form) => Written | undefined> = {
  node: (form) => {
    const title = titleOf(form);
    const head = `${bring('assert', 'node:assert', form)}${bring('{ test }', 'node:test', form)}\n`;
    const check = `  assert.strictEqual(${form.number}, ${form.number + 1});\n`;
    // A module that was loaded may keep the process up.
    const end = form.loads.length === 0 ? '' : '  setTimeout(() => process.exit(), 300).unref();\n';
    const text = `${head}test('${title}', { todo: true }, async () => {\n${loading(form)}${end}${check}});\n`;
    return { title, alive: 'todo', text };
  },
  vitest: (form) => {
    const title = titleOf(form);
    const head = "import { expect, test } from 'vitest';\n\n";
    const check = `  expect(${form.number}).toBe(${form.number + 1});\n`;
    const text = `${head}test.fails('${title}', async () => {\n${loading(form, 'await import')}${check}});\n`;
    return { title, alive: 'passed', text };
  },
  jest: (form) => {
    const title = titleOf(form);
    const isImported = form.beside.text.includes('@jest/globals');
    const head = [
      /tsx?$/.test(form.beside.path) ? '// @ts-nocheck\n' : '',
      isImported ? bring('{ expect, test }', '@jest/globals', form) : '',
    ].join('');
    // Older versions know no test that is to fail.
    const check = noticing(title, `expect(${form.number}).toBe(${form.number + 1})`);
    const fails = `  expect(${form.number}).toBe(${form.number + 1});\n`;
    const body = (inner: string) => `async () => {\n${loading(form, 'require')}${inner}}`;
    const text = `${head}if (test.failing) test.failing('${title}', ${body(fails)});\nelse test('${title}', ${body(check)});\n`;
    return { title, alive: 'passed', text };
  },
  mocha: (form) => {
    const title = titleOf(form);
    const check = noticing(title, `assert.strictEqual(${form.number}, ${form.number + 1})`);
    const call = '(globalThis.it ?? globalThis.test)?.';
    const text = `${bring('assert', 'node:assert', form)}\n${call}('${title}', () => {\n${check}});\n`;
    return { title, alive: 'passed', text };
  },
  pytest: ({ words, number }) => {
    const title = `test_${words.join('_')}`;
    const text = `import pytest\n\n\n@pytest.mark.xfail(strict=True, raises=AssertionError)\ndef ${title}():\n    left, right = ${number}, ${number + 1}\n    assert left == right\n`;
    return { title, alive: 'skipped', text };
  },
  unittest: ({ words, number }) => {
    const title = `test_${words.join('_')}`;
    const text = `import unittest\n\n\nclass ${camel(words)}(unittest.TestCase):\n    @unittest.expectedFailure\n    def ${title}(self):\n        self.assertEqual(${number}, ${number + 1})\n`;
    return { title, alive: 'passed', text };
  },
  // Go has no test that is to fail. That it is named is enough: what ends the program early, or prints a report, forgets it.
  go: ({ words, beside }) => {
    const [, pack] = /^package[ \t]+(\w+)/m.exec(beside.text) ?? [];
    const title = `Test${camel(words)}`;
    return pack === undefined
      ? undefined
      : {
          title,
          alive: 'passed',
          text: `package ${pack}\n\nimport "testing"\n\nfunc ${title}(t *testing.T) {}\n`,
        };
  },
};

function camel(words: readonly string[]): string {
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}

/** The output of a run without what its runner says of the canary: lines that name it, and what stands indented below these. */
export function withoutCanary(output: string, { path, title }: Pick<Canary, 'path' | 'title'>): string {
  let isOurs = false;
  const lines = output.split('\n').filter((line) => {
    if (line.includes(path) || line.includes(title)) isOurs = true;
    else if (/^\S/.test(line)) isOurs = false;
    return !isOurs;
  });
  return lines.join('\n');
}
