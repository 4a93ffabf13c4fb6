import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { addToContract, type ContractAdditions, newContract } from '../../../src/engine/contract/edit.ts';
import { parseContract, renderProblem } from '../../../src/engine/contract/read.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { WHOLE_CONTRACT } from '../../support/contract/contract-samples.ts';

const ADDED: ContractAdditions = {
  gates: { checks: { run: 'npm run lint && npm test', timeout: '2m' } },
  everyStop: ['checks'],
  subagent: {},
};

function contractOf(text: string) {
  const result = parseContract(text, 'untildone.yaml');
  if (!result.ok) throw new Error(`${result.problems.map(renderProblem).join('\n')}\n${text}`);
  return result.contract;
}

describe('a new contract', () => {
  test('reads as people write one', () => {
    const text = newContract(
      {
        gates: { ...ADDED.gates, guard: { hook: 'python3 .claude/hooks/guard.py', on_unproven: 'allow' } },
        everyStop: ['checks'],
        subagent: { '*': ['guard'], builder: ['checks'] },
        memory: { files: ['docs/plans/*/MEMORY.md'], lines: 100, update: false },
      },
      'Made by: untildone import',
    );
    expect(text).toBe(`# yaml-language-server: $schema=./node_modules/untildone/schema/untildone.schema.json
# Made by: untildone import
# Commands run only after you have trusted them: untildone trust

gates:
  checks: { run: npm run lint && npm test, timeout: 2m }
  guard: { hook: python3 .claude/hooks/guard.py, on_unproven: allow }

done: [checks]

# Judged at every Stop of every session. "blocks" is how often a session is held after one prompt:
every_stop: { gates: [checks], blocks: 2 }

subagent: { "*": [guard], builder: [checks] }

memory: { files: docs/plans/*/MEMORY.md, lines: 100, update: false }

limits: { iterations: 50, duration: 8h, cost_usd: 20, tokens: 20M }
`);
    expect(contractOf(text)).toMatchObject({ done: ['checks'], everyStop: { gates: ['checks'], blocks: 2 } });
  });

  test('may hold nothing but notes', () => {
    const memory = { files: ['A.md', 'B.md'], update: true };
    expect(
      contractOf(newContract({ gates: {}, everyStop: [], subagent: {}, memory }, 'x')).memory,
    ).toMatchObject(memory);
  });

  test.each(['\u2000!', '\u00a0x', 'x\u3000'])('keeps the unusual space of %j', (what) => {
    const text = newContract({ ...ADDED, gates: { checks: { run: what } } }, 'x');
    expect(contractOf(text).gates.checks).toEqual({ kind: 'run', options: { command: what } });
  });

  test('holds any command and any question as it is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: anyCharacter }), (what) => {
        fc.pre(/\S/.test(what) && !what.includes('\0') && what.isWellFormed());
        const text = newContract({ ...ADDED, gates: { checks: { run: what } } }, 'x');
        expect(contractOf(text).gates.checks).toEqual({ kind: 'run', options: { command: what } });
      }),
    );
  });
});

