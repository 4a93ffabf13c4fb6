import { describe, expect, test } from 'vitest';
import { parseContract, renderProblem } from '../../../src/engine/contract/read.ts';
import type { Contract } from '../../../src/engine/core/contract/contract.ts';
import { workMs } from '../../support/work-time.ts';

const GATES = "gates:\n  t: { run: 'true' }\n  u: { run: 'false' }\n";

const read = (text: string) => parseContract(GATES + text, 'untildone.yaml');
const parsed = (text: string): Contract => {
  const result = read(text);
  if (!result.ok) throw new Error(result.problems.map(renderProblem).join('\n'));
  return result.contract;
};
const problemsOf = (text: string) => {
  const result = read(text);
  return result.ok ? '' : result.problems.map(renderProblem).join('\n');
};
const warningsOf = (text: string) => {
  const result = read(text);
  return result.ok ? result.warnings.map(renderProblem).join('\n') : 'not a contract';
};

describe('phases', () => {
  test('stand in the order in which they are written', () => {
    const names = ['zulu', 'alpha', 'b10', 'b2', 'Mike', 'a.1', 'a-1', 'a_1'];
    const { phases } = parsed(`phases:\n${names.map((name) => `  ${name}: { exit: [t] }\n`).join('')}`);
    expect(phases?.map(({ name }) => name)).toEqual(names);
  });
  test('with all that they can say', () => {
    const { phases, gates, done } = parsed(
      'phases:\n  plan: { do: Write it, entry: [u, u], exit: [t, t], checkpoint: true, limits: { iterations: 3, duration: 90m } }\n',
    );
    expect(phases).toEqual([
      {
        name: 'plan',
        instruction: 'Write it',
        entry: ['u'],
        exit: ['t', 'plan_approved'],
        limits: { iterations: 3, durationMs: 5_400_000 },
      },
    ]);
    expect(gates.plan_approved).toEqual({
      kind: 'approve',
      options: { ask: 'Is the phase "plan" good?' },
    });
    expect(done).toEqual(['t', 'u', 'plan_approved']);
  });
  test.each([
    ['true', { ask: 'Is the phase "a" good?' }],
    ['Shall we?', { ask: 'Shall we?' }],
    ['{ ask: Good?, file: PLAN.md }', { ask: 'Good?', file: 'PLAN.md' }],
    ['{ ask: Good? }', { ask: 'Good?' }],
  ])('a checkpoint: %s', (written, options) => {
    const { gates, phases } = parsed(`phases: { a: { checkpoint: ${written} } }\n`);
    expect(gates.a_approved).toEqual({ kind: 'approve', options });
    expect(phases?.[0]?.exit).toEqual(['a_approved']);
  });
  test('the gate of a checkpoint may be named like any other', () => {
    const { done, phases } = parsed(
      'phases: { a: { checkpoint: true }, b: { entry: [a_approved], exit: [t] } }\ndone: [t, a_approved]\n',
    );
    expect(done).toEqual(['t', 'a_approved']);
    expect(phases?.[1]?.entry).toEqual(['a_approved']);
  });
  test('an explicit done stays what it is', () => {
    expect(parsed('phases: { a: { exit: [u] } }\ndone: [t]\n').done).toEqual(['t']);
  });
  test.each([
    ['phases: {}', 'at least one phase'],
    ['phases: []', 'phases by name, in their order'],
    ['phases: { a: {} }', 'a phase with exit gates, or with a checkpoint'],
    ['phases: { a: { do: Think } }', 'a phase with exit gates, or with a checkpoint'],
    ['phases: { a: { exit: [] } }', 'at least one'],
    ['phases: { a: { exit: [x] } }', 'the name of a gate (t, u), found "x" in phases.a.exit'],
    ['phases: { a: { exit: [t], entry: [tt] } }', 'found "tt" in phases.a.entry'],
    ['phases: { a: { exit: [t], do: 5 } }', 'a text'],
    ['phases: { a: { exit: [t], checkpoint: false } }', 'checkpoint'],
    ['phases: { a: { checkpoint: { file: PLAN.md } } }', 'checkpoint'],
    ['phases: { a: { checkpoint: { ask: Good?, file: ../x } } }', 'checkpoint'],
    ['phases: { a: { exit: [t], limits: { iterations: 0 } } }', 'a whole number from 1'],
    [
      'phases: { a: { exit: [t], limits: { cost_usd: 1 } } }',
      'one of the keys iterations, duration, found "cost_usd"',
    ],
    ['phases: { a: { exit: [t], wait: true } }', 'wait'],
    ['phases: { "1": { exit: [t] } }', 'begins with a letter'],
    ['phases: { "a b": { exit: [t] } }', 'begins with a letter'],
  ])('%s is refused', (text, words) => {
    expect(problemsOf(`${text}\n`)).toContain(words);
  });
});

