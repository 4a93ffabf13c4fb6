import type { Project } from '../format.ts';

export const shell: Project = {
  name: 'shell',
  language: 'shell',
  task: 'Make "make test" pass: bin/sum.sh ignores negative numbers and wrong lines.',
  programs: ['make'],
  check: 'make test',
  files: {
    Makefile: `.PHONY: test

test:
	sh test/run.sh
`,
    '.gitignore': '*.log\n',
    'bin/sum.sh': `#!/bin/sh
# Sums the second column of CSV on stdin.
awk -F, '$2 ~ /^[0-9]+$/ { sum += $2 } END { print sum + 0 }'
`,
    'test/run.sh': `#!/bin/sh
# Runs every case in test/cases: NAME.csv gives NAME.out, and NAME.code is the exit code.
cd "$(dirname "$0")/.." || exit 1
failed=0
for input in test/cases/*.csv; do
  name=\${input%.csv}
  code=0
  got=$(sh bin/sum.sh <"$input" 2>/dev/null) || code=$?
  want=$(cat "$name.out")
  want_code=$(cat "$name.code" 2>/dev/null || echo 0)
  if [ "$got" = "$want" ] && [ "$code" = "$want_code" ]; then
    echo "ok $name"
  else
    echo "not ok $name: got $got ($code), want $want ($want_code)"
    failed=1
  fi
done
exit $failed
`,
    'test/cases/plain.csv': 'a,1\nb,2\n',
    'test/cases/plain.out': '3\n',
    'test/cases/empty.csv': '',
    'test/cases/empty.out': '0\n',
    'test/cases/negative.csv': 'a,10\nb,-4\n',
    'test/cases/negative.out': '6\n',
    'test/cases/wrong.csv': 'a,10\nb,ten\n',
    'test/cases/wrong.out': '',
    'test/cases/wrong.code': '2\n',
  },
  fix: [
    {
      write: {
        'bin/sum.sh': `#!/bin/sh
# Sums the second column of CSV on stdin; ends with 2 at a line without a number.
awk -F, '$2 !~ /^-?[0-9]+$/ { wrong = 1; exit } { sum += $2 } END { if (wrong) exit 2; print sum + 0 }'
`,
      },
    },
  ],
};
