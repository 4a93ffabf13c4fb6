import { expect, test } from 'vitest';
import { proposedIn } from '../../foreign/contract.ts';

const SOURCE = { right: { tests: ['go test ./...'] }, optional: { lint: ['go vet ./...'] } };

function contract(gates: string, rest = ''): string {
  return `room:\n  setup: go mod download\n${rest}gates:\n${gates}`;
}

const TESTS = '  tests: { run: go test ./... }\n';
const PROOF = '  proof: { differential: { tests: tests } }\n';

test('a contract is right when its gates run what they should, and there is proof', () => {
  const text = contract(`${TESTS}  lint: { run: go vet ./... }\n${PROOF}`);
  expect(proposedIn(text, SOURCE)).toMatchObject({
    commands: { tests: 'go test ./...', lint: 'go vet ./...' },
    hasProof: true,
    wrong: [],
  });
});

test.each([
  ['a gate that is missing', `  lint: { run: go vet ./... }\n${PROOF}`, ['no tests']],
  ['another command', `  tests: { run: go test . }\n${PROOF}`, ['tests: go test .']],
  ['a gate that nobody asked for', `${TESTS}  build: { run: make dist }\n${PROOF}`, ['build: make dist']],
  ['no proof', TESTS, ['no proof']],
])('%s is said', (_, gates, wrong) => {
  expect(proposedIn(contract(gates), SOURCE).wrong).toEqual(wrong);
});

test('gates that are not in done count for nothing', () => {
  const text = contract(`${TESTS}${PROOF}  build: { run: make dist }\n`, 'done: [tests, proof]\n');
  expect(proposedIn(text, SOURCE).wrong).toEqual([]);
});