describe.each([
  ['phases', '{ exit: [t] }'],
  ['chunks', '{ do: It, gates: [t] }'],
])('names in %s', (key, value) => {
  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])(
    '%s is refused',
    (name) => {
      expect(problemsOf(`${key}: { ${name}: ${value} }\n`)).not.toBe('');
    },
  );
  test('stand once', () => {
    expect(problemsOf(`${key}:\n  a: ${value}\n  a: ${value}\n`)).not.toBe('');
  });
  test('there are not too many of them, and it is said quickly', () => {
    const many = (count: number) =>
      `${key}:\n${Array.from({ length: count }, (_, i) => `  n${i}: ${value}\n`).join('')}`;
    expect(problemsOf(many(100))).toBe('');
    expect(problemsOf(many(101))).toContain(`expected at most 100 ${key}, found 101`);
    const began = workMs();
    expect(problemsOf(many(3000))).toContain(`at most 100 ${key}`);
    expect(workMs() - began).toBeLessThan(10_000);
  });
});

describe('chunks', () => {
  test('are one gate, each after the one before unless it says otherwise', () => {
    const { gates, done } = parsed(
      'chunks:\n  z: { do: First, gates: [t, t] }\n  a: { do: Second, gates: [u] }\n  m: { do: Free, gates: [t], after: [] }\n  n: { do: Both, gates: [t], after: [z, a, z] }\n',
    );
    expect(gates.chunks).toEqual({
      kind: 'chunks',
      options: {
        chunks: [
          { name: 'z', instruction: 'First', gates: ['t'], after: [] },
          { name: 'a', instruction: 'Second', gates: ['u'], after: ['z'] },
          { name: 'm', instruction: 'Free', gates: ['t'], after: [] },
          { name: 'n', instruction: 'Both', gates: ['t'], after: ['z', 'a'] },
        ],
      },
    });
    expect(done).toEqual(['chunks']);
  });
  test('belong to done, whatever done says', () => {
    expect(parsed('chunks: { a: { do: It, gates: [t] } }\ndone: [u]\n').done).toEqual(['u', 'chunks']);
    expect(parsed('chunks: { a: { do: It, gates: [t] } }\ndone: [chunks, u]\n').done).toEqual([
      'chunks',
      'u',
    ]);
  });
  test('a gate that is only in a chunk is not one of its own', () => {
    expect(parsed('chunks: { a: { do: It, gates: [t] } }\n').done).toEqual(['u', 'chunks']);
  });
  test('may be the exit of a phase', () => {
    const { phases } = parsed(
      'chunks: { a: { do: It, gates: [t] } }\nphases: { build: { exit: [chunks] } }\n',
    );
    expect(phases?.[0]?.exit).toEqual(['chunks']);
  });
  test('one may come after another that stands below it', () => {
    expect(
      problemsOf('chunks: { a: { do: It, gates: [t], after: [b] }, b: { do: It, gates: [u], after: [] } }\n'),
    ).toBe('');
  });
  test.each([
    ['chunks: {}', 'at least one chunk'],
    ['chunks: { a: { gates: [t] } }', 'do'],
    ['chunks: { a: { do: It } }', 'gates'],
    ['chunks: { a: { do: It, gates: [x] } }', 'the name of a gate (t, u), found "x" in chunks.a.gates'],
    [
      'chunks: { a: { do: It, gates: [t], after: [c] }, b: { do: It, gates: [u] } }',
      'the name of a chunk (a, b), found "c"',
    ],
    ['chunks: { a: { do: It, gates: [t], after: [a] } }', 'do not wait for one another, found a'],
    [
      'chunks: { a: { do: It, gates: [t], after: [b] }, b: { do: It, gates: [t] } }',
      'do not wait for one another, found a, b',
    ],
    [
      'chunks: { f: { do: It, gates: [t] }, a: { do: It, gates: [t], after: [c] }, b: { do: It, gates: [t] }, c: { do: It, gates: [t] } }',
      'found a, b, c',
    ],
    ['chunks: { t: { do: It, gates: [u] } }', 'a name that no gate has, found "t"'],
    ['chunks: { chunks: { do: It, gates: [t] } }', 'a name that no gate has, found "chunks"'],
    [
      'phases: { a: { checkpoint: true } }\nchunks: { a_approved: { do: It, gates: [t] } }',
      'a name that no gate has, found "a_approved"',
    ],
    ['chunks: { a: { do: It, gates: [chunks] } }', 'chunks'],
  ])('%s is refused', (text, words) => {
    expect(problemsOf(`${text}\n`)).toContain(words);
  });
  test('a typing mistake in after is named', () => {
    const text = 'chunks: { model: { do: It, gates: [t] }, b: { do: It, gates: [u], after: [modell] } }\n';
    expect(problemsOf(text)).toContain('did you mean "model"');
  });
});

