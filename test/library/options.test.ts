import { describe, expect, test } from 'vitest';
import { ContractError, UsageError } from '../../src/engine/core/text/errors.ts';
import { choicesFrom, drivingOptions } from '../../src/library/run.ts';
import type { RunOptions } from '../../src/library/types.ts';

const driving = (options: RunOptions, notes: string[] = []) =>
  drivingOptions(options, choicesFrom(options), (note) => notes.push(note));

test('what is not said is left to the contract', () => {
  expect(driving({})).toEqual({ task: '', client: {}, limits: {} });
});

test('everything that is said counts', () => {
  expect(
    driving({
      task: 'Build it',
      contract: 'other.yaml',
      trust: 'abc',
      promise: 'DONE',
      features: 'f.json',
      limits: { iterations: 3, durationMs: 1000, costUsd: 'unlimited', tokens: 5, context: 0.5 },
      mode: 'fresh',
      freshEvery: 2,
      model: 'sonnet',
      permissionMode: 'bypassPermissions',
      allow: ['Bash'],
      maxTurns: 9,
    }),
  ).toEqual({
    task: 'Build it',
    contractFile: 'other.yaml',
    trust: 'abc',
    promise: 'DONE',
    features: 'f.json',
    limits: { iterations: 3, durationMs: 1000, costUsd: 'unlimited', tokens: 5, context: 0.5 },
    mode: 'fresh',
    freshEvery: 2,
    client: { model: 'sonnet', permissionMode: 'bypassPermissions', allow: ['Bash'], maxTurns: 9 },
  });
});

describe('a contract that the program wrote', () => {
  test('is read as the file would be, and needs nobody else to approve it', () => {
    const { contract, trust } = driving({ contract: { gates: { t: { run: 'x', timeout: '1m' } } } });
    expect(contract).toMatchObject({
      gates: { t: { kind: 'run', options: { command: 'x' }, timeoutMs: 60_000 } },
      done: ['t'],
    });
    expect(trust).toBe(true);
  });

  test('has its warnings told', () => {
    const notes: string[] = [];
    driving({ contract: { gates: { t: { run: 'x' }, u: { run: 'y' } }, done: ['t'] } }, notes);
    expect(notes).toEqual([expect.stringMatching(/^Note: contract: .*"u"/)]);
  });

  test('has all of its mistakes told, without a place in a file that is not there', () => {
    const contract = { gates: { t: { run: 'x', timout: '1m' } }, dnoe: ['t'] } as RunOptions['contract'] &
      object;
    const thrown = caught(() => driving({ contract }));
    expect(thrown).toBeInstanceOf(ContractError);
    expect((thrown as ContractError).problems).toEqual([
      expect.stringMatching(/^contract: expected .* found "timout" in gates\.t /),
      expect.stringMatching(/^contract: expected .* found "dnoe"/),
    ]);
  });

  test('cannot lead back to itself', () => {
    const circle: Record<string, unknown> = {};
    circle.gates = circle;
    expect(() => driving({ contract: circle })).toThrow(ContractError);
  });
});

test.each<[object, string]>([
  [{ task: 1 }, 'expected a text, found 1 in task'],
  [
    { limits: { iterations: 0 } },
    "expected a whole number from 1, or 'unlimited', found 0 in limits.iterations",
  ],
  [
    { limits: { costUsd: Number.NaN } },
    "expected a number above 0, or 'unlimited', found NaN in limits.costUsd",
  ],
  [
    { limits: { context: 2 } },
    'expected a share of the context window from 0.1 to 0.95, found 2 in limits.context',
  ],
  [{ mode: 'fast' }, 'expected one of hybrid, session, fresh, found "fast" in mode'],
  [{ permissionMode: 'all' }, 'found "all" in permissionMode'],
  [{ allow: 'Bash' }, 'expected a list of texts, found "Bash" in allow'],
  [{ maxTurns: 1.5 }, 'expected a whole number from 1, found 1.5 in maxTurns'],
])('%j is refused', (options, words) => {
  const thrown = caught(() => driving(options as RunOptions));
  expect(thrown).toBeInstanceOf(UsageError);
  expect((thrown as Error).message).toContain(words);
});

function caught(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
