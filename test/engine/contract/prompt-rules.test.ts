import { describe, expect, test } from 'vitest';
import { parseContract, renderProblem } from '../../../src/engine/contract/read.ts';
import type { Contract } from '../../../src/engine/core/contract/contract.ts';

const GATES = "gates:\n  t: { run: 'true' }\n  s: { text: [secrets] }\n";

function read(text: string) {
  return parseContract(text, 'untildone.yaml');
}
function parsed(text: string): Contract {
  const result = read(text);
  if (!result.ok) throw new Error(result.problems.map(renderProblem).join('\n'));
  return result.contract;
}
const problemsOf = (text: string) => {
  const result = read(text);
  return result.ok ? [] : result.problems.map(renderProblem);
};
const warningsOf = (text: string) => {
  const result = read(text);
  return result.ok ? result.warnings.map(renderProblem) : ['not a contract'];
};
const gate = (written: string) => parsed(`gates:\n  g: ${written}\nprompt: [g]\n`).gates.g?.options;

describe('a text gate', () => {
  test('is written short or long', () => {
    const secrets = { forbid: ['secrets'], custom: [] };
    expect(gate('{ text: [secrets] }')).toEqual(secrets);
    expect(gate('{ text: { forbid: [secrets] } }')).toEqual(secrets);
    expect(gate('{ text: { at_least: 20, at_most: 4000 } }')).toEqual({
      forbid: [],
      custom: [],
      atLeast: 20,
      atMost: 4000,
    });
    expect(gate("{ text: { matches: '[A-Z]+-\\d+', say: name the ticket } }")).toEqual({
      forbid: [],
      custom: [],
      matches: { pattern: '[A-Z]+-\\d+', say: 'name the ticket' },
    });
    expect(gate("{ text: { matches: 'A-\\d+', forbid: [todo, { name: x, pattern: y }] } }")).toEqual({
      forbid: ['todo'],
      custom: [{ name: 'x', pattern: 'y' }],
      matches: { pattern: 'A-\\d+', say: 'a line that matches A-\\d+' },
    });
  });
  test.each([
    ['{ text: { } }', 'expected at least one of forbid, matches, at_least, at_most'],
    ['{ text: [debug] }', 'expected one of secrets, private_keys, todo, placeholder, or { name, pattern }'],
    ['{ text: { at_least: 5, at_most: 4 } }', 'expected at_least to be no more than at_most'],
    ['{ text: { at_least: 5, say: x } }', 'expected say only beside matches'],
    ["{ text: { matches: '(a)\\1' } }", 'expected a pattern without backreference'],
    ['{ text: [todo, todo] }', 'expected every pattern once (todo is there twice)'],
    ['{ text: { at_least: 0 } }', 'expected a whole number from 1'],
    ['{ text: { forbids: [todo] } }', 'did you mean "forbid"?'],
  ])('%s is refused', (written, problem) => {
    expect(problemsOf(`gates:\n  g: ${written}\nprompt: [g]\n`).join('\n')).toContain(problem);
  });
  test('is no part of done unless it is named there', () => {
    expect(parsed(`${GATES}prompt: [s]\n`).done).toEqual(['t']);
  });
});

describe('prompt', () => {
  test('is written short or long', () => {
    expect(parsed(`${GATES}prompt: [s, s]\n`).prompt).toEqual({ gates: ['s'] });
    const long = 'prompt: { gates: [s], tell: Answer in English., tell_file: docs/context.md }\n';
    expect(parsed(GATES + long).prompt).toEqual({
      gates: ['s'],
      tell: 'Answer in English.',
      tellFile: 'docs/context.md',
    });
    expect(parsed(`${GATES}prompt: { tell: x }\n`).prompt).toEqual({ gates: [], tell: 'x' });
    expect(parsed(`${GATES}task_created: [s]\n`).taskCreated).toEqual(['s']);
  });
  test.each([
    ['prompt: {}', 'expected at least one of gates, tell, tell_file'],
    ['prompt: [u]', 'expected the name of a gate (t, s), found "u"'],
    ['prompt: { gates: [u] }', 'expected the name of a gate (t, s), found "u"'],
    ['task_created: [u]', 'expected the name of a gate (t, s), found "u"'],
    ['prompt: { tell_file: ../secrets }', 'expected a file inside the project'],
    [`prompt: { tell: ${'x'.repeat(4001)} }`, 'expected a text of at most 4000 characters'],
    ['prompt: { told: x }', 'expected one of the keys gates, tell, tell_file'],
  ])('%s is refused', (written, problem) => {
    expect(problemsOf(`${GATES}${written}\n`).join('\n')).toContain(problem);
  });
});

describe('a warning', () => {
  test('for a text gate where there is no text', () => {
    expect(warningsOf(`${GATES}done: [t, s]\n`).join('\n')).toContain('in done it has nothing to look at');
  });
  test('for one that no list names', () => {
    expect(warningsOf(GATES).join('\n')).toContain('no list of these names it: it is never judged');
    expect(warningsOf(`${GATES}prompt: [s]\n`)).toEqual([]);
    expect(warningsOf(`${GATES}done: [t]\ntask_created: [s]\n`)).toEqual([]);
    expect(warningsOf(`${GATES}  a: { any: [s, t] }\nprompt: [a]\n`)).toEqual([]);
  });
});
