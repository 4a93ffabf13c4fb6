import type { Project } from '../format.ts';

export const c: Project = {
  name: 'c',
  language: 'c',
  task: 'Make "make test" pass: trim() leaves the spaces at the end, and count() counts empty fields wrongly.',
  programs: ['gcc', 'make'],
  check: 'make test',
  files: {
    Makefile: `CFLAGS = -Wall -Wextra -Werror

.PHONY: test clean

build/test: src/text.c src/text.h test/test.c test/check.h
	mkdir -p build
	gcc $(CFLAGS) -Isrc -o $@ src/text.c test/test.c

test: build/test
	./build/test

clean:
	rm -rf build
`,
    '.gitignore': 'build/\n',
    'src/text.h': `#ifndef TEXT_H
#define TEXT_H

/* Cuts the spaces at both ends, in place. */
char *trim(char *text);

/* The number of fields between commas; an empty text has none. */
int count(const char *line);

#endif
`,
    'src/text.c': `#include "text.h"

char *trim(char *text) {
    while (*text == ' ') text++;
    return text;
}

int count(const char *line) {
    int fields = 0;
    for (; *line; line++)
        if (*line == ',') fields++;
    return fields;
}
`,
    'test/check.h': `#ifndef CHECK_H
#define CHECK_H
#include <stdio.h>

static int failures;

#define CHECK(condition)                                            \\
    do {                                                            \\
        if (!(condition)) {                                         \\
            printf("%s:%d: %s\\n", __FILE__, __LINE__, #condition);  \\
            failures++;                                             \\
        }                                                           \\
    } while (0)

#endif
`,
    'test/test.c': `#include <string.h>
#include "check.h"
#include "text.h"

static void test_trim(void) {
    char both[] = "  a b  ";
    CHECK(strcmp(trim(both), "a b") == 0);
    char none[] = "ab";
    CHECK(strcmp(trim(none), "ab") == 0);
    char all[] = "   ";
    CHECK(strcmp(trim(all), "") == 0);
}

static void test_count(void) {
    CHECK(count("") == 0);
    CHECK(count("a") == 1);
    CHECK(count("a,,b") == 3);
}

int main(void) {
    test_trim();
    test_count();
    printf("%d failures\\n", failures);
    return failures > 0;
}
`,
  },
  fix: [
    {
      replace: {
        path: 'src/text.c',
        from: "    while (*text == ' ') text++;\n",
        to: "    while (*text == ' ') text++;\n    char *end = text;\n    for (char *at = text; *at; at++)\n        if (*at != ' ') end = at + 1;\n    *end = 0;\n",
      },
    },
    {
      replace: { path: 'src/text.c', from: '    int fields = 0;\n', to: '    int fields = *line ? 1 : 0;\n' },
    },
  ],
};
