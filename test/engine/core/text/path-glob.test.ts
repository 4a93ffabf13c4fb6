import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathMatcher } from '../../../../src/engine/core/text/globs.ts';
import { rounds } from '../../../support/long.ts';

test.each<[patterns: string[], matching: string[], other: string[]]>([
  [['src/**'], ['src/a.ts', 'src/x/y/b.ts'], ['lib/src/a.ts', 'srcs/a.ts']],
  [['src'], ['src/a.ts', 'src/x/b.ts', 'lib/src/a.ts'], ['srcs/a.ts']],
  [
    ['/src', './lib/'],
    ['src/a.ts', 'lib/b/c.ts'],
    ['x/src/a.ts', 'x/lib/a.ts'],
  ],
  [['*.ts'], ['a.ts', 'x/y/a.ts'], ['a.tsx', 'a.ts.bak']],
  [['src/*.ts'], ['src/a.ts'], ['src/x/a.ts', 'a.ts']],
  [['src/**/*.ts'], ['src/a.ts', 'src/x/y/a.ts'], ['src/a.js']],
  [['**/test/**'], ['test/a', 'x/test/a'], ['tests/a']],
  [['a?.ts'], ['ab.ts'], ['a.ts', 'abc.ts', 'a/.ts']],
  [
    ['*.{ts,js}', 'x.{a,b{c,d}}'],
    ['a.ts', 'a.js', 'x.a', 'x.bc', 'x.bd'],
    ['a.tsx', 'x.b', 'x.c'],
  ],
  [['src/**', '!src/gen/**', 'src/gen/keep.ts'], ['src/a.ts', 'src/gen/keep.ts'], ['src/gen/a.ts']],
  [['!dist'], ['src/a.ts'], ['dist/a.js']],
  [['a.b(c)+[d].ts'], ['a.b(c)+[d].ts'], ['aXb(c)+[d].ts', 'a.bcd.ts']],
  [['{a.ts'], ['{a.ts'], ['a.ts']],
  [[], [], ['a.ts']],
])('%j', (patterns, matching, other) => {
  const matches = pathMatcher(patterns);
  expect([...matching, ...other].filter(matches)).toEqual(matching);
});

/** The same as a regular expression, which can take exponential time. */
function asExpression(glob: string): RegExp {
  const wildcards: Record<string, string> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' };
  const whole = glob.replace(/\/+$/, '');
  const body = whole.replace(/^(\.?\/)+/, '');
  let expression = '';
  let depth = 0;
  for (const { 0: part, index } of body.matchAll(/\*\*\/|\*\*|./gs)) {
    if (part === '{' && body.includes('}', index)) {
      depth++;
      expression += '(?:';
    } else if (part === '}' && depth > 0) {
      depth--;
      expression += ')';
    } else if (part === ',' && depth > 0) expression += '|';
    else expression += wildcards[part] ?? part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  }
  return new RegExp(
    `^${whole.includes('/') ? '' : '(?:.*/)?'}${expression}${')'.repeat(depth)}(?:/.*)?$`,
    's',
  );
}

const glob = fc
  .array(fc.constantFrom('a', 'b', '.', '/', '/', '*', '**', '**/', '?', '{', ',', '}', '[', '\n'), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''))
  .filter((text) => !text.startsWith('!'));
const path = fc
  .array(fc.constantFrom('a', 'b', '.', '/', '{', ',', '}', '[', '\n'), { maxLength: 8 })
  .map((parts) => parts.join(''));

test('a glob means the same as the expression for it', () => {
  fc.assert(
    fc.property(glob, fc.array(path, { maxLength: 10 }), (written, paths) => {
      const [ours, expected] = [pathMatcher([written]), asExpression(written)];
      for (const one of paths) expect(ours(one)).toBe(expected.test(one));
    }),
    { numRuns: rounds(10_000) },
  );
});
