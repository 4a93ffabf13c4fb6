import * as z from 'zod';
import { DIFFERENTIAL_CHECKS } from '../../core/contract/gate-options.ts';
import { listOf, pathOf, textOf, timeOf, wholeNumber } from '../../schema/values.ts';
import { oneOf, say } from '../../schema/words.ts';
import { modelOptions, money } from '../judge/grammar.ts';
import { gateKind } from '../kind-grammar.ts';
import { runOptions } from '../run/grammar.ts';

const PROOF = 'proof: { differential: npm test, tests: ["test/**"] }';
const MAY_CHANGE = 'proof: { differential: npm test, may_change: ["test/prices.test.js"] }';
const RESOLVE = 'proof: { differential: npm test, resolve: person }';
const CHECKS = 'proof: { differential: npm test, checks: [old_tests, new_tests, change] }';

const BUDGET = 'proof: { differential: npm test, runs: 20, time: 10m, min: 0.8 }';
const shareWords = say('a number from 0 to 1', BUDGET);
const share = z.number(shareWords).min(0, shareWords).max(1, shareWords);

export const differentialGrammar = gateKind({
  kind: 'differential',
  about:
    'Runs the tests of the start on the code of now, and the tests of now on the code of the start, in clean rooms.',
  example: PROOF,
  what: textOf('a command that runs the tests', PROOF).describe('The command that runs the tests.'),
  main: 'command',
  runsCommand: true,
  options: {
    ...runOptions,
    tests: listOf(pathOf('a glob', PROOF), 'glob', PROOF)
      .describe('Which files are tests, with their fixtures and snapshots; the usual places when absent.')
      .exactOptional(),
    checks: listOf(oneOf(DIFFERENTIAL_CHECKS, CHECKS), 'check', CHECKS)
      .describe(
        'What is measured; all when absent. old_tests: the tests of the start on the code of now. new_tests: the tests of now on the code of the start. change: whether a test fails when changed lines are undone.',
      )
      .exactOptional(),
    may_change: listOf(pathOf('a glob', MAY_CHANGE), 'glob', MAY_CHANGE)
      .describe('Tests that may expect something else than at the start.')
      .exactOptional(),
    resolve: oneOf(['person', 'judge'], RESOLVE)
      .describe(
        'Who says whether the task asks for a test that expects something else now. person (default): you. judge: a model.',
      )
      .exactOptional(),
    ...modelOptions(RESOLVE),
    runs: wholeNumber(BUDGET)
      .describe(
        'The most runs of the tests for the check change. Without runs, time and min it takes about half a run of the tests.',
      )
      .exactOptional(),
    time: timeOf(BUDGET).describe('The most time for the check change.').exactOptional(),
    min: share
      .describe(
        'The share of the changed lines that have to be tested: a test fails when they are undone. When absent, untested lines are told and hold nobody.',
      )
      .exactOptional(),
  },
  conflict: (_, { resolve, model, max_cost }) =>
    resolve !== 'judge' && (model !== undefined || max_cost !== undefined)
      ? 'model and max_cost only with resolve: judge'
      : undefined,
  build: (command, { may_change, model, max_cost, time, ...options }) => {
    const { maxTurns: _, ...asked } = money({ model, max_cost });
    return { command, ...options, mayChange: may_change, timeMs: time, ...asked };
  },
});
