import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseContract, renderProblem } from '../../../src/engine/contract/read.ts';
import { workMs } from '../../support/work-time.ts';

interface Case {
  title: string;
  text: string;
  lines: string[];
}

/** Per case: `=== title`, the text, `=>`, and every line that it is answered with, the file's name left out. */
function casesOf(file: string): Case[] {
  const text = readFileSync(join(import.meta.dirname, '../../fixtures', file), 'utf8');
  return text
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...rest] = part.split('\n');
      const [contract = '', answer = ''] = rest.join('\n').split(/^=>\n/m);
      return { title, text: contract, lines: answer.trim().split('\n') };
    });
}

const CASES = casesOf('contract-problems.txt');

function answerTo(text: string): string[] {
  const result = parseContract(text, 'untildone.yaml');
  return result.ok ? ['a contract'] : result.problems.map(renderProblem);
}

test.each(CASES)('$title', ({ text, lines }) => {
  expect(answerTo(text)).toEqual(lines.map((line) => `untildone.yaml:${line}`));
});

describe('an example that a problem gives', () => {
  const problems = CASES.flatMap(({ text }) => {
    const result = parseContract(text, 'untildone.yaml');
    return result.ok ? [] : result.problems;
  });
  const examples = [...new Set(problems.map(({ example }) => example ?? 'no example'))];

  /** An example is a line of a contract, of its gates, of one gate, or of its limits. */
  function fits(example: string): boolean {
    const others = ['tests', 'lint', 't', 'a', 'b', 'correctness_passed', 'quality_passed'].filter(
      (name) => !example.startsWith(`${name}:`),
    );
    const gates = `gates:\n${others.map((name) => `  ${name}: { run: x }\n`).join('')}`;
    return [
      `${example}\n`,
      `${example}\n${gates}`,
      `${gates}  ${example}\n`,
      `gates: { t: { run: x, ${example} } }`,
      `gates: { t: { ${example} } }`,
      `limits: { ${example} }`,
    ].some((text) => parseContract(text, 'untildone.yaml').ok);
  }

  test.each(examples)('%s', (example) => {
    expect(fits(example)).toBe(true);
  });
});

describe('a text beyond all measure is refused quickly', () => {
  const MIB = 1024 * 1024;
  const fill = (part: string, size = MIB) => part.repeat(Math.floor(size / part.length));
  const numbered = (count: number, line: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i));
  const aliases = numbered(9, (i) => `a${i + 1}: &a${i + 1} [${fill(`*a${i},`, 36).slice(0, -1)}]\n`);
  const twins = numbered(150, (i) => `  g${i + 1}: { all: [g${i}, g${Math.max(0, i - 1)}] }\n`);

  test.each([
    ['more than 1 MiB', `task: ${fill('a')}`, '1:1: expected a contract of at most 1 MiB'],
    ['open lists', fill('['), '1:1: expected a contract, found far more entries'],
    ['open maps', fill('{a: '), '1:1: expected a contract, found far more entries'],
    ['nested items', fill('- '), '1:1: expected a contract, found far more entries'],
    ['a deep list', `task: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, '1:1: expected at most 32 levels'],
    ['deep items', fill('- ', 60_000), '1:1: expected at most 32 levels'],
    ['many keys', numbered(14_000, (i) => `k${i}: 1\n`).join(''), '1:1: expected one of the keys'],
    [
      'many gates',
      `gates:\n${numbered(5000, (i) => ` g${i}: {run: x}\n`).join('')}`,
      '2:2: expected at most 200 gates',
    ],
    [
      'many names',
      `gates: { a: { run: x } }\ndone: [${fill('x,', 60_000)}]`,
      '2:8: expected the name of a gate',
    ],
    ['aliases of aliases', `a0: &a0 [1, 2]\n${aliases.join('')}`, '2:10: expected fewer aliases'],
    ['many aliases', `task: &a x\ndone: [${fill('*a,', 600)}]`, '2:308: expected at most 100 aliases'],
    ['gates that double', `gates:\n  g0: { run: x }\n${twins.join('')}`, '15:3: expected at most 1000 parts'],
  ])('%s', (_, text, first) => {
    const began = workMs();
    expect(answerTo(text)[0]?.slice('untildone.yaml:'.length)).toContain(first);
    expect(workMs() - began).toBeLessThan(10_000);
  });
});
