import { describe, expect, test } from 'vitest';
import { parseContract, renderProblem } from '../../../src/engine/contract/read.ts';
import type { RunRules } from '../../../src/engine/core/contract/contract.ts';

const GATES = 'gates: { tests: { run: npm test } }\n';

function rulesOf(run: string): RunRules | undefined {
  const result = parseContract(`${GATES}run: ${run}\n`, 'untildone.yaml');
  if (!result.ok) throw new Error(result.problems.map(renderProblem).join('\n'));
  return result.contract.run;
}

function problemsOf(run: string): string[] {
  const result = parseContract(`${GATES}run: ${run}\n`, 'untildone.yaml');
  return result.ok ? [] : result.problems.map(renderProblem);
}

describe('what a contract says about runs', () => {
  test.each<[string, RunRules]>([
    ['{}', {}],
    [
      '{ model: sonnet, allow: [Bash, "Edit(src/**)"] }',
      { model: 'sonnet', allow: ['Bash', 'Edit(src/**)'] },
    ],
    ['{ permission_mode: dontAsk, max_turns: 9 }', { permissionMode: 'dontAsk', maxTurns: 9 }],
    ['{ mode: fresh, fresh_every: 2 }', { mode: 'fresh', freshEvery: 2 }],
    ['{ idle_timeout: 5m, session_duration: 2h }', { idleMs: 300_000, sessionMs: 7_200_000 }],
    ['{ system_prompt: Be brief. }', { systemPrompt: 'Be brief.' }],
    ['{ setup: npm ci }', { setup: { run: ['npm ci'] } }],
    ['{ setup: [npm ci, make gen] }', { setup: { run: ['npm ci', 'make gen'] } }],
    [
      '{ setup: { run: npm ci, inputs: [package.json, package-lock.json] } }',
      { setup: { run: ['npm ci'], inputs: ['package.json', 'package-lock.json'] } },
    ],
    [
      '{ client: { mcpServers: { a: { command: x, args: [1] } }, brandNewOption: null } }',
      { client: { mcpServers: { a: { command: 'x', args: [1] } }, brandNewOption: null } },
    ],
  ])('%s', (written, rules) => {
    expect(rulesOf(written)).toEqual(rules);
  });

  test('is absent when it says nothing', () => {
    const result = parseContract(GATES, 'untildone.yaml');
    expect(result.ok ? result.contract.run : 'refused').toBeUndefined();
  });
});

describe('a mistake is named', () => {
  test.each([
    '{ setup: 5 }',
    '{ setup: [] }',
    '{ setup: { inputs: [a] } }',
    '{ setup: { run: x, also: y } }',
    '{ setup: "" }',
  ])('in %s', (written) => {
    const [problem, ...more] = problemsOf(written);
    expect(problem).toMatch(/^untildone.yaml:2:\d+: .*run\.setup/);
    expect(more).toEqual([]);
  });
  test('bypassPermissions is not a contract’s to give, in any spelling', () => {
    expect(problemsOf('{ permission_mode: bypassPermissions }')).toEqual([
      'untildone.yaml:2:25: expected a mode that a contract may set (only you can choose bypassPermissions: --permission-mode bypassPermissions), found "bypassPermissions" in run.permission_mode, for example: run: { permission_mode: acceptEdits }',
    ]);
    expect(problemsOf('{ client: { permissionMode: bypassPermissions } }')).toEqual([
      'untildone.yaml:2:18: expected an option that has no key of its own in the contract, found "permissionMode" in run.client, for example: run: { permission_mode: acceptEdits }',
    ]);
    expect(problemsOf('{ client: { allowDangerouslySkipPermissions: true } }')).toHaveLength(1);
  });

  test.each(['hooks', 'cwd', 'resume', 'sessionId', 'canUseTool', 'extraArgs', 'pathToClaudeCodeExecutable'])(
    'client.%s is set by untildone itself',
    (name) => {
      expect(problemsOf(`{ client: { ${name}: x } }`)).toEqual([
        expect.stringContaining('expected an option that untildone does not set itself'),
      ]);
    },
  );

  test.each([
    ['{ client: { mcpServer: {} } }', 'such as mcpServers, found "mcpServer"'],
    ['{ modell: x }', 'did you mean "model"?'],
    ['{ permission_mode: acceptEdit }', 'did you mean "acceptEdits"?'],
    ['{ mode: hybird }', 'did you mean "hybrid"?'],
    ['{ allow: [] }', 'a list with at least one permission rule'],
    ['{ allow: Bash }', 'a list with at least one permission rule'],
    ['{ max_turns: 0 }', 'a whole number from 1'],
    ['{ idle_timeout: 5 }', 'a time above 0 with its unit'],
    ['npm test', 'a map that says how the sessions of a run are started'],
  ])('%s', (written, words) => {
    expect(problemsOf(written)).toEqual([expect.stringContaining(words)]);
  });
});

test('the digest of what was trusted before stays: the rules are in the order of older versions', () => {
  const all =
    '{ system_prompt: s, session_duration: 1h, idle_timeout: 1m, fresh_every: 1, mode: fresh, max_turns: 1, allow: [A], permission_mode: plan, model: m, setup: s, client: { tools: [] } }';
  expect(Object.keys(rulesOf(all) ?? {})).toEqual([
    ...['model', 'allow', 'mode', 'setup', 'client'],
    ...['permissionMode', 'maxTurns', 'freshEvery', 'idleMs', 'sessionMs', 'systemPrompt'],
  ]);
});
