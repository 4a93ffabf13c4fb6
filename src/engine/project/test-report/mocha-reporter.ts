/**
 * A reporter for mocha, which takes only one: it prints as its `spec` does, and writes JSON beside it. Unlike mocha's own
 * JSON it also names hooks that fail, after which the tests of their suite are not run.
 */
export const MOCHA_REPORTER = `const { createRequire } = require('node:module');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
// The mocha that loads this file, wherever it is installed.
const { Spec } = createRequire(module.parent ? module.parent.filename : process.argv[1])('mocha').reporters;
module.exports = class extends Spec {
  constructor(runner, options) {
    super(runner, options);
    const [tests, pending] = [[], []];
    const line = (test, err) => ({ fullTitle: test.fullTitle(), file: test.file, err });
    runner.on('pass', (test) => tests.push(line(test, {})));
    runner.on('fail', (test, error) => tests.push(line(test, { message: String(error && error.message) })));
    runner.on('pending', (test) => {
      tests.push(line(test, {}));
      pending.push(line(test, {}));
    });
    runner.once('end', () =>
      writeFileSync(join(__dirname, 'runner.json'), JSON.stringify({ stats: {}, tests, pending })));
  }
};
`;
