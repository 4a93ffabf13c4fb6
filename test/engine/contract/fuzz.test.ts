import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { parseContract } from '../../../src/engine/contract/read.ts';
import { GATE_KINDS } from '../../../src/engine/gates/grammar.ts';
import { WHOLE_CONTRACT } from '../../support/contract/contract-samples.ts';
import { rounds } from '../../support/long.ts';

/** Whatever the text, the answer is a contract, or problems that stand in the text and can be acted on. */
function expectAnswer(text: string): void {
  const result = parseContract(text, 'f.yaml');
  if (result.ok) {
    expect(JSON.parse(JSON.stringify(result.contract))).toEqual(result.contract);
    return;
  }
  expect(result.problems.length).toBeGreaterThan(0);
  const lines = text.split(/\r\n|\r|\n/);
  for (const { line, column, message, example } of result.problems) {
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
    expect(message).toMatch(/^expected /);
    expect(message).not.toContain('Invalid input');
    expect(example).toMatch(/: /);
  }
}

const WORDS = [
  ...['gates', 'done', 'every_stop', 'subagent', 'task_done', 'teammate', 'limits', 'notify', 'on_context'],
  ...['task', 'reflection', 'iterations', 'duration', 'cost_usd', 'tokens', 'stall', 'context', 'enabled'],
  ...['timeout', 'exclusive', 'on_unproven', 'command', 'cwd', 'env', 'file', 'section', 'checks', 'branch'],
  ...['patterns', 'paths', 'name', 'pattern', 'question', 'model', 'max_cost', 'max_turns', 'with', 'blocks'],
  ...['memory', 'files', 'lines', 'inject', 'update', 'transcript'],
  ...['webhook', 'desktop', 'on', 'a', 'b', 'constructor', '__proto__', 'toString'],
  ...GATE_KINDS.map(({ kind }) => kind),
];
const VALUES = [
  ...[0, 1, -1, 1.5, 1e300, true, false, null, '', ' ', 'unlimited', '5m', '20M', 'a', '*', '../x', '/x'],
  ...[
    'debug',
    'clean',
    'transcript',
    'github',
    'done',
    'block',
    'continue',
    '(',
    '(a+)+',
    'https://x',
    'allow',
  ],
];

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(...VALUES),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...WORDS), tie('tree')), {
        selector: ([key]) => key,
        maxLength: 4,
      })
      .map((entries) => new Map(entries)),
  ),
}));

describe('parsing never throws', () => {
  test('for any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), expectAnswer), {
      numRuns: rounds(300, 30),
    });
  });

  test('for text made of what YAML is made of', () => {
    const unit = fc.constantFrom(
      ...'abg:-?{}[],&*#!|>\'"%@`\n \t~.=<\\0'.split(''),
      'gates: ',
      '\n  ',
      '\r\n',
      '\uFEFF',
    );
    const text = fc.array(unit, { maxLength: 60 }).map((units) => units.join(''));
    fc.assert(fc.property(text, expectAnswer), { numRuns: rounds(500, 30) });
  });

  test('for the right words in the wrong places', () => {
    fc.assert(
      fc.property(tree, (value) => expectAnswer(stringify(value))),
      { numRuns: rounds(400, 30) },
    );
  });

  test('for gates of any shape', () => {
    const gates = fc
      .dictionary(fc.constantFrom('a', 'b', 'c'), tree)
      .map((map) => ({ gates: map, done: ['a'] }));
    fc.assert(
      fc.property(gates, (value) => expectAnswer(stringify(value))),
      { numRuns: rounds(400, 30) },
    );
  });

  test('for a contract with one part cut out or put in', () => {
    const place = fc.nat(WHOLE_CONTRACT.length);
    const insert = fc.constantFrom(
      '',
      ' ',
      '\n',
      '{',
      '}',
      '[',
      ']',
      ':',
      '"',
      "'",
      '#',
      '&a ',
      '*a',
      '- ',
      ', ',
    );
    const changed = fc
      .tuple(place, fc.nat(12), insert)
      .map(([at, length, part]) => WHOLE_CONTRACT.slice(0, at) + part + WHOLE_CONTRACT.slice(at + length));
    fc.assert(fc.property(changed, expectAnswer), { numRuns: rounds(300, 30) });
  });
});

test('every text that is no secret of YAML comes through as a command', () => {
  const command = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => /\S/.test(text) && !text.includes('\0'));
  fc.assert(
    fc.property(command, (run) => {
      const result = parseContract(stringify({ gates: { t: { run } } }), 'f.yaml');
      expect(result.ok && result.contract.gates.t).toEqual({ kind: 'run', options: { command: run } });
    }),
    { numRuns: rounds(200, 30) },
  );
});
