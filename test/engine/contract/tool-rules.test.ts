import { describe, expect, test } from 'vitest';
import { parseContract } from '../../../src/engine/contract/read.ts';

const GATES = 'gates: { t: { run: npm test } }\n';
const EMPTY = { dangerous: true, protect: [], hide: [], deny: [], allow: [], rewrite: [] };

function tools(text: string) {
  const parsed = parseContract(`${GATES}tools: ${text}\n`, 'untildone.yaml');
  return parsed.ok ? parsed.contract.tools : parsed.problems.map((p) => p.message).join('\n');
}

describe('tools of a contract', () => {
  test('safe is everything that is refused without a word', () => expect(tools('safe')).toEqual(EMPTY));
  test('absent, there are none', () => {
    const parsed = parseContract(GATES, 'untildone.yaml');
    expect(parsed.ok && parsed.contract.tools).toBeUndefined();
  });
  test('the long form', () => {
    const text = `
  protect: ["infra/**", "!.env.example", "~/x", "/srv"]
  hide: [secrets]
  deny: ["Bash(npm publish *)", { rule: "WebFetch(domain:example.com)", say: Work offline. }]
  allow: ["Bash(npm test)", "Edit(src/**)"]
  rewrite: [{ tool: Bash, field: command, pattern: '^npm install\\b', with: '$0 --ignore-scripts' }]`;
    expect(tools(text)).toEqual({
      dangerous: true,
      protect: ['infra/**', '!.env.example', '~/x', '/srv'],
      hide: ['secrets'],
      deny: [{ rule: 'Bash(npm publish *)' }, { rule: 'WebFetch(domain:example.com)', say: 'Work offline.' }],
      allow: ['Bash(npm test)', 'Edit(src/**)'],
      rewrite: [
        {
          tool: 'Bash',
          field: 'command',
          pattern: '^npm install\\b',
          with: '$0 --ignore-scripts',
        },
      ],
    });
    expect(tools('{ dangerous: false }')).toEqual({ ...EMPTY, dangerous: false });
  });
  test.each([
    ['saef', 'safe'],
    ['true', 'safe'],
    ['{ portect: [x] }', 'protect'],
    ['{ protect: [] }', 'at least one'],
    ['{ protect: ["../x"] }', 'a glob of the project'],
    ['{ protect: ["!"] }', 'a glob of the project'],
    ['{ hide: ["a\\\\b"] }', 'a glob of the project'],
    ['{ deny: ["WebFetch(example.com)"] }', 'WebFetch(domain:example.com)'],
    ['{ deny: [{ say: x }] }', 'permission rule'],
    ['{ allow: ["Bash("] }', 'a permission rule such as'],
    ['{ allow: ["WebSearch(x)"] }', 'WebSearch without brackets'],
    ['{ allow: [{ rule: Bash }] }', 'permission rule'],
    ["{ rewrite: [{ tool: Bash, field: command, pattern: 'a(?=b)', with: x }] }", 'without lookahead'],
    ["{ rewrite: [{ tool: Bash, field: command, pattern: '[', with: x }] }", 'regular expression'],
    ['{ rewrite: [{ tool: Bash, field: command, pattern: a }] }', 'text to put in'],
  ])('%s: %s', (text, message) => expect(tools(text)).toContain(message));
});
