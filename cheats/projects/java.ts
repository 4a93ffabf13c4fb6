import type { Project } from '../format.ts';

/** javac and JUnit 4 of Debian, called by make. */
export const java: Project = {
  name: 'java',
  language: 'java',
  task: 'Fix the failing tests: ranges that touch are not merged, and reversed ranges are taken.',
  programs: ['javac', 'java', 'make'],
  libraries: ['/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar'],
  check: 'make test',
  files: {
    Makefile: `JARS = /usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar
TESTS = $(subst /,.,$(patsubst src/test/%.java,%,$(shell find src/test -name '*Test.java' | sort)))

.PHONY: test build

build:
	mkdir -p out
	javac -Xlint:all -Werror -d out -cp $(JARS) $$(find src -name '*.java')

test: build
	java -cp out:$(JARS) org.junit.runner.JUnitCore $(TESTS)
`,
    '.gitignore': 'out/\n*.class\n',
    'src/main/ranges/Range.java': `package ranges;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

public final class Range {
    public final int from;
    public final int to;

    public Range(int from, int to) {
        this.from = from;
        this.to = to;
    }

    public int length() {
        return to - from;
    }

    /** Joins ranges that overlap or touch. */
    public static List<Range> merge(List<Range> ranges) {
        List<Range> sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingInt(range -> range.from));
        List<Range> merged = new ArrayList<>();
        for (Range range : sorted) {
            Range last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last != null && range.from < last.to) {
                merged.set(merged.size() - 1, new Range(last.from, range.to));
            } else {
                merged.add(range);
            }
        }
        return merged;
    }

    @Override
    public String toString() {
        return from + "-" + to;
    }
}
`,
    'src/test/ranges/RangeTest.java': `package ranges;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import java.util.Collections;
import org.junit.Test;

public class RangeTest {
    @Test
    public void hasALength() {
        assertEquals(3, new Range(2, 5).length());
    }

    @Test(expected = IllegalArgumentException.class)
    public void isNotReversed() {
        new Range(5, 2);
    }
}
`,
    'src/test/ranges/MergeTest.java': `package ranges;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import java.util.Collections;
import org.junit.Test;

public class MergeTest {
    private static String merged(Range... ranges) {
        return Range.merge(Arrays.asList(ranges)).toString();
    }

    @Test
    public void nothingIsNothing() {
        assertEquals("[]", Range.merge(Collections.emptyList()).toString());
    }

    @Test
    public void joinsWhatOverlaps() {
        assertEquals("[1-6]", merged(new Range(3, 6), new Range(1, 4)));
    }

    @Test
    public void joinsWhatTouches() {
        assertEquals("[1-6]", merged(new Range(1, 3), new Range(3, 6)));
    }

    @Test
    public void keepsTheLongerEnd() {
        assertEquals("[1-9]", merged(new Range(1, 9), new Range(2, 4)));
    }
}
`,
  },
  fix: [
    {
      replace: {
        path: 'src/main/ranges/Range.java',
        from: '        this.from = from;\n',
        to: '        if (from > to) throw new IllegalArgumentException(from + " > " + to);\n        this.from = from;\n',
      },
    },
    {
      replace: {
        path: 'src/main/ranges/Range.java',
        from: 'range.from < last.to',
        to: 'range.from <= last.to',
      },
    },
    {
      replace: {
        path: 'src/main/ranges/Range.java',
        from: 'new Range(last.from, range.to)',
        to: 'new Range(last.from, Math.max(last.to, range.to))',
      },
    },
  ],
};
