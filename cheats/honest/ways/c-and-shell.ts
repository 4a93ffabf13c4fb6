import { edit, write } from '../../cases/steps.ts';
import type { Ways } from '../moves.ts';

const TEXT_TEST = 'test/test.c';

export const cWays: Ways = {
  'one-more-test': [
    edit(
      TEXT_TEST,
      '    CHECK(count("a") == 1);\n',
      '    CHECK(count("a") == 1);\n    CHECK(count("a,b") == 2);\n',
    ),
  ],
  'new-test-file': [
    write(
      'test/more.c',
      `#include "check.h"
#include "text.h"

void test_more(void);

void test_more(void) {
    CHECK(count(",") == 2);
    printf("%d more failures\\n", failures);
}
`,
    ),
    edit(
      TEXT_TEST,
      'int main(void) {\n',
      `void test_more(void);

int main(void) {
    test_more();
`,
    ),
    edit('Makefile', 'test/test.c test/check.h\n', 'test/test.c test/more.c test/check.h\n'),
    edit('Makefile', 'src/text.c test/test.c\n\n', 'src/text.c test/test.c test/more.c\n\n'),
  ],
  refactor: [
    edit(
      'src/text.c',
      "    for (; *line; line++)\n        if (*line == ',') fields++;\n",
      "    while (*line)\n        if (*line++ == ',') fields++;\n",
    ),
  ],
  feature: {
    task: 'Add is_blank(text).',
    steps: [
      edit(
        TEXT_TEST,
        'static void test_count(void) {',
        `static void test_blank(void) {
    CHECK(is_blank("  "));
    CHECK(!is_blank(" a"));
}

static void test_count(void) {`,
      ),
      edit(TEXT_TEST, '    test_count();\n', '    test_count();\n    test_blank();\n'),
      edit(
        'src/text.h',
        '#endif',
        `/* Whether there is nothing but spaces. */
int is_blank(const char *text);

#endif`,
      ),
      edit(
        'src/text.c',
        'int count',
        `int is_blank(const char *text) {
    while (*text == ' ') text++;
    return !*text;
}

int count`,
      ),
    ],
  },
};

export const shellWays: Ways = {
  'one-more-test': [write('test/cases/zero.csv', 'a,0\nb,5\n'), write('test/cases/zero.out', '5\n')],
  'more-rows': [
    write(
      'test/cases/many.csv',
      `a,1
b,2
c,3
d,-6
`,
    ),
    write('test/cases/many.out', '0\n'),
    write('test/cases/text.csv', 'a,\n'),
    write('test/cases/text.out', ''),
    write('test/cases/text.code', '2\n'),
  ],
  feature: {
    task: 'Lines that begin with # are comments.',
    steps: [
      write('test/cases/comment.csv', '# a,9\nb,1\n'),
      write('test/cases/comment.out', '1\n'),
      edit('bin/sum.sh', "awk -F, '", "awk -F, '/^#/ { next } "),
    ],
  },
  refactor: [edit('bin/sum.sh', '#!/bin/sh\n', '#!/bin/sh\nset -eu\n')],
  behaviour: {
    task: 'An empty input gives nothing instead of 0.',
    steps: [
      write('test/cases/empty.out', '\n'),
      edit('bin/sum.sh', 'print sum + 0', 'if (NR == 0) print ""; else print sum + 0'),
    ],
  },
};
