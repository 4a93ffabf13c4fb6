import { describe, expect, test } from 'vitest';
import { parseSimulatorScript, SimulatorScriptError } from '../../../src/dev/simulator/simulator-script.ts';

function problemsOf(text: string): string[] {
  try {
    parseSimulatorScript(text, 'demo.yaml');
  } catch (error) {
    if (error instanceof SimulatorScriptError) return error.message.split('\n');
    throw error;
  }
  return [];
}

const WHOLE = {
  rules: [{ when: { system: 's', first: 'f', last: 'l', model: 'm', any: 'a' }, turns: [{ text: 'hi' }] }],
  turns: [
    {
      text: 'one',
      thinking: 'hm',
      tools: [{ name: 'Bash', input: { command: 'ls', deep: [1] }, id: 'toolu_1' }],
    },
    { usage: { input_tokens: 5, service_tier: 'standard' }, stop_reason: 'max_tokens' },
    { error: { status: 429, type: 't', message: 'm', headers: { 'retry-after': 1 } } },
    { streamError: { type: 'overloaded_error', message: 'm' }, delayMs: 0, chunkMs: 5, repeat: 3 },
    { drop: true, hang: false, headers: { 'x-a': 'b' } },
  ],
  after: {},
  countTokens: 7,
};

describe('a script', () => {
  test('in JSON is read as it stands, every field of it', () => {
    expect(parseSimulatorScript(JSON.stringify(WHOLE, null, '\t'), 'demo.json')).toEqual(WHOLE);
  });

  test('in YAML is read, with comments, anchors and texts of many lines', () => {
    const text = `
# the model gives up too early
turns:
  - &early
    text: |
      I am done.
      Really.
  - tools: [{ name: Bash, input: { command: npm test } }]
after: *early
`;
    const early = { text: 'I am done.\nReally.\n' };
    expect(parseSimulatorScript(text, 'demo.yaml')).toEqual({
      turns: [early, { tools: [{ name: 'Bash', input: { command: 'npm test' } }] }],
      after: early,
    });
  });
});

describe('an error names file, line, column and what was expected', () => {
  test.each([
    ['turns:\n  - text: 7\n', 'demo.yaml:2:11: turns[0].text: expected a text, found 7'],
    [
      '{\n  "turns": [\n    { "text": true }\n  ]\n}',
      'demo.yaml:3:15: turns[0].text: expected a text, found true',
    ],
    ['turns: hello\n', 'demo.yaml:1:8: turns: expected a list of turns, found "hello"'],
    [
      'turns:\n  - hello\n',
      'demo.yaml:2:5: turns[0]: expected a turn, such as { text: hello }, found "hello"',
    ],
    ['turns:\n  - [a]\n', 'demo.yaml:2:5: turns[0]: expected a turn, such as { text: hello }, found a list'],
    ['- text: a\n', 'demo.yaml:1:1: expected a script, such as { turns: [{ text: hello }] }, found a list'],
    ['', 'demo.yaml:1:1: expected a script, such as { turns: [{ text: hello }] }, found null'],
    [
      'after:\n  delayMs: -1\n',
      'demo.yaml:2:12: after.delayMs: expected a number of milliseconds from 0 up, found -1',
    ],
    [
      'after:\n  repeat: 0\n',
      'demo.yaml:2:11: after.repeat: expected how many requests this turn serves, from 1 up, found 0',
    ],
    [
      'after:\n  error: { status: 200 }\n',
      'demo.yaml:2:20: after.error.status: expected an HTTP status from 400 to 599, found 200',
    ],
    [
      'after:\n  tools:\n    - input: {}\n',
      'demo.yaml:3:7: after.tools[0].name: expected the name of a tool, such as Bash, found nothing',
    ],
    [
      'after:\n  tools: [{ name: Bash, id: "a b" }]\n',
      'demo.yaml:2:29: after.tools[0].id: expected an id of letters, digits, "_" and "-", found "a b"',
    ],
    [
      'after: { headers: { x: [1] } }\n',
      'demo.yaml:1:24: after.headers.x: expected a text or a number, found a list',
    ],
    [
      'rules:\n  - when: { any: x }\n    turns: []\n',
      'demo.yaml:3:12: rules[0].turns: expected a list of at least one turn, found a list',
    ],
  ])('%j', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  test('an unknown key is shown where it stands, with the known ones', () => {
    const [problem, ...more] = problemsOf('turns:\n  - text: a\n    delay: 5\n');
    expect(problem).toMatch(
      /^demo\.yaml:3:5: turns\[0\]: unknown key "delay", expected one of the keys text, .*delayMs/,
    );
    expect(more).toEqual([]);
  });

  test('a pattern that is no regular expression is shown with the reason', () => {
    const [problem] = problemsOf('rules:\n  - when:\n      last: "("\n    turns: [{}]\n');
    expect(problem).toMatch(
      /^demo\.yaml:3:13: rules\[0\]\.when\.last: expected a regular expression \(.*Unterminated group\), found "\("$/,
    );
  });

  test('text that is neither YAML nor JSON is shown where it breaks', () => {
    expect(problemsOf('turns:\n  - text: "open\n')[0]).toMatch(
      /^demo\.yaml:\d+:\d+: expected YAML or JSON: .*quote/,
    );
    expect(problemsOf('a: 1\na: 2\n')[0]).toMatch(/^demo\.yaml:2:1: expected YAML or JSON: .*unique/);
  });

  test('aliases that multiply beyond measure are refused', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}]`);
    expect(problemsOf(['a0: &a0 [x]', ...levels].join('\n'))[0]).toMatch(/expected YAML or JSON: .*alias/);
  });

  test('an error behind an alias is shown where the alias stands', () => {
    const text = 'turns:\n  - usage: &usage { input_tokens: many }\nafter: { usage: *usage }\n';
    expect(problemsOf(text)).toEqual([
      'demo.yaml:2:35: turns[0].usage.input_tokens: expected a whole number of tokens, found "many"',
      'demo.yaml:3:17: after.usage.input_tokens: expected a whole number of tokens, found "many"',
    ]);
  });

  test('several errors are all named', () => {
    expect(problemsOf('turns:\n  - text: 7\n  - hang: soon\n')).toEqual([
      'demo.yaml:2:11: turns[0].text: expected a text, found 7',
      'demo.yaml:3:11: turns[1].hang: expected true or false, found "soon"',
    ]);
  });
});
