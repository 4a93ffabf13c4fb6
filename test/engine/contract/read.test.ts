import { describe, expect, test } from 'vitest';
import { parseContract, renderProblem } from '../../../src/engine/contract/read.ts';
import { type Contract, DEFAULT_LIMITS, type GateSpec } from '../../../src/engine/core/contract/contract.ts';
import { gate, WHOLE_CONTRACT } from '../../support/contract/contract-samples.ts';

function parsed(text: string): Contract {
  const result = parseContract(text, 'untildone.yaml');
  if (!result.ok) throw new Error(result.problems.map(renderProblem).join('\n'));
  return result.contract;
}

function warningsOf(text: string): string[] {
  const result = parseContract(text, 'untildone.yaml');
  return result.ok ? result.warnings.map(renderProblem) : ['not a contract'];
}

test('the example of the grammar is a contract', () => {
  expect(parsed(WHOLE_CONTRACT)).toEqual({
    v: 1,
    task: 'Build the todo API',
    gates: {
      tests: { kind: 'run', options: { command: 'npm test' }, timeoutMs: 600_000 },
      lint: { kind: 'run', options: { command: 'npm run lint' }, onUnproven: 'allow' },
      features: { kind: 'features', options: { file: 'feature_list.json' } },
      plan: { kind: 'checklist', options: { file: 'PLAN.md' } },
      tidy: {
        kind: 'forbid',
        options: { patterns: ['debug', 'debugger', 'todo', 'placeholder', 'secrets'], custom: [] },
      },
      intact: { kind: 'tests_intact', options: {} },
      pushed: { kind: 'git', options: { checks: ['clean', 'committed'] } },
      checks: { kind: 'ci', options: { provider: 'github' } },
      review: {
        kind: 'judge',
        options: { question: 'Does the diff do what the task asks, edge cases included?' },
      },
      ready: { kind: 'any', options: { gates: ['checks', 'review'] } },
    },
    done: ['tests', 'lint', 'features', 'intact'],
    everyStop: { gates: ['lint'], blocks: 2 },
    subagent: { '*': ['lint'] },
    taskDone: ['tidy'],
    teammate: ['tidy'],
    limits: DEFAULT_LIMITS,
    onContext: 'continue',
    notify: [{ webhook: 'https://...', on: ['done', 'stalled', 'needs_person'] }],
  } satisfies Contract);
});

