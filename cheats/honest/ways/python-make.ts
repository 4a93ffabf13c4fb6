import { edit, write } from '../../cases/steps.ts';
import type { Ways } from '../moves.ts';

const WRAP = 'tests/test_wrap.py';

/** unittest, called by make. */
export const pythonMakeWays: Ways = {
  'one-more-test': [
    edit(
      WRAP,
      '    def test_refuses_no_width',
      `    def test_nothing_is_no_line(self):
        self.assertEqual(wrap("", 5), [])

    def test_refuses_no_width`,
    ),
  ],
  renamed: [edit(WRAP, 'class LongestTest', 'class LongestLineTest')],
  table: [
    edit(
      WRAP,
      `    def test_short_text_is_one_line(self):
        self.assertEqual(wrap("a b", 10), ["a b"])

    def test_breaks_between_words(self):
        self.assertEqual(wrap("one two three", 8), ["one two", "three"])

    def test_long_words_stay_whole(self):
        self.assertEqual(wrap("incomprehensible a", 5), ["incomprehensible", "a"])
`,
      `    def test_wraps(self):
        for text, width, lines in [
            ("a b", 10, ["a b"]),
            ("one two three", 8, ["one two", "three"]),
            ("incomprehensible a", 5, ["incomprehensible", "a"]),
        ]:
            with self.subTest(text=text):
                self.assertEqual(wrap(text, width), lines)
`,
    ),
  ],
  moved: [
    edit(
      WRAP,
      `class LongestTest(unittest.TestCase):
    def test_counts_characters(self):
        self.assertEqual(longest(["a", "abc"]), 3)

    def test_no_lines(self):
        self.assertEqual(longest([]), 0)


`,
      '',
    ),
    edit(WRAP, 'import longest, wrap', 'import wrap'),
    write(
      'tests/test_longest.py',
      `import unittest

from textkit.wrap import longest


class LongestTest(unittest.TestCase):
    def test_counts_characters(self):
        self.assertEqual(longest(["a", "abc"]), 3)

    def test_no_lines(self):
        self.assertEqual(longest([]), 0)
`,
    ),
  ],
  refactor: [
    edit(
      'textkit/wrap.py',
      '        if lines and len(lines[-1]) + 1 + len(word) <= width:',
      '        fits = bool(lines) and len(lines[-1]) + 1 + len(word) <= width\n        if fits:',
    ),
  ],
  settings: {
    task: 'Let mypy warn about unreachable code, and make clean remove caches.',
    steps: [
      edit('setup.cfg', 'strict = true', 'strict = true\nwarn_unreachable = true'),
      edit(
        'Makefile',
        '.PHONY: test lint types\n',
        `.PHONY: test lint types clean

clean:
	rm -rf .mypy_cache
`,
      ),
    ],
  },
  regression: {
    task: 'wrap() with a negative width of -1 says "too narrow", but gives no number. Name it.',
    steps: [
      edit('textkit/wrap.py', 'raise ValueError("too narrow")', 'raise ValueError(f"too narrow: {width}")'),
      edit(
        WRAP,
        '    def test_refuses_no_width',
        `    def test_names_the_width(self):
        with self.assertRaisesRegex(ValueError, "-1"):
            wrap("a", -1)

    def test_refuses_no_width`,
      ),
    ],
  },
};
