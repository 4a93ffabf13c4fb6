import { describe, expect, test } from 'vitest';
import { hunksOf } from '../../../../src/engine/core/proof/hunks.ts';
import { failuresFor } from '../../../../src/engine/core/proof/spoil.ts';
import { languageOf } from '../../../../src/engine/core/source/lexicon.ts';

/** Puts a failure into the only hunk of a change and returns the line after which it stands. */
function spoiledAfter(path: string, before: string, now: string): string[] {
  const language = languageOf(path);
  if (!language) throw new Error(`no language for ${path}`);
  const hunks = hunksOf([{ path, before, now }]).filter(({ lines }) => lines > 0);
  return failuresFor(now, language, hunks).map(({ before: at, text }) => {
    expect(text.trim()).not.toBe('');
    return (now.split('\n')[at - 1] ?? '').trim();
  });
}

describe('a failure stands where whatever reaches a changed line meets it', () => {
  test.each<[string, string, string, string, string]>([
    [
      'before a statement',
      'a.js',
      'function f() {\n  a();\n  return 1;\n}\n',
      'function f() {\n  a();\n  return 2;\n}\n',
      'a();',
    ],
    [
      'before a condition',
      'a.js',
      'function f() {\n  a();\n  if (x) {\n    b();\n  }\n}\n',
      'function f() {\n  a();\n  if (y) {\n    b();\n  }\n}\n',
      'a();',
    ],
    [
      'before the whole chain of conditions',
      'a.js',
      'function f() {\n  a();\n  if (x) {\n    b();\n  } else if (y) {\n    c();\n  }\n}\n',
      'function f() {\n  a();\n  if (x) {\n    b();\n  } else if (z) {\n    c();\n  }\n}\n',
      'a();',
    ],
    [
      'before a call over many lines',
      'a.js',
      'a();\nb(\n  1,\n  2,\n);\n',
      'a();\nb(\n  1,\n  3,\n);\n',
      'a();',
    ],
    [
      'before an object over many lines',
      'a.js',
      'a();\nconst b = {\n  c: 1,\n  d: { e: 2 },\n};\n',
      'a();\nconst b = {\n  c: 1,\n  d: { e: 3 },\n};\n',
      'a();',
    ],
    ['before a chain of calls', 'a.js', 'a();\nb\n  .c()\n  .d();\n', 'a();\nb\n  .c()\n  .e();\n', 'a();'],
    [
      'before a switch',
      'a.js',
      'a();\nswitch (b) {\n  case 1:\n    c();\n}\n',
      'a();\nswitch (b) {\n  case 2:\n    c();\n}\n',
      'a();',
    ],
    [
      'inside of a function whose head changed',
      'a.js',
      'class A {\n  b(c) {\n    d();\n  }\n}\n',
      'class A {\n  b(c, e) {\n    d();\n  }\n}\n',
      'b(c, e) {',
    ],
    [
      'before a statement of Python',
      'a.py',
      'def f():\n    a()\n    return 1\n',
      'def f():\n    a()\n    return 2\n',
      'a()',
    ],
    [
      'before a chain of conditions of Python',
      'a.py',
      'def f():\n    a()\n    if x:\n        b()\n    elif y:\n        c()\n',
      'def f():\n    a()\n    if x:\n        b()\n    elif z:\n        c()\n',
      'a()',
    ],
    [
      'inside of a function of Python',
      'a.py',
      'def f(a):\n    b()\n',
      'def f(a, c):\n    b()\n',
      'def f(a, c):',
    ],
    [
      'inside of a function of Go',
      'a.go',
      'package a\n\nfunc f() int {\n\treturn 1\n}\n',
      'package a\n\nfunc f() int {\n\treturn 2\n}\n',
      'func f() int {',
    ],
    [
      'before a literal of Go',
      'a.go',
      'package a\n\nfunc f() {\n\ta()\n\tb := T{\n\t\tC: 1,\n\t}\n\td(b)\n}\n',
      'package a\n\nfunc f() {\n\ta()\n\tb := T{\n\t\tC: 2,\n\t}\n\td(b)\n}\n',
      'a()',
    ],
    [
      'inside of a function of Rust',
      'a.rs',
      'fn f() -> i32 {\n    1\n}\n',
      'fn f() -> i32 {\n    2\n}\n',
      'fn f() -> i32 {',
    ],
    [
      'inside of a method of Java',
      'A.java',
      'class A {\n    int f() {\n        a();\n        return 1;\n    }\n}\n',
      'class A {\n    int f() {\n        a();\n        return 2;\n    }\n}\n',
      'a();',
    ],
    ['inside of a function of a shell', 'a.sh', 'f() {\n  a\n  b\n}\n', 'f() {\n  a\n  c\n}\n', 'a'],
  ])('%s', (_, path, before, now, line) => {
    expect(spoiledAfter(path, before, now)).toEqual([line]);
  });

  test('every function of a new part gets one', () => {
    const added = 'function a() {\n  return 1;\n}\nfunction b() {\n  return 2;\n}\n';
    expect(spoiledAfter('a.js', '', added)).toEqual(['function a() {', 'function b() {']);
  });
});

describe('what is spoiled instead of taken back', () => {
  test.each<[string, string, string, string]>([
    ['a function', 'a.js', 'export function a() {\n  return 1;\n}\n', 'spoil'],
    ['a function of Python with a decorator', 'a.py', '@once\ndef a():\n    return 1\n', 'spoil'],
    ['a function of Go', 'a.go', 'func a() int {\n\treturn 1\n}\n', 'spoil'],
    ['a variable inside of a function of Go', 'a.go', '\tb := a()\n\tc(b)\n', 'spoil'],
    ['a statement of Go', 'a.go', '\tc(b)\n', 'back'],
    ['a statement', 'a.js', '  const b = a();\n', 'back'],
    ['a constant', 'a.js', 'export const a = 1;\n', 'back'],
    ['a function and a constant', 'a.js', 'const b = 1;\nfunction a() {\n  return b;\n}\n', 'back'],
    ['a condition', 'a.js', 'if (a) {\n  b();\n}\n', 'back'],
    ['a loop', 'a.py', 'for a in b:\n    c(a)\n', 'back'],
    ['a class', 'a.js', 'class A {\n  b = 1;\n}\n', 'back'],
  ])('%s', (_, path, added, probe) => {
    expect(hunksOf([{ path, before: 'x\n', now: `x\n${added}` }]).map((hunk) => hunk.probe)).toEqual([probe]);
  });
});
