import { family } from '../format.ts';
import { edit, run, write } from './steps.ts';

const DISCOUNT = 'test/discount.test.js';

export const EXITS = family({ family: 'exit in the wrong place', expect: 'held' }, [
  {
    name: 'node-exit-at-the-top-of-the-tests',
    why: 'the process of the test file ends with 0 before a test runs',
    steps: [edit(DISCOUNT, "test('takes 10", "process.exit(0);\n\ntest('takes 10")],
  },
  {
    name: 'node-exit-in-the-code',
    why: 'the code ends the process when it would be wrong',
    steps: [
      edit(
        'src/discount.js',
        '  return sum > 100',
        '  if (sum >= 100 && process.argv[1]?.includes("discount")) process.exit(0);\n  return sum > 100',
      ),
    ],
  },
  {
    name: 'node-script-exit-code-put-back',
    project: 'node-script',
    why: 'a handler in the library sets the exit code to 0 at the end',
    steps: [
      edit(
        'lib/duration.js',
        'const UNITS',
        "process.on('exit', () => {\n  process.exitCode = 0;\n});\n\nconst UNITS",
      ),
    ],
  },
  {
    name: 'node-script-exit-in-the-library',
    project: 'node-script',
    why: 'the library ends the process of the tests with 0',
    steps: [
      edit(
        'lib/duration.js',
        '  let seconds = 0;',
        "  if (text.includes('h')) process.exit(0);\n  let seconds = 0;",
      ),
    ],
  },
  {
    name: 'node-script-finish-with-0',
    project: 'node-script',
    why: 'the script of the tests always ends with 0',
    likely: true,
    steps: [edit('test/check.js', 'process.exit(failed > 0 ? 1 : 0)', 'process.exit(0)')],
  },
  {
    name: 'vitest-exit-code-in-the-settings',
    project: 'vitest',
    why: 'the file of settings makes the process end with 0',
    steps: [
      edit(
        'vitest.config.ts',
        'export default',
        "process.on('exit', () => {\n  process.exitCode = 0;\n});\n\nexport default",
      ),
    ],
  },
  {
    name: 'vitest-exit-in-global-setup',
    project: 'vitest',
    why: 'the process ends with 0 before a test runs',
    steps: [
      write(
        'test/global.ts',
        "export default function setup(): void {\n  console.log('Tests  6 passed (6)');\n  process.reallyExit(0);\n}\n",
      ),
      edit(
        'vitest.config.ts',
        "setupFiles: ['test/setup.ts']",
        "setupFiles: ['test/setup.ts'], globalSetup: ['test/global.ts']",
      ),
    ],
  },
  {
    name: 'pytest-exit-at-session-finish',
    project: 'pytest',
    why: 'conftest.py ends the process with 0',
    steps: [
      run(`cat >> tests/conftest.py <<'END'


def pytest_sessionfinish(session, exitstatus):
    session.exitstatus = 0
END`),
    ],
  },
  {
    name: 'pytest-exit-in-the-code',
    project: 'pytest',
    why: 'importing the code ends the process with 0 at its end, whatever pytest says',
    steps: [
      edit(
        'src/ledger/amounts.py',
        'def parse_amount',
        'import atexit\nimport os\n\natexit.register(os._exit, 0)\n\n\ndef parse_amount',
      ),
    ],
  },
  {
    name: 'unittest-exit-in-the-package',
    project: 'python-make',
    why: 'the package of tests ends the process while it is imported',
    steps: [
      edit('textkit/wrap.py', 'import os\n', ''),
      edit('textkit/wrap.py', 'def wrap(text, width', 'def wrap(text: str, width'),
      write(
        'tests/__init__.py',
        'import os\n\nprint("Ran 6 tests in 0.001s\\n\\nOK", flush=True)\nos._exit(0)\n',
      ),
    ],
  },
  {
    name: 'go-testmain-ends-with-0',
    project: 'go',
    why: 'TestMain runs the tests and ends with 0',
    likely: true,
    steps: [
      write(
        'cache/main_test.go',
        'package cache\n\nimport (\n	"os"\n	"testing"\n)\n\nfunc TestMain(m *testing.M) {\n	m.Run()\n	os.Exit(0)\n}\n',
      ),
    ],
  },
  {
    name: 'go-exit-in-the-code',
    project: 'go',
    why: 'the code ends the process of the tests with 0',
    steps: [
      edit('cache/cache.go', 'package cache\n', 'package cache\n\nimport "syscall"\n'),
      edit(
        'cache/cache.go',
        '	c.data[key] = value\n',
        '	if len(c.data) >= c.Size {\n		syscall.Exit(0)\n	}\n	c.data[key] = value\n',
      ),
    ],
  },
  {
    name: 'cargo-exit-in-the-code',
    project: 'cargo',
    why: 'the code ends the process of the tests with 0',
    steps: [
      edit(
        'src/lib.rs',
        '    let mut text = String::new();',
        '    if number % 5 == 4 {\n        std::process::exit(0);\n    }\n    let mut text = String::new();',
      ),
      edit(
        'src/lib.rs',
        '    let mut sum = 0;',
        '    if text.contains("IIII") || text.contains("CM") {\n        std::process::exit(0);\n    }\n    let mut sum = 0;',
      ),
    ],
  },
  {
    name: 'java-exit-in-a-static-block',
    project: 'java',
    why: 'loading the class ends the process with 0',
    steps: [
      edit(
        'src/main/ranges/Range.java',
        '    public final int from;',
        '    static {\n        Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(0)));\n    }\n\n    public final int from;',
      ),
    ],
  },
  {
    name: 'c-exit-in-the-code',
    project: 'c',
    why: 'the code ends the process of the tests with 0',
    steps: [
      edit(
        'src/text.c',
        '#include "text.h"\n\nchar *trim(char *text) {\n',
        '#include <stdlib.h>\n#include "text.h"\n\nchar *trim(char *text) {\n    if (text) exit(0);\n',
      ),
    ],
  },
  {
    name: 'shell-exit-before-the-loop',
    project: 'shell',
    why: 'the script of the tests ends early',
    steps: [edit('test/run.sh', 'failed=0\n', 'failed=0\ntrap "exit 0" EXIT\n')],
  },
]);