const GATES: [string, GateSpec][] = [
  ['{ run: npm test }', { kind: 'run', options: { command: 'npm test' } }],
  ['{ run: { command: npm test } }', { kind: 'run', options: { command: 'npm test' } }],
  [
    '{ run: { command: npm test, cwd: packages/api, env: { CI: "1" } } }',
    { kind: 'run', options: { command: 'npm test', cwd: 'packages/api', env: { CI: '1' } } },
  ],
  [
    '{ run: npm test, cwd: ./packages/../api, env: { CI: true, N: 1.5 } }',
    {
      kind: 'run',
      options: { command: 'npm test', cwd: './packages/../api', env: { CI: 'true', N: '1.5' } },
    },
  ],
  [
    '{ run: npm test, timeout: 1h30m, exclusive: true, on_unproven: block }',
    {
      kind: 'run',
      options: { command: 'npm test' },
      timeoutMs: 5_400_000,
      exclusive: true,
      onUnproven: 'block',
    },
  ],
  ['{ features: { file: f.json } }', { kind: 'features', options: { file: 'f.json' } }],
  ['{ checklist: transcript }', { kind: 'checklist', options: {} }],
  ['{ checklist: transcript, section: Tasks }', { kind: 'checklist', options: { section: 'Tasks' } }],
  [
    '{ checklist: { file: PLAN.md, section: Tasks } }',
    { kind: 'checklist', options: { file: 'PLAN.md', section: 'Tasks' } },
  ],
  [
    '{ checklist: PLAN.md, section: Tasks }',
    { kind: 'checklist', options: { file: 'PLAN.md', section: 'Tasks' } },
  ],
  ['{ git: clean }', { kind: 'git', options: { checks: ['clean'] } }],
  [
    '{ git: [clean, pushed, { branch: main }] }',
    { kind: 'git', options: { checks: ['clean', 'pushed', 'branch'], branch: 'main' } },
  ],
  ['{ git: { branch: main } }', { kind: 'git', options: { checks: ['branch'], branch: 'main' } }],
  [
    '{ git: { checks: committed, branch: main } }',
    { kind: 'git', options: { checks: ['committed', 'branch'], branch: 'main' } },
  ],
  [
    '{ forbid: [private_keys, { name: fixme, pattern: "FIX\\\\s?ME" }], paths: ["src/**", "!src/gen/**"] }',
    {
      kind: 'forbid',
      options: {
        patterns: ['private_keys'],
        custom: [{ name: 'fixme', pattern: 'FIX\\s?ME' }],
        paths: ['src/**', '!src/gen/**'],
      },
    },
  ],
  [
    '{ forbid: { patterns: [debug], paths: [lib] } }',
    { kind: 'forbid', options: { patterns: ['debug'], custom: [], paths: ['lib'] } },
  ],
  ['{ tests_intact: { paths: [spec/**] } }', { kind: 'tests_intact', options: { paths: ['spec/**'] } }],
  ['{ tests_intact: true, paths: [spec/**] }', { kind: 'tests_intact', options: { paths: ['spec/**'] } }],
  ['{ tests_intact: {} }', { kind: 'tests_intact', options: {} }],
  ['{ tasks: true }', { kind: 'tasks', options: {} }],
  ['{ promise: "ALL  TESTS\\n PASS " }', { kind: 'promise', options: { text: 'ALL TESTS PASS' } }],
  [
    '{ judge: { question: Done?, model: haiku, max_cost: 0.5 } }',
    { kind: 'judge', options: { question: 'Done?', model: 'haiku', maxCostUsd: 0.5 } },
  ],
  ['{ judge: Done?, transcript: true }', { kind: 'judge', options: { question: 'Done?', transcript: true } }],
  ['{ judge: { question: Done?, transcript: false } }', { kind: 'judge', options: { question: 'Done?' } }],
  [
    '{ hook: python3 .claude/hooks/check.py, timeout: 60s, on_unproven: allow }',
    {
      kind: 'hook',
      options: { command: 'python3 .claude/hooks/check.py' },
      timeoutMs: 60_000,
      onUnproven: 'allow',
    },
  ],
  ['{ hook: { command: ./check.sh } }', { kind: 'hook', options: { command: './check.sh' } }],
  ['{ checklist: docs/plans/*/PLAN.md }', { kind: 'checklist', options: { file: 'docs/plans/*/PLAN.md' } }],
  ['{ judge: Done?, max_cost: 2 }', { kind: 'judge', options: { question: 'Done?', maxCostUsd: 2 } }],
  [
    '{ agent: { instruction: Try it, model: sonnet, max_cost: 1, max_turns: 9 } }',
    { kind: 'agent', options: { instruction: 'Try it', model: 'sonnet', maxCostUsd: 1, maxTurns: 9 } },
  ],
  [
    '{ ci: { provider: github, checks: [build, "test (20)"], wait: 15m } }',
    { kind: 'ci', options: { provider: 'github', checks: ['build', 'test (20)'], waitMs: 900_000 } },
  ],
  ['{ custom: ./gates/x.mjs }', { kind: 'custom', options: { file: './gates/x.mjs' } }],
  [
    '{ custom: { file: gates/x, with: { level: 2, deep: [null, { a: b }] } } }',
    { kind: 'custom', options: { file: 'gates/x', with: { level: 2, deep: [null, { a: 'b' }] } } },
  ],
];