describe('a contract that is there', () => {
  test('keeps its comments, its columns and everything else', () => {
    const quality = { run: 'npm run lint && npm test', timeout: '2m' };
    const added = addToContract(WHOLE_CONTRACT, { ...ADDED, gates: { quality }, everyStop: ['quality'] });
    const lines = added.split('\n');
    const before = WHOLE_CONTRACT.split('\n');
    expect(lines.filter((line) => !before.includes(line))).toEqual([
      '  quality: { run: npm run lint && npm test, timeout: 2m }',
      "every_stop: { gates: [lint, quality], blocks: 2 }     # standing: any session's Stop, at most so many blocks a prompt",
    ]);
    expect(before.filter((line) => !lines.includes(line))).toHaveLength(1);
    expect(contractOf(added).everyStop).toEqual({ gates: ['lint', 'quality'], blocks: 2 });
  });

  test.each([
    ['without standing gates', 'gates:\n  a: { run: x }\ndone: [a]\n'],
    ['without gates', '# mine\nlimits: { iterations: 5 }\n'],
    ['with nothing but a comment', '# mine\n'],
    ['that is empty', ''],
    ['without an end of line', 'gates:\n  a: { run: x }'],
    ['with its gates on one line', 'gates: { a: { run: x } }   # mine\ndone: [a]\n'],
    ['with empty gates', 'gates: {}\nlimits: { stall: 4 }\n'],
    ['with gates that are nothing', 'gates:\nlimits: { stall: 4 }\n'],
    ['with a list', 'gates:\n  a: { run: x }\nevery_stop: [a]\n'],
    ['with a list of lines', 'gates:\n  a: { run: x }\nevery_stop:\n  - a # mine\ndone: [a]\n'],
    [
      'with a map of lines',
      'gates:\n    a:\n        run: |\n            x\n            y\nevery_stop:\n  gates: [a]\n  blocks: 5\n\n# the end\ndone: [a]\n',
    ],
    ['in JSON', '{"gates": {"a": {"run": "x"}}, "done": ["a"]}\n'],
    ['with an alias', 'gates: &g\n  a: { run: x }\ntask: y\n'],
    ['with a byte order mark', '\uFEFFgates:\n  a: { run: x }\n'],
    ['with an anchor for all', 'gates:\n  a: &x { run: x }\n  b: *x\n'],
  ])('%s gets what is added, and loses nothing', (_, text) => {
    const added = addToContract(text, ADDED);
    const [before, after] = [parse(text) ?? {}, contractOf(added)];
    expect(after.gates.checks).toMatchObject({ kind: 'run', timeoutMs: 120_000 });
    expect(after.everyStop?.gates).toContain('checks');
    const data = parse(added);
    expect(Object.keys(data)).toEqual(expect.arrayContaining(Object.keys(before)));
    expect(data.gates).toMatchObject(before.gates ?? {});
    for (const comment of text.match(/# .*/g) ?? [])
      if (!text.includes('every_stop:\n  - a')) expect(added).toContain(comment);
    expect(addToContract(added, ADDED)).toBe(added);
  });

  test('keeps a gate of the same name', () => {
    const added = addToContract('gates: { checks: { run: mine } }\n', ADDED);
    expect(contractOf(added).gates.checks).toEqual({ kind: 'run', options: { command: 'mine' } });
  });

  test('keeps its ends of line', () => {
    const added = addToContract('gates:\r\n  a: { run: x }\r\ndone: [a]\r\n', ADDED);
    expect(added.replaceAll('\r\n', '')).not.toContain('\n');
    expect(contractOf(added).gates.checks).toBeDefined();
  });

  test('guards subagents without making that a part of every loop', () => {
    const guard: ContractAdditions = {
      gates: { guard: { run: 'y' } },
      everyStop: [],
      subagent: { '*': ['guard'] },
    };
    const text = 'gates: { a: { run: x }, b: { run: z }, both: { all: [a, b] } }\nsubagent: { "*": [a] }\n';
    const contract = contractOf(addToContract(text, guard));
    expect(contract.done).toEqual(['both']);
    expect(contract.subagent).toEqual({ '*': ['a', 'guard'] });
    expect(contractOf(addToContract('gates: { a: { run: x } }\ndone: [a]', guard)).done).toEqual(['a']);
  });

  test('has its memory extended, and its own task and limits kept', () => {
    const memory = { files: ['docs/*/MEMORY.md'], lines: 50, update: true };
    const added = addToContract('task: mine\nmemory: NOTES.md\nlimits: { iterations: 9 }\n', {
      ...ADDED,
      memory,
    });
    expect(contractOf(added)).toMatchObject({
      task: 'mine',
      memory: { files: ['NOTES.md', 'docs/*/MEMORY.md'], lines: 100 },
      limits: { iterations: 9 },
    });
  });

  test.each([
    ['none', ''],
    ['as a block', 'phases:\n    think: # first\n      exit: [tests]\n# the end\n'],
    ['as a flow', 'phases: { think: { exit: [tests] } } # first\n'],
  ])('gets phases behind its own (%s), with any text in them', (_, own) => {
    const text = `# mine\ngates:\n  tests: { run: npm test }\n${own}`;
    const line = fc.oneof(
      fc.constantFrom('- a: b', '  # c', '', '"', "it's", '{ x', '> y', '|'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), fc.boolean(), (lines, windows) => {
        const what = lines.join('\n');
        fc.pre(/\S/.test(what) && !what.includes('\0') && what.isWellFormed());
        const before = windows ? text.replaceAll('\n', '\r\n') : text;
        const phases = { plan: { do: what, checkpoint: true as const }, build: { do: 'x', exit: ['tests'] } };
        const after = addToContract(before, { gates: {}, everyStop: [], subagent: {}, phases });
        const contract = contractOf(after);
        expect(after).toContain('# mine');
        expect(contract.phases?.filter(({ name }) => name !== 'think')).toMatchObject([
          { name: 'plan', instruction: what, exit: ['plan_approved'] },
          { name: 'build', instruction: 'x', exit: ['tests'] },
        ]);
        expect(addToContract(after, { gates: {}, everyStop: [], subagent: {}, phases })).toBe(after);
      }),
    );
  });
});
