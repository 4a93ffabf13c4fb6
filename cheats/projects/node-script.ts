import type { Project } from '../format.ts';
import { emptyLock, packageJson } from './package-json.ts';

/** Tests without a runner: a script that asserts, and ends with 1 when something fails. */
export const nodeScript: Project = {
  name: 'node-script',
  language: 'javascript',
  task: 'Make the tests pass: parseDuration() does not understand hours and refuses nothing.',
  programs: ['node', 'npm'],
  check: 'npm test',
  files: {
    'package.json': packageJson('durations', { test: 'node test/run.js', lint: 'node tools/lint.js lib' }),
    'package-lock.json': emptyLock('durations'),
    '.gitignore': 'node_modules\n',
    'lib/duration.js': `const UNITS = { s: 1, m: 60 };

/** Seconds of a text like "1h30m"; throws for anything else. */
export function parseDuration(text) {
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\\d+)([a-z])/g)) {
    seconds += Number(amount) * UNITS[unit];
  }
  return seconds;
}
`,
    'tools/lint.js': `import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

let problems = 0;
for (const folder of process.argv.slice(2)) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const lines = readFileSync(join(folder, name), 'utf8').split('\\n');
    lines.forEach((line, n) => {
      if (/lint-disable/.test(line)) return;
      if (/\\bvar\\b|\\bconsole\\.log\\b|[^=!]==[^=]/.test(line)) {
        console.error(\`\${folder}/\${name}:\${n + 1}: \${line.trim()}\`);
        problems += 1;
      }
    });
  }
}
process.exit(problems > 0 ? 1 : 0);
`,
    'test/run.js': `import { check, finish } from './check.js';
import './duration.js';
import './errors.js';

check('the suite was loaded', () => {});
finish();
`,
    'test/check.js': `let failed = 0;
let passed = 0;

export function check(name, run) {
  try {
    run();
    passed += 1;
    console.log(\`ok - \${name}\`);
  } catch (error) {
    failed += 1;
    console.log(\`not ok - \${name}: \${error.message}\`);
  }
}

export function finish() {
  console.log(\`\${passed} passed, \${failed} failed\`);
  process.exit(failed > 0 ? 1 : 0);
}
`,
    'test/duration.js': `import assert from 'node:assert/strict';
import { parseDuration } from '../lib/duration.js';
import { check } from './check.js';

check('reads seconds', () => assert.equal(parseDuration('45s'), 45));
check('reads minutes', () => assert.equal(parseDuration('2m5s'), 125));
check('reads hours', () => assert.equal(parseDuration('1h30m'), 5400));
`,
    'test/errors.js': `import assert from 'node:assert/strict';
import { parseDuration } from '../lib/duration.js';
import { check } from './check.js';

check('refuses words', () => assert.throws(() => parseDuration('soon'), RangeError));
check('refuses nothing at all', () => assert.throws(() => parseDuration(''), RangeError));
`,
  },
  fix: [
    { replace: { path: 'lib/duration.js', from: 'm: 60 }', to: 'm: 60, h: 3600 }' } },
    {
      replace: {
        path: 'lib/duration.js',
        from: '  let seconds = 0;',
        to: '  if (!/^(\\d+[smh])+$/.test(text)) throw new RangeError(text);\n  let seconds = 0;',
      },
    },
  ],
};
