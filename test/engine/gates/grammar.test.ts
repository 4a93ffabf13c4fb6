import { describe, expect, test } from 'vitest';
import { parseContract, renderProblem } from '../../../src/engine/contract/read.ts';

function gateOf(text: string): unknown {
  const result = parseContract(`gates:\n  it: ${text}\ndone: [it]\n`, 'untildone.yaml');
  return result.ok ? result.contract.gates.it : result.problems.map(renderProblem).join('\n');
}

describe('an artefact', () => {
  test('is a file', () => {
    expect(gateOf('{ artefact: PLAN.md }')).toEqual({
      kind: 'artefact',
      options: { file: 'PLAN.md', has: [], words: 20 },
    });
  });

  test('may name a section, patterns with and without a name, and words', () => {
    const options = {
      file: 'PLAN.md',
      section: 'Classification',
      has: [
        { name: 'complexity: *\\d+', pattern: 'complexity: *\\d+' },
        { name: 'risk', pattern: 'risk: .' },
      ],
      words: 5,
    };
    const rest = `section: Classification, has: ['complexity: *\\d+', { name: risk, pattern: 'risk: .' }], words: 5`;
    expect(gateOf(`{ artefact: PLAN.md, ${rest} }`)).toEqual({ kind: 'artefact', options });
    expect(gateOf(`{ artefact: { file: PLAN.md, ${rest} } }`)).toEqual({ kind: 'artefact', options });
  });

  test.each([
    ['{ artefact: /etc/passwd }', 'inside the project'],
    ['{ artefact: PLAN.md, words: 0 }', 'a whole number from 1'],
    ['{ artefact: PLAN.md, has: [] }', 'at least one pattern'],
    ["{ artefact: PLAN.md, has: ['a(?=b)'] }", 'without lookahead'],
    ["{ artefact: PLAN.md, has: ['('] }", 'a valid regular expression'],
    ['{ artefact: PLAN.md, sektion: Plan }', 'did you mean'],
  ])('%s is refused', (text, words) => {
    expect(gateOf(text)).toContain(words);
  });
});

describe('changed', () => {
  test.each([
    ['{ changed: true }', {}],
    ['{ changed: ["src/**"] }', { paths: ['src/**'] }],
    ['{ changed: true, except: ["docs/**"] }', { except: ['docs/**'] }],
    ['{ changed: { except: ["docs/**"] } }', { except: ['docs/**'] }],
    ['{ changed: { paths: ["src/**"], except: [a.md] } }', { paths: ['src/**'], except: ['a.md'] }],
  ])('%s', (text, options) => {
    expect(gateOf(text)).toEqual({ kind: 'changed', options });
  });

  test.each(['{ changed: false }', '{ changed: [] }', '{ changed: ["../x"] }', '{ changed: src }'])(
    '%s is refused',
    (text) => {
      expect(gateOf(text)).toContain('expected');
    },
  );
});