test.each([
  ['phases: { a: { checkpoint: true } }', 'a_approved'],
  ['chunks: { a: { do: It, gates: [t] } }', 'chunks'],
])('a gate that the plan makes itself is not free: %s', (text, name) => {
  const result = parseContract(`gates: { t: { run: x }, ${name}: { run: y } }\n${text}\n`, 'untildone.yaml');
  expect(result.ok ? '' : result.problems.map(renderProblem).join('\n')).toContain(
    `a name that is not taken, found "${name}", a gate that the contract makes itself`,
  );
});

describe('preset: verified-done', () => {
  const OWN = 'gates: { correctness_passed: { run: npm test }, quality_passed: { run: npm run lint } }\n';
  const preset = (text: string, own = OWN) =>
    parseContract(`${own}preset: verified-done\n${text}`, 'untildone.yaml');
  const words = (result: ReturnType<typeof preset>) =>
    result.ok ? '' : result.problems.map(renderProblem).join('\n');

  test('brings phases and gates; everything is judged at the end', () => {
    const result = preset('');
    if (!result.ok) throw new Error(words(result));
    const { phases, done, gates } = result.contract;
    expect(phases?.map(({ name }) => name)).toEqual(['plan', 'implement', 'verify', 'retrospect']);
    expect(done).toHaveLength(9);
    expect(gates.plan_approved?.kind).toBe('approve');
    expect(result.contract.preset).toEqual({ name: 'verified-done', reviewUnlessSimple: true });
  });
  test('asks for what only the project knows', () => {
    const found = words(preset('', ''));
    expect(found).toContain('a gate named "correctness_passed" for the preset verified-done, found none');
    expect(found).toContain('a gate named "quality_passed"');
    expect(found).toContain('gates: { correctness_passed: { run: npm test } }');
  });
  test('a complexity in the contract is the last word', () => {
    const result = preset('complexity: 3\n');
    if (!result.ok) throw new Error(words(result));
    expect(result.contract.preset).toEqual({ name: 'verified-done' });
    expect(result.contract.gates).not.toHaveProperty('adversarial_passed');
  });
  test.each(['0', '11', '2.5', 'high', '"7"'])('a complexity of %s is refused', (written) => {
    expect(words(preset(`complexity: ${written}\n`))).toContain('a whole number from 1 to 10');
  });
  test('phases of your own beside it are refused', () => {
    expect(words(preset('phases: { a: { exit: [quality_passed] } }\n'))).toContain('either preset or phases');
  });
  test('its gates may be named, and chunks may not be called like them', () => {
    expect(words(preset('task_done: [plan_ticked]\n'))).toBe('');
    expect(words(preset('chunks: { plan_ticked: { do: It, gates: [quality_passed] } }\n'))).toContain(
      'a name that no gate has, found "plan_ticked"',
    );
  });
  test('another preset is refused', () => {
    expect(problemsOf('preset: quick\n')).toContain('verified-done');
  });
});

describe('approve', () => {
  test('is a question, and may name a file', () => {
    expect(parsed('').gates).not.toHaveProperty('ok');
    const result = parseContract(
      'gates: { ok: { approve: Good?, file: PLAN.md, on_unproven: allow } }\n',
      'x.yaml',
    );
    expect(result.ok && result.contract.gates.ok).toEqual({
      kind: 'approve',
      options: { ask: 'Good?', file: 'PLAN.md' },
      onUnproven: 'allow',
    });
  });
  test.each([
    '{ approve: true }',
    '{ approve: "" }',
    '{ approve: Good?, file: /etc/passwd }',
    '{ approve: Good?, fiel: x }',
  ])('%s is refused', (written) => {
    expect(parseContract(`gates: { ok: ${written} }\n`, 'x.yaml').ok).toBe(false);
  });
});

describe('what is said without being refused', () => {
  test('a complexity that nothing uses', () => {
    expect(warningsOf('complexity: 3\n')).toContain('"complexity" has no effect without a preset');
  });
  test.each([
    'every_stop: [a_approved, t]',
    'every_stop: { gates: [a_approved] }',
    'task_done: [a_approved]',
    'subagent: { "*": [a_approved] }',
  ])('a question where nobody can be asked: %s', (text) => {
    expect(warningsOf(`phases: { a: { checkpoint: true } }\n${text}\n`)).toContain(
      'the gate "a_approved" asks you, and only the Stop of a loop can wait for your answer',
    );
  });
  test('nothing of phases that are in order', () => {
    expect(warningsOf('phases: { a: { exit: [t], checkpoint: true }, b: { exit: [u] } }\n')).toBe('');
  });
  test('a gate that only a phase names is not idle', () => {
    expect(warningsOf('phases: { a: { exit: [u] } }\ndone: [t]\n')).toBe('');
  });
});
