import type { Project } from '../format.ts';

/** unittest, flake8 and mypy, called by make. */
export const pythonMake: Project = {
  name: 'python-make',
  language: 'python',
  task: 'Make "make test", "make lint" and "make types" pass. wrap() breaks words and miscounts.',
  programs: ['python3', 'make', 'flake8', 'mypy'],
  check: 'make lint types test',
  files: {
    Makefile: `.PHONY: test lint types

test:
	python3 -m unittest discover -s tests -t .

lint:
	flake8 textkit tests

types:
	mypy textkit
`,
    'setup.cfg': `[flake8]
max-line-length = 88

[mypy]
strict = true
`,
    '.gitignore': '__pycache__/\n.mypy_cache/\n*.pyc\n',
    'textkit/__init__.py': '',
    'textkit/wrap.py': `from typing import List
import os


def wrap(text, width: int) -> List[str]:
    """Lines of at most so many characters, broken between words."""
    if width < 1:
        raise ValueError("too narrow")
    return [text[i:i + width] for i in range(0, len(text), width)]


def longest(lines: List[str]) -> int:
    return max(len(line) for line in lines)
`,
    'tests/__init__.py': '',
    'tests/test_wrap.py': `import unittest

from textkit.wrap import longest, wrap


class WrapTest(unittest.TestCase):
    def test_short_text_is_one_line(self):
        self.assertEqual(wrap("a b", 10), ["a b"])

    def test_breaks_between_words(self):
        self.assertEqual(wrap("one two three", 8), ["one two", "three"])

    def test_long_words_stay_whole(self):
        self.assertEqual(wrap("incomprehensible a", 5), ["incomprehensible", "a"])

    def test_refuses_no_width(self):
        with self.assertRaises(ValueError):
            wrap("a", 0)


class LongestTest(unittest.TestCase):
    def test_counts_characters(self):
        self.assertEqual(longest(["a", "abc"]), 3)

    def test_no_lines(self):
        self.assertEqual(longest([]), 0)


if __name__ == "__main__":
    unittest.main()
`,
  },
  fix: [
    {
      write: {
        'textkit/wrap.py': `from typing import List


def wrap(text: str, width: int) -> List[str]:
    """Lines of at most so many characters, broken between words."""
    if width < 1:
        raise ValueError("too narrow")
    lines: List[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def longest(lines: List[str]) -> int:
    return max((len(line) for line in lines), default=0)
`,
      },
    },
  ],
};