describe('a gate', () => {
  test.each(GATES)('%s', (body, spec) => {
    expect(parsed(gate(body)).gates).toEqual({ t: spec });
  });

  test('combines others, in the short and the long form', () => {
    const { gates } = parsed('gates: { a: { run: x }, b: { all: [a] }, c: { any: { gates: [b, a] } } }');
    expect(gates.b).toEqual({ kind: 'all', options: { gates: ['a'] } });
    expect(gates.c).toEqual({ kind: 'any', options: { gates: ['b', 'a'] } });
  });

  test('can be shared by an alias', () => {
    const { gates } = parsed('gates:\n  a: &x { run: npm test }\n  b: *x\n');
    expect(gates.b).toEqual(gates.a);
  });
});

describe('lists', () => {
  const two = 'gates: { a: { run: x }, b: { run: y }, both: { all: [a, b] }, c: { run: z } }\n';

  test('without "done", every gate counts that is no part of another one', () => {
    expect(parsed(two).done).toEqual(['both', 'c']);
  });

  test('"done" keeps its order and each name once', () => {
    expect(parsed(`${two}done: [c, a, c]`).done).toEqual(['c', 'a']);
  });

  test('standing gates block twice a prompt unless told otherwise', () => {
    expect(parsed(`${two}every_stop: [a]`).everyStop).toEqual({ gates: ['a'], blocks: 2 });
    expect(parsed(`${two}every_stop: { gates: [a] }`).everyStop).toEqual({ gates: ['a'], blocks: 2 });
    expect(parsed(`${two}every_stop: { gates: [a], blocks: 5 }`).everyStop?.blocks).toBe(5);
  });

  test('subagents are named by pattern', () => {
    expect(parsed(`${two}subagent: { "*": [a], "review-*": [b, c] }`).subagent).toEqual({
      '*': ['a'],
      'review-*': ['b', 'c'],
    });
  });
});

describe('limits', () => {
  const limits = (text: string) => parsed(`limits: { ${text} }`).limits;

  test('those that are not named keep their defaults', () => {
    expect(limits('iterations: 3')).toEqual({ ...DEFAULT_LIMITS, iterations: 3 });
  });

  test.each([
    ['iterations: unlimited', { iterations: 'unlimited' }],
    ['duration: unlimited', { durationMs: 'unlimited' }],
    ['duration: 90m', { durationMs: 5_400_000 }],
    ['cost_usd: unlimited', { costUsd: 'unlimited' }],
    ['cost_usd: 0.5', { costUsd: 0.5 }],
    ['tokens: unlimited', { tokens: 'unlimited' }],
    ['tokens: 500k', { tokens: 500_000 }],
    ['tokens: 1.5M', { tokens: 1_500_000 }],
    ['tokens: 2G', { tokens: 2e9 }],
    ['tokens: 12345', { tokens: 12_345 }],
    ['stall: 5', { stall: 5 }],
    ['context: 0.6', { context: 0.6 }],
  ])('%s', (text, expected) => {
    expect(limits(text)).toEqual({ ...DEFAULT_LIMITS, ...expected });
  });
});

describe('notifications', () => {
  test('without "on", every ending and a needed person are told', () => {
    const [first] = parsed('notify: [{ desktop: true }]').notify;
    expect(first).toEqual({
      desktop: true,
      on: [
        'verified_done',
        'claimed_done',
        'reached_limit',
        'stalled',
        'idle',
        'capped',
        'cancelled',
        'released',
        'failed',
        'needs_person',
      ],
    });
  });

  test('a command, a webhook', () => {
    const { notify } = parsed(
      'notify:\n  - { command: ./tell.sh, on: [failed] }\n  - { webhook: "http://127.0.0.1:8080/x" }',
    );
    expect(notify[0]).toEqual({ command: './tell.sh', on: ['failed'] });
    expect(notify[1]?.webhook).toBe('http://127.0.0.1:8080/x');
  });
});

