import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Hunk, hunksOf, linesIn, withoutHunks } from '../../../../src/engine/core/proof/hunks.ts';

function hunks(before: string | undefined, now: string, path = 'src/a.js'): Hunk[] {
  return hunksOf([{ path, before, now }]);
}

/** Where the counted hunks are, and how many of their lines count. */
function places(before: string | undefined, now: string, path?: string): string[] {
  return hunks(before, now, path)
    .filter(({ lines }) => lines > 0)
    .map(({ from, now: all, lines }) => `${from}-${from + all.length - 1}: ${lines}`);
}

const ADD = 'export function add(a, b) {\n  return a + b;\n}\n';
const SUB = 'export function sub(a, b) {\n  return a - b;\n}\n';
const MUL = 'export function mul(a, b) {\n  return a * b;\n}\n';

const line = fc.constantFrom(
  '',
  'a();',
  '  b();',
  '}',
  'function f() {',
  'if (x) {',
  '\tc',
  '// d',
  "it's",
  'é\r',
);
const text = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.boolean())
  .map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''));

describe('hunks of a file', () => {
  test('without all hunks the old text is back, without none of them the new one', () => {
    fc.assert(
      fc.property(text, text, (before, now) => {
        const all = hunks(before, now);
        expect(withoutHunks(now, all)).toBe(before);
        expect(withoutHunks(now, [])).toBe(now);
      }),
    );
  });

  test('without any of them the text has as many lines less as they added', () => {
    fc.assert(
      fc.property(
        text,
        text,
        fc.array(fc.boolean(), { minLength: 80, maxLength: 80 }),
        (before, now, chosen) => {
          const some = hunks(before, now).filter((_, i) => chosen[i]);
          const added = some.reduce((sum, { now: lines, old }) => sum + lines.length - old.length, 0);
          // A last line without an end may join the next.
          const back = withoutHunks(now, some);
          expect(Math.abs(linesIn(back).length - (linesIn(now).length - added))).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  test('they do not overlap, and hold the lines that stand there', () => {
    fc.assert(
      fc.property(text, text, (before, now) => {
        const lines = linesIn(now);
        let end = 1;
        for (const hunk of hunks(before, now)) {
          expect(hunk.from).toBeGreaterThanOrEqual(end);
          expect(lines.slice(hunk.from - 1, hunk.from - 1 + hunk.now.length)).toEqual(hunk.now);
          expect(hunk.lines).toBeLessThanOrEqual(hunk.now.length);
          end = hunk.from + hunk.now.length;
        }
      }),
    );
  });

  test('a file that differs in very many lines is one hunk', () => {
    const many = (word: string) => Array.from({ length: 1_500 }, (_, i) => `${word}(${i});\n`).join('');
    const [before, now] = [`a();\n${many('b')}z();\n`, `a();\n${many('c')}z();\n`];
    expect(places(before, now)).toEqual(['2-1501: 1500']);
    expect(withoutHunks(now, hunks(before, now))).toBe(before);
  });

  test('an addition is split however long it is', () => {
    const many = Array.from({ length: 800 }, (_, i) => `function f${i}() {\n  return ${i};\n}\n`).join('\n');
    expect(hunks(undefined, many)).toHaveLength(800);
    expect(hunks(ADD, `${ADD}\n${many}`)).toHaveLength(800);
  });
});

describe('additions', () => {
  test('functions that were added together are places of their own', () => {
    expect(places(ADD, `${ADD}\n${SUB}\n${MUL}`)).toEqual(['4-8: 2', '9-11: 2']);
    expect(places(undefined, `${ADD}\n${SUB}`)).toEqual(['1-4: 2', '5-7: 2']);
  });

  test('functions that were added beside a changed line are places of their own', () => {
    const before = 'def add(a, b):\n    return a + b\n';
    const now =
      'def add(a, b):\n    total = a + b\n    return total\n\n\ndef sub(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n';
    expect(places(before, now, 'a.py')).toEqual(['2-5: 2', '6-9: 2', '10-11: 2']);
    const old = hunks(before, now, 'a.py').map((hunk) => hunk.old.length);
    expect(old).toEqual([1, 0, 0]);
  });

  test('a function between two others begins with its own head', () => {
    const [hunk] = hunks(`${ADD}\n${MUL}`, `${ADD}\n${SUB}\n${MUL}`);
    expect(hunk?.now.join('').trim()).toBe(SUB.trim());
  });

  test('methods of a new class are places of their own; its head and its end are none', () => {
    const method = (name: string) => `  ${name}(a) {\n    const b = a + 1;\n    return b;\n  }\n`;
    const whole = `class Box {\n${['one', 'two', 'three', 'four'].map(method).join('\n')}}\n`;
    expect(places(undefined, whole)).toEqual(['2-6: 3', '7-11: 3', '12-16: 3', '17-20: 3']);
  });

  test('the same in Python, where nothing closes a class', () => {
    const method = (name: string) =>
      `    def ${name}(self, a):\n        b = a + 1\n        c = b\n        return c\n`;
    const whole = `class Box:\n${['one', 'two', 'three', 'four'].map(method).join('\n')}`;
    expect(places(undefined, whole, 'src/box.py')).toHaveLength(4);
  });

  test('the steps of a long function are places of their own', () => {
    const step = (name: string) =>
      `  const ${name} = read('${name}');\n  check(${name});\n  keep(${name});\n`;
    const whole = `function all() {\n${['a', 'b', 'c', 'd'].map(step).join('\n')}}\n`;
    expect(places(undefined, whole)).toHaveLength(4);
  });
});

describe('what does not count', () => {
  test.each<[string, string | undefined, string, string?]>([
    ['comments and blank lines', 'a();\n', '// one\n\n/* two\n three */\na();\n'],
    [
      'comments of Python and docstrings',
      'def f():\n    go()\n',
      'def f():\n    """Goes.\n\n    far\n    """\n    # now\n    go()\n',
      'a.py',
    ],
    ['white space', 'if (a) {\nb();\n}\n', 'if (a) {\n    b();\n}\n'],
    ['line ends', 'a();\nb();\n', 'a();\r\nb();\r\n'],
    [
      'imports, on one line and on many',
      'go();\n',
      "import a from 'a';\nimport {\n  b,\n  c,\n} from 'b';\nimport './d.js';\nconst e = require('e');\ngo();\n",
    ],
    [
      'the order of imports',
      "import a from 'a';\nimport b from 'b';\n",
      "import b from 'b';\nimport a from 'a';\n",
    ],
    [
      'what is handed on',
      undefined,
      "export * from './a.js';\nexport { b, c } from './b.js';\nexport type { D } from './d.js';\n",
    ],
    [
      'types',
      undefined,
      'export interface A {\n  b: string;\n\n  c(): void;\n}\n\nexport type D = { e: 1 };\n\ntype F =\n  | 1\n  | 2;\n',
      'a.ts',
    ],
    ['a new line of a type', 'interface A {\n  b: 1;\n}\n', 'interface A {\n  b: 1;\n  c?: 2;\n}\n', 'a.ts'],
    ['brackets', 'a(1);\n', 'a(1);\n{\n}\n'],
    ['code that moved', `${ADD}\n${SUB}\n${MUL}`, `${MUL}\n${ADD}\n${SUB}`],
    ['removed lines', 'a();\nb();\n', 'a();\n'],
    ['log lines', 'a();\n', 'a();\nlogger.debug("a", b);\n'],
    [
      'tests inside of a Rust file',
      'fn a() {}\n',
      'fn a() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {\n        assert!(true);\n    }\n}\n',
      'src/lib.rs',
    ],
    ['imports of Go', 'package a\n', 'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n', 'a.go'],
    ['documents', undefined, '# A\n\nb\n', 'README.md'],
    ['settings', undefined, '{"a": 1}\n', 'package.json'],
    ['settings that are code', undefined, 'export default { a: 1 };\n', 'vite.config.ts'],
    ['declarations', undefined, 'export function a(): void;\n', 'src/a.d.ts'],
    ['generated code by its name', undefined, 'a = 1\n', 'src/a_pb2.py'],
    [
      'generated code by its header',
      undefined,
      '// Code generated by x. DO NOT EDIT.\npackage a\nvar b = 1\n',
      'a.go',
    ],
    ['workflows', undefined, 'on: push\n', '.github/workflows/a.yml'],
    ['examples and documents in code', undefined, 'a();\n', 'docs/a.js'],
    ['binary files', undefined, 'a\0b', 'a.js'],
  ])('%s', (_, before, now, path) => {
    expect(places(before, now, path)).toEqual([]);
  });

  test.each<[string, string | undefined, string, number, string?]>([
    ['a statement', 'a();\n', 'a();\nb();\n', 1],
    ['texts in a list', 'x = [\n];\n', "x = [\n  'one',\n  'two',\n];\n", 2],
    ['a line inside of a long text', 'x = `\n`;\n', 'x = `\nhello\n`;\n', 1],
    ['what a program prints', 'a();\n', 'a();\nconsole.log(b);\n', 1],
    ['only the condition that was put around lines', 'a();\nb();\n', 'if (c) {\n  a();\n  b();\n}\n', 1],
    ['a script without an ending', undefined, '#!/bin/sh\necho hello\n', 1, 'bin/greet'],
    [
      'a class of Java',
      undefined,
      'package a;\n\npublic class B {\n  int c() { return 1; }\n}\n',
      2,
      'src/B.java',
    ],
  ])('but %s does', (_, before, now, lines, path) => {
    expect(hunks(before, now, path).reduce((sum, hunk) => sum + hunk.lines, 0)).toBe(lines);
  });

  test('lines that came from another file do not count', () => {
    const texts = [
      { path: 'a.js', before: `${ADD}\n${SUB}`, now: ADD },
      { path: 'b.js', now: SUB },
    ];
    expect(hunksOf(texts).every(({ lines }) => lines === 0)).toBe(true);
    expect(hunksOf([{ path: 'b.js', now: SUB }], linesIn(SUB)).every(({ lines }) => lines === 0)).toBe(true);
  });
});
