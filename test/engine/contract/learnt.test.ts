import { describe, expect, test } from 'vitest';
import { type Learnt, withLearnt, withTopKey } from '../../../src/engine/contract/learnt.ts';
import { parseContract } from '../../../src/engine/contract/read.ts';
import { proposeContract } from '../../../src/engine/core/contract/propose.ts';

const TEXT = `# What "done" means here.
room: clean
setup: { run: npm ci, inputs: [package.json] }  # from package-lock.json

gates:
  tests:  { run: npm test, timeout: 10m }          # "test" in package.json
  lint:   { run: "npm run lint" }  # "lint" in package.json
  intact: { tests_intact: true }
  # saved: { git: [clean, committed] }

done: [tests, lint, intact]

limits: { iterations: 50 }
`;
const NOTHING: Learnt = { timeouts: {}, leftOut: {}, notJudged: [], known: [] };

describe('what was learnt', () => {
  test('changes the lines that it is about, and no other', () => {
    const text = withLearnt(TEXT, {
      timeouts: { tests: '2m', lint: '1m' },
      leftOut: { intact: 'it has\nno git' },
      notJudged: ['lint'],
      known: [
        {
          gate: 'tests',
          test: 'a.js > says "no": #1',
          since: '2026-01-05',
          reason: 'failed before any work',
        },
        { gate: 'lint' },
      ],
    });
    expect(text).toBe(`# What "done" means here.
room: clean
setup: { run: npm ci, inputs: [package.json] }  # from package-lock.json

gates:
  tests:  { run: npm test, timeout: 2m }          # "test" in package.json
  lint:   { run: "npm run lint", timeout: 1m }  # "lint" in package.json; not judged at setup
  # Left out: it has no git
  # intact: { tests_intact: true }
  # saved: { git: [clean, committed] }

done: [tests, lint]

# What failed before any work. It holds nobody, and ends when it has passed once.
known_failures:
  - { gate: tests, test: "a.js > says \\"no\\": #1", since: 2026-01-05, reason: failed before any work }
  - { gate: lint }

limits: { iterations: 50 }
`);
    const parsed = parseContract(text, 'untildone.yaml');
    expect(parsed.ok && parsed.contract.knownFailures).toMatchObject([
      { test: 'a.js > says "no": #1', since: '2026-01-05' },
      { gate: 'lint' },
    ]);
  });

  test('nothing changes nothing', () => expect(withLearnt(TEXT, NOTHING)).toBe(TEXT));

  test('a key of the contract gets another value, or goes', () => {
    expect(withTopKey(TEXT, 'setup', 'as_found')).toContain('room: clean\nsetup: as_found\n\ngates:');
    expect(withTopKey(withTopKey(TEXT, 'setup', undefined), 'room', undefined)).toMatch(/here\.\n\ngates:/);
    expect(withTopKey(TEXT, 'needs', undefined)).toBe(TEXT);
  });
});

test('a contract as it is proposed stays one', () => {
  const proposed = proposeContract({
    git: true,
    githubWorkflows: false,
    makeTargets: [],
    rust: false,
    go: true,
    node: { manager: 'npm', scripts: { test: 'x', lint: 'y', build: 'z' }, typescript: false },
  });
  const text = withLearnt(proposed, {
    timeouts: { tests: '5m' },
    leftOut: { lint: 'eslint is missing', proof: 'x' },
    notJudged: ['build'],
    known: [{ gate: 'tests', test: 'a' }],
  });
  const parsed = parseContract(text, 'untildone.yaml');
  expect(parsed.ok ? [] : parsed.problems).toEqual([]);
  expect(parsed.ok && parsed.contract.done).not.toContain('lint');
  expect(parsed.ok && parsed.contract.gates.tests?.timeoutMs).toBe(300_000);
  expect(parsed.ok && parsed.contract.gates.lint).toBeUndefined();
});