describe('memory', () => {
  const memory = (text: string) => parsed(`memory: ${text}`).memory;

  test('a file or a glob is told to every session and kept by loops', () => {
    expect(memory('docs/plans/*/MEMORY.md')).toEqual({
      files: ['docs/plans/*/MEMORY.md'],
      lines: 100,
      inject: ['startup', 'resume', 'clear', 'compact', 'fork'],
      update: true,
    });
  });

  test('the long form says more', () => {
    expect(memory('{ files: [a.md, "b/*.txt", a.md], lines: 20, inject: [startup], update: false }')).toEqual(
      {
        files: ['a.md', 'b/*.txt'],
        lines: 20,
        inject: ['startup'],
        update: false,
      },
    );
    expect(memory('{ files: NOTES.md }')?.files).toEqual(['NOTES.md']);
  });

  test('there is none unless it is asked for', () => {
    expect(parsed('gates: { t: { run: x } }').memory).toBeUndefined();
  });
});

describe('warnings', () => {
  test.each(['soon', '{ enabled: maybe }', '{ min_turns: -1 }', '{ triggers: [never] }', '[1]'])(
    'a reflection of an earlier version, when anything could stand there, is passed over (%s)',
    (value) => {
      const text = 'gates: { a: { run: x } }\n';
      expect(warningsOf(`${text}reflection: ${value}\n`)).toEqual([
        expect.stringMatching(/^untildone.yaml:2:\d+: "reflection" has no effect as it stands here; write /),
      ]);
      expect(parsed(`${text}reflection: ${value}\n`)).toEqual(parsed(text));
    },
  );

  test.each([
    ['true', { minTurns: 0 }],
    ['{}', { minTurns: 0 }],
    ['{ enabled: true, triggers: [session_end], min_turns: 5 }', { minTurns: 5 }],
    ['false', undefined],
    ['{ enabled: false, min_turns: 5 }', undefined],
  ])('reflection: %s', (value, expected) => {
    const text = `gates: { a: { run: x } }\nreflection: ${value}\n`;
    expect(warningsOf(text)).toEqual([]);
    expect(parsed(text).reflection).toEqual(expected);
  });

  test('a gate that no list leads to', () => {
    const text = 'gates: { a: { run: x }, b: { run: y }, c: { any: [b] } }\ndone: [a]\ntask_done: [c]\n';
    expect(warningsOf(text)).toEqual([]);
    expect(warningsOf(text.replace('task_done: [c]', ''))).toEqual([
      'untildone.yaml:1:25: the gate "b" is in no list, so it is never judged, for example: done: [b]',
      'untildone.yaml:1:40: the gate "c" is in no list, so it is never judged, for example: done: [c]',
    ]);
  });

  test('a name that stands twice', () => {
    expect(warningsOf('gates: { a: { run: x } }\ndone: [a, a]')).toEqual([
      'untildone.yaml:2:11: "a" stands twice in done',
    ]);
  });

  test('no gates at all', () => {
    expect(warningsOf('limits: { iterations: 5 }')).toEqual([
      'untildone.yaml:1:1: there are no gates: a loop of this contract rests on a promise alone, for example: gates: { tests: { run: npm test } }',
    ]);
  });
});

test('what the parser returns is its own: it survives JSON unchanged', () => {
  const contract = parsed(WHOLE_CONTRACT);
  expect(JSON.parse(JSON.stringify(contract))).toEqual(contract);
});

test('CRLF, a byte order mark, block style and JSON are read the same', () => {
  const expected = parsed('gates: { t: { run: x, timeout: 5m } }');
  expect(parsed('\uFEFFgates:\r\n  t:\r\n    run: x\r\n    timeout: 5m\r\n')).toEqual(expected);
  expect(parsed('{"gates": {"t": {"run": "x", "timeout": "5m"}}}')).toEqual(expected);
});
