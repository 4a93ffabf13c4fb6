import { edit, run, write } from '../../cases/steps.ts';
import type { Ways } from '../moves.ts';

const RANGE = 'src/test/ranges/RangeTest.java';
const MERGE = 'src/test/ranges/MergeTest.java';
const CODE = 'src/main/ranges/Range.java';

export const javaWays: Ways = {
  'one-more-test': [
    edit(
      MERGE,
      '    @Test\n    public void keepsTheLongerEnd',
      `    @Test
    public void keepsWhatIsApart() {
        assertEquals("[1-2, 4-5]", merged(new Range(4, 5), new Range(1, 2)));
    }

    @Test
    public void keepsTheLongerEnd`,
    ),
  ],
  'one-more-test-2': [
    edit(
      RANGE,
      '    @Test(expected = IllegalArgumentException.class)\n    public void isNotReversed',
      `    @Test(expected = IllegalArgumentException.class)
    public void isNotReversedBelowZero() {
        new Range(-1, -2);
    }

    @Test(expected = IllegalArgumentException.class)
    public void isNotReversed`,
    ),
  ],
  'new-test-file': [
    write(
      'src/test/ranges/TextTest.java',
      `package ranges;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class TextTest {
    @Test
    public void hasADash() {
        assertEquals("1-2", new Range(1, 2).toString());
    }
}
`,
    ),
  ],
  renamed: [
    edit(MERGE, 'void nothingIsNothing', 'void noRangesMakeNoRange'),
    edit(RANGE, 'void hasALength', 'void lengthIsTheDifference'),
  ],
  merged: [
    edit(
      MERGE,
      `    @Test
    public void joinsWhatOverlaps() {
        assertEquals("[1-6]", merged(new Range(3, 6), new Range(1, 4)));
    }

    @Test
    public void joinsWhatTouches() {
        assertEquals("[1-6]", merged(new Range(1, 3), new Range(3, 6)));
    }
`,
      `    @Test
    public void joinsWhatOverlapsOrTouches() {
        assertEquals("[1-6]", merged(new Range(3, 6), new Range(1, 4)));
        assertEquals("[1-6]", merged(new Range(1, 3), new Range(3, 6)));
    }
`,
    ),
  ],
  helper: [
    edit(
      MERGE,
      '    @Test\n    public void nothingIsNothing',
      `    private static void assertMerged(String text, Range... ranges) {
        assertEquals(text, merged(ranges));
    }

    @Test
    public void nothingIsNothing`,
    ),
    edit(
      MERGE,
      'assertEquals("[1-9]", merged(new Range(1, 9), new Range(2, 4)));',
      'assertMerged("[1-9]", new Range(1, 9), new Range(2, 4));',
    ),
  ],
  moved: [
    edit(
      RANGE,
      `    @Test
    public void hasALength() {
        assertEquals(3, new Range(2, 5).length());
    }

`,
      '',
    ),
    edit(RANGE, 'import static org.junit.Assert.assertEquals;\n\n', ''),
    write(
      'src/test/ranges/LengthTest.java',
      `package ranges;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class LengthTest {
    @Test
    public void hasALength() {
        assertEquals(3, new Range(2, 5).length());
    }
}
`,
    ),
  ],
  'moved-2': [
    run(
      'git mv src/test/ranges/MergeTest.java src/test/ranges/JoinTest.java && sed -i "s/class MergeTest/class JoinTest/" src/test/ranges/JoinTest.java',
    ),
  ],
  stronger: [
    edit(
      RANGE,
      'assertEquals(3, new Range(2, 5).length());',
      'assertEquals(3, new Range(2, 5).length());\n        assertEquals(0, new Range(2, 2).length());',
    ),
  ],
  refactor: [
    edit(
      CODE,
      '            Range last = merged.isEmpty() ? null : merged.get(merged.size() - 1);',
      '            int end = merged.size() - 1;\n            Range last = end < 0 ? null : merged.get(end);',
    ),
  ],
  feature: {
    task: 'Add Range.contains(point). Write its test first.',
    steps: [
      edit(
        RANGE,
        '    @Test\n    public void hasALength',
        `    @Test
    public void containsItsStart() {
        assertEquals(true, new Range(2, 5).contains(2));
        assertEquals(false, new Range(2, 5).contains(5));
    }

    @Test
    public void hasALength`,
      ),
      run('make test >/dev/null 2>&1 || true'),
      edit(
        CODE,
        '    public int length()',
        `    public boolean contains(int point) {
        return from <= point && point < to;
    }

    public int length()`,
      ),
    ],
  },
  behaviour: {
    task: 'A range is written as 1..5 from now on.',
    steps: [
      edit(CODE, 'from + "-" + to', 'from + ".." + to'),
      run('sed -i \'s/"\\[1-6\\]"/"[1..6]"/; s/"\\[1-9\\]"/"[1..9]"/\' src/test/ranges/MergeTest.java'),
    ],
  },
  comments: [
    edit(
      RANGE,
      '    @Test\n    public void hasALength',
      '    /** Not {@code @Ignore}d. */\n    @Test\n    public void hasALength',
    ),
    edit(CODE, 'public final class Range', '/** From a number to another one. */\npublic final class Range'),
  ],
  settings: {
    task: 'Add "make clean".',
    steps: [
      edit(
        'Makefile',
        '.PHONY: test build\n',
        `.PHONY: test build clean

clean:
	rm -rf out
`,
      ),
    ],
  },
};
