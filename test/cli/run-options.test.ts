import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addLoopLimits, addWorkOptions, choicesFrom, firstLimits } from '../../src/cli/run-options.ts';

const typed = (add: (command: Command) => Command, ...flags: string[]) => {
  const command = add(new Command().exitOverride().configureOutput({ writeErr: () => {} }));
  return choicesFrom(command.parse(flags, { from: 'user' }).opts());
};

describe('the flags of a run', () => {
  test('what was not typed is absent: the contract says it, or the run that goes on', () => {
    expect(typed(addWorkOptions)).toEqual({ limits: {}, client: {} });
  });

  test('each reaches its part', () => {
    const flags =
      '--promise DONE --mode fresh --fresh-every 2 --context 0.5 --max-iterations 7 --model m --max-turns 9 --allow A --allow B --ask end --ask-timeout 1h';
    expect(typed(addWorkOptions, ...flags.split(' '))).toEqual({
      promise: 'DONE',
      mode: 'fresh',
      freshEvery: 2,
      limits: { context: 0.5, iterations: 7 },
      client: { model: 'm', maxTurns: 9, allow: ['A', 'B'] },
      ask: { policy: 'end', waitMs: 3_600_000 },
    });
  });

  test('unlimited is a limit, the longest wait, or nothing at all', () => {
    const flags =
      '--max-cost unlimited --ask-timeout unlimited --idle-timeout unlimited --max-turns unlimited';
    expect(typed(addWorkOptions, ...flags.split(' '))).toEqual({
      limits: { costUsd: 'unlimited' },
      ask: { waitMs: 'unlimited' },
      client: { idleMs: 2 ** 31 - 1 },
    });
  });

  test('a text may be that word', () => {
    expect(typed(addWorkOptions, '--promise', 'unlimited').promise).toBe('unlimited');
  });

  test('a run that goes on gets more, one that begins does not', () => {
    const { limits } = typed(addWorkOptions, '--max-cost', '+5');
    expect(limits).toEqual({ costUsd: { more: 5 } });
    expect(() => firstLimits(limits)).toThrow('name the run (--resume)');
    expect(() => typed(addWorkOptions, '--max-turns', '+5')).toThrow();
    expect(() => typed(addLoopLimits, '--max-iterations', '+5')).toThrow();
  });
});
