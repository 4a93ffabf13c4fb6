import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LanguageName, languageOf } from '../../../../src/engine/core/source/lexicon.ts';
import { maskSource } from '../../../../src/engine/core/source/mask.ts';

/** Blanks as dots, so that they can be counted. */
const code = (text: string, language: LanguageName) => maskSource(text, language).code.replaceAll(' ', '.');

describe('code is what is neither comment nor quoted', () => {
  test.each<[language: LanguageName, text: string, expected: string]>([
    ['javascript', 'a;//b', 'a;...'],
    ['javascript', "f('a//b')", "f('....')"],
    ['javascript', 'a/*b\nc*/d', 'a...\n...d'],
    ['javascript', '`a@{b + `c@{d}`}e`', '`.@{b.+.`.@{d}`}.`'],
    ['javascript', '`@{{a: {}}}x`', '`@{{a:.{}}}.`'],
    ['javascript', "x = /'\\/[/']/g; 'a'", "x.=./......./g;.'.'"],
    ['javascript', 'a / b / c', 'a./.b./.c'],
    ['javascript', 'return /a(/;', 'return./../;'],
    ['javascript', "<p>Don't</p>;\nf('x')", "<p>Don't</p>;\nf('.')"],
    ['javascript', '<A b={c} /><B d={e} />', '<A.b={c}./><B.d={e}./>'],
    ['javascript', "'a\\'b'c", "'....'c"],
    ['python', 'a # b', 'a....'],
    ['python', '"""a\n# b\n"""c', '""".\n...\n"""c'],
    ['python', "f'a#b' + 'c'", "f'...'.+.'.'"],
    ['go', '`a\\`b', '`..`b'],
    ['rust', "fn f<'a>(x: &'a str) { ')' }", "fn.f<'a>(x:.&'a.str).{.'.'.}"],
    ['rust', 'r#"a"b"#c', 'r#"..."#c'],
    ['rust', '/* a /* b */ c */d', '.................d'],
    ['java', '"""\na "b"\n""" + c', '"""\n.....\n""".+.c'],
    ['shell', 'echo $# # x', 'echo.$#....'],
    ['sql', "select 'a--b' -- c", "select.'....'....."],
    ['markup', '<p><!-- a --></p>', '<p>..........</p>'],
    ['settings', "a: don't # b", "a:.don't...."],
  ])('%s: %j', (language, text, expected) => {
    const dollars = (written: string) => written.replaceAll('@{', `$${'{'}`);
    expect(code(dollars(text), language)).toBe(dollars(expected));
  });
});

test('comments are told from the rest', () => {
  const { comments, uncommented } = maskSource('f("x"); // TODO\n', 'javascript');
  expect(comments).toBe('        // TODO\n');
  expect(uncommented).toBe('f("x");        \n');
});

test('lines and brackets are found', () => {
  const source = maskSource('a(\n"(", [1])\nb{', 'javascript');
  expect([0, 1, 3, 12, 14].map(source.lineAt)).toEqual([1, 1, 2, 2, 3]);
  expect(source.closing(1)).toBe(11);
  expect(source.closing(14)).toBe(15);
});

test('languages are told by the end of a name', () => {
  expect(languageOf('src/a.test.TSX')).toBe('javascript');
  expect(languageOf('deploy/Dockerfile')).toBe('settings');
  expect(languageOf('a.unknown')).toBeUndefined();
});

test('whatever a file holds, the views have its length and its lines', () => {
  const piece = fc.constantFrom(
    '"',
    "'",
    '`',
    '/',
    '*',
    '\\',
    '$',
    '{',
    '}',
    '(',
    ')',
    '#',
    '\n',
    'r',
    'a',
    ' ',
    '<!--',
    '"""',
  );
  const languages: LanguageName[] = [
    'javascript',
    'python',
    'rust',
    'go',
    'java',
    'ruby',
    'markup',
    'css',
    'settings',
  ];
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.constantFrom(...languages), (pieces, language) => {
      const text = pieces.join('');
      const { code: seen, uncommented, comments } = maskSource(text, language);
      for (const view of [seen, uncommented, comments]) {
        expect(view.length).toBe(text.length);
        expect(view.split('\n').length).toBe(text.split('\n').length);
      }
    }),
  );
});
