import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LOOP_FLAGS, splitRalph, splitTask, splitWords } from '../../../src/cli/slash/arguments.ts';

const loop = (text: string) => splitTask(text, LOOP_FLAGS);

describe('the task of /untildone:loop', () => {
  test.each([
    ['Fix the tests', [], 'Fix the tests'],
    ['"Fix" the \'tests\' $(touch x) `y` ; & | > z', [], '"Fix" the \'tests\' $(touch x) `y` ; & | > z'],
    ['one\n\n  two "three\nfour', [], 'one\n\n  two "three\nfour'],
    ['--- yaml ---', [], '--- yaml ---'],
    ['- [ ] an item', [], '- [ ] an item'],
    ['--unknown flag', [], '--unknown flag'],
    ['--max-iterations 5 Fix it', ['--max-iterations=5'], 'Fix it'],
    [
      'Fix it --max-iterations 5 --max-duration=1h30m',
      ['--max-iterations=5', '--max-duration=1h30m'],
      'Fix it',
    ],
    ['--promise "ALL GREEN" Fix it', ['--promise=ALL GREEN'], 'Fix it'],
    ['Fix it --promise "ALL GREEN"', ['--promise=ALL GREEN'], 'Fix it'],
    ["Fix it --promise='ALL GREEN'", ['--promise=ALL GREEN'], 'Fix it'],
    ['Add the flag --promise to it', [], 'Add the flag --promise to it'],
    ['Add the flag --max-iterations', [], 'Add the flag --max-iterations'],
    ['Add --max-iterations 5 to the help', [], 'Add --max-iterations 5 to the help'],
    ['-- --max-iterations 5 is what to test', [], '--max-iterations 5 is what to test'],
    ['--max-iterations 5 -- --promise "x"', ['--max-iterations=5'], '--promise "x"'],
    ['--max-iterations 5', ['--max-iterations=5'], ''],
    ['', [], ''],
    ["don't stop, 'tis early", [], "don't stop, 'tis early"],
  ])('%j', (text, flags, task) => {
    expect(loop(text)).toEqual({ flags, task });
  });

  test('behind -- every text arrives as it was typed, but for blanks around it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(loop(`-- ${text}`)).toEqual({ flags: [], task: text.trim() });
      }),
    );
  });

  test('a text without flags arrives as it was typed', () => {
    const text = fc.string({ unit: 'binary' }).filter((each) => !/--/.test(each));
    fc.assert(
      fc.property(text, (each) => {
        expect(loop(each)).toEqual({ flags: [], task: each.trim() });
      }),
    );
  });
});

describe('the arguments of /ralph-loop', () => {
  test.each([
    ['"Fix the \\"tests\\"." --max-iterations 5', ['--max-iterations=5'], 'Fix the "tests".'],
    [
      'Fix it --completion-promise ALL DONE --max-iterations=4',
      ['--completion-promise=ALL DONE', '--max-iterations=4'],
      'Fix it',
    ],
    ['--completion-promise "ALL DONE" Fix it', ['--completion-promise=ALL DONE'], 'Fix it'],
    ['--completion-promise DONE Fix it', ['--completion-promise=DONE'], 'Fix it'],
    ['Fix\n\n  "a" and b --no-safety-stop', ['--no-safety-stop'], 'Fix\n\n  "a" and b'],
    ['"one\ntwo $(x)"', [], 'one\ntwo $(x)'],
    ['-- --max-iterations 3', [], '--max-iterations 3'],
    ['Fix it --completion-promise', ['--completion-promise'], 'Fix it'],
    ['Fix --max-iterations 3 it', ['--max-iterations=3'], 'Fix it'],
  ])('%j', (text, flags, task) => {
    expect(splitRalph(text)).toEqual({ flags, task });
  });
});

test('words are grouped by quotes, and nothing is expanded', () => {
  expect(splitWords('a "b c" \'d e\' $HOME --note="f g" don\'t')).toEqual([
    'a',
    'b c',
    'd e',
    '$HOME',
    '--note=f g',
    "don't",
  ]);
});
