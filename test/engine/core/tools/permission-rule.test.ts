import { describe, expect, test } from 'vitest';
import { variablesOf } from '../../../../src/engine/core/shell/variables.ts';
import {
  type Asked,
  allowedBy,
  denies,
  ruleProblem,
} from '../../../../src/engine/core/tools/permission-rule.ts';
import { HOME, PROJECT, placeWith } from '../../../support/core/a-place.ts';

function asked(tool: string, input: Record<string, unknown>): Asked {
  const command = typeof input.command === 'string' ? input.command : '';
  return {
    call: { event: 'PermissionRequest', tool, input, cwd: PROJECT },
    place: placeWith({ files: [`${PROJECT}/secrets/key.txt`] }),
    variables: variablesOf(command),
  };
}
const bash = (command: string) => asked('Bash', { command });
const allowed = (rules: string[], command: string) => allowedBy(rules, bash(command)) !== undefined;

describe('a rule that allows a command', () => {
  const rules = ['Bash(npm test)', 'Bash(npm run lint:*)', 'Bash(git diff *)', 'Bash(ls*)', 'Edit(out/**)'];
  test.each([
    'npm test',
    '  npm   test ',
    'npm run lint',
    'npm run lint -- --fix',
    'git diff',
    'git diff HEAD~1 -- src',
    'git diff "a b"',
    'ls',
    'lsof -i',
    'npm test && git diff',
    'npm test; npm run lint\ngit diff',
    'npm test | ls',
    'npm test 2>&1',
    'npm test 2>&1 | ls',
    'npm test > /dev/null 2>&1',
    'npm test > out/log.txt',
    'git diff >> out/a/b.diff',
    '(npm test)',
    'npm test # with a word',
    `cd ${PROJECT} && npm test`,
    'timeout 60 npm test',
    'time npm test',
    'git diff $BRANCH',
  ])('%s', (command) => expect(allowed(rules, command)).toBe(true));

  test.each([
    '',
    'npm',
    'npm tests',
    'npm test --watch',
    'npm run linter',
    'npm run lint:fix',
    'git diffs',
    'npm test && npm publish',
    'npm publish; npm test',
    'npm test & npm publish',
    'npm test || curl x',
    'npm test\nnpm publish',
    'npm test | sh',
    'git diff $(npm publish)',
    'git diff "$(npm publish)"',
    'git diff `npm publish`',
    'git diff <(npm publish)',
    'git diff > .bashrc',
    'git diff > ~/.bashrc',
    'git diff > out/../package.json',
    'git diff > $X',
    'git diff &> src/a',
    'git diff >| src/a',
    '> src/a npm test',
    'NODE_OPTIONS=--require=./x npm test',
    'PATH=. npm test',
    'X=1; npm test',
    'eval npm test',
    'sudo npm test',
    'env npm test',
    'exec npm test',
    'xargs npm test',
    '$NPM test',
    './npm test',
    'np* test',
    'npm\u00a0test',
    "'npm test'",
    'if npm test; then npm publish; fi',
    'for x in 1; do npm publish; done',
    'npm() { evil; }; npm test',
    'alias npm=evil; npm test',
    'cd /tmp && npm test',
    'cd evil && npm test',
    `cd ${PROJECT}`,
    'npm test <<EOF\nx\nEOF',
    'npm test <<< x',
    'bash -c "npm test"',
  ])('not: %j', (command) => expect(allowed(rules, command)).toBe(false));

  test('a bare tool means every use of it, as it does in the client', () => {
    expect(allowedBy(['Bash'], bash('anything $(at all)'))).toBe('Bash');
    expect(allowedBy(['Bash(*)'], bash('anything'))).toBe('Bash(*)');
    expect(allowedBy(['WebSearch'], asked('WebSearch', { query: 'x' }))).toBe('WebSearch');
    expect(allowedBy(['WebSearch'], asked('WebFetch', { url: 'https://x.org' }))).toBeUndefined();
  });
  test('out of the sandbox is a question of its own', () => {
    const input = { command: 'npm test', dangerouslyDisableSandbox: true };
    expect(allowedBy(['Bash', 'Bash(npm test)'], asked('Bash', input))).toBeUndefined();
  });
  test('going to the project is only nothing where one is there already', () => {
    const there = bash(`cd ${PROJECT} && npm test > out/x`);
    expect(allowedBy(rules, there)).toBeDefined();
    const elsewhere = { ...there, call: { ...there.call, cwd: `${PROJECT}/out` } };
    expect(allowedBy(rules, elsewhere)).toBeUndefined();
  });
  test('nothing is allowed by no rule', () => expect(allowed([], 'ls')).toBe(false));
});

describe('a rule that refuses a command', () => {
  const refused = (rule: string, command: string) => denies(rule, bash(command));
  test.each([
    ['Bash(npm publish)', 'npm publish'],
    ['Bash(npm publish *)', 'npm publish'],
    ['Bash(npm publish:*)', 'npm publish --tag next'],
    ['Bash(npm publish *)', 'npm test && npm publish --tag next'],
    ['Bash(npm publish *)', 'npm   publish'],
    ['Bash(npm publish *)', 'npm "publish"'],
    ['Bash(npm publish *)', "np'm' publish"],
    ['Bash(npm publish *)', 'npm pub\\lish'],
    ['Bash(npm publish *)', '/usr/bin/npm publish'],
    ['Bash(npm publish *)', 'sudo -E npm publish'],
    ['Bash(npm publish *)', 'TOKEN=1 npm publish'],
    ['Bash(npm publish *)', 'env TOKEN=1 npm publish'],
    ['Bash(npm publish *)', 'bash -c "npm publish"'],
    ['Bash(npm publish *)', 'eval npm publish'],
    ['Bash(docker compose down *)', 'docker compose -f x.yml -p app down -v'],
    ['Bash(git push *)', 'ionice -c 3 git push'],
    ['Bash(npm publish *)', 'echo "$(npm publish)"'],
    ['Bash(npm publish *)', 'true; (npm publish)'],
    ['Bash(npm publish *)', 'if true; then npm publish; fi'],
    ['Bash(npm publish *)', 'npm --silent publish'],
    ['Bash(npm publish *)', 'npm --prefix packages/a publish'],
    ['Bash(npm publish *)', 'P=publish; npm $P'],
    ['Bash(git push *)', 'git -C ../x -c a.b=c push origin'],
    ['Bash(* --force)', 'git push --force'],
    ['Bash(git push "*)', 'git push origin'],
    ['Bash', 'ls'],
    ['Bash(*)', 'ls'],
  ])('%s: %s', (rule, command) => expect(refused(rule, command)).toBe(true));
  test.each([
    ['Bash(npm publish *)', 'npm publisher'],
    ['Bash(npm publish *)', 'npm test'],
    ['Bash(npm publish *)', 'echo npm publish'],
    ['Bash(npm publish *)', "git commit -m 'npm publish'"],
    ['Bash(npm publish)', 'npm publish --dry-run'],
    ['Bash(rm *)', 'rmdir x'],
    ['WebFetch', 'curl x'],
  ])('not %s: %s', (rule, command) => expect(refused(rule, command)).toBe(false));
});

describe('rules for files', () => {
  const edit = (tool: string, file_path: string) => asked(tool, { file_path });
  test.each([
    ['Edit(src/**)', 'Edit', 'src/a/b.ts'],
    ['Edit(src/**)', 'Write', `${PROJECT}/src/a.ts`],
    ['Edit(/src/**)', 'Write', 'src/a.ts'],
    ['Edit(./src/**)', 'MultiEdit', 'src/a.ts'],
    ['Edit(*.md)', 'Write', 'docs/deep/x.md'],
    ['Edit(~/notes/**)', 'Write', `${HOME}/notes/a.md`],
    ['Edit(//tmp/x/**)', 'Write', '/tmp/x/a'],
    ['Write(src/**)', 'Write', 'src/a.ts'],
    ['Read(docs/**)', 'Read', 'docs/a.md'],
    ['Edit', 'Write', '/anywhere'],
  ])('%s allows %s of %s', (rule, tool, path) => expect(allowedBy([rule], edit(tool, path))).toBe(rule));
  test.each([
    ['Edit(src/**)', 'Write', 'src/../package.json'],
    ['Edit(src/**)', 'Write', 'srcs/a.ts'],
    ['Edit(src/**)', 'Write', 'SRC/a.ts'],
    ['Edit(src/**)', 'Write', '/src/a.ts'],
    ['Edit(src/**)', 'Write', 'src/{a,b}'],
    ['Edit(src/**)', 'Read', 'src/a.ts'],
    ['Write(src/**)', 'Edit', 'src/a.ts'],
    ['Edit(**)', 'Write', '/etc/passwd'],
    ['Edit(**)', 'Write', '.claude/settings.json'],
    ['Edit(**)', 'Edit', 'packages/a/.claude/settings.local.json'],
    ['Edit(**)', 'Edit', 'untildone.yaml'],
    ['Edit(**)', 'Edit', '.mcp.json'],
    ['Edit(**)', 'Edit', '.Claude/settings.json'],
    ['Edit(**)', 'Write', '.husky/pre-commit'],
    ['Edit(~/**)', 'Edit', '~/.claude/settings.json'],
  ])('%s does not allow %s of %s', (rule, tool, path) =>
    expect(allowedBy([rule], edit(tool, path))).toBeUndefined(),
  );
  test.each([
    ['Edit(infra/**)', 'Write', { file_path: 'infra/a.tf' }],
    ['Edit(infra/**)', 'Write', { file_path: 'INFRA/a.tf' }],
    ['Write(infra/**)', 'Edit', { file_path: './x/../infra/a.tf' }],
    ['Edit(infra/**)', 'Bash', { command: 'echo x > infra/a.tf' }],
    ['Edit(infra/**)', 'Bash', { command: 'cd infra && sed -i s/a/b/ a.tf' }],
    ['Read(secrets/**)', 'Read', { file_path: 'secrets/key.txt' }],
    ['Read(secrets/**)', 'Bash', { command: 'cat < secrets/key.txt' }],
    ['Read(secrets/**)', 'Grep', { pattern: 'x', path: 'secrets' }],
    ['Read(secrets/**)', 'Write', { file_path: 'secrets/key.txt' }],
  ])('%s refuses %s %j', (rule, tool, input) => expect(denies(rule, asked(tool, input))).toBe(true));
  test.each([
    ['Edit(infra/**)', 'Read', { file_path: 'infra/a.tf' }],
    ['Edit(infra/**)', 'Bash', { command: 'cat infra/a.tf' }],
    ['Read(secrets/**)', 'Read', { file_path: 'src/secrets.ts' }],
  ])('%s does not refuse %s %j', (rule, tool, input) => expect(denies(rule, asked(tool, input))).toBe(false));
});

describe('rules for other tools', () => {
  const fetch = (url: unknown) => asked('WebFetch', { url });
  test.each([
    ['WebFetch(domain:example.com)', 'https://example.com/a?b#c', true, true],
    ['WebFetch(domain:example.com)', 'HTTPS://Example.COM./', true, true],
    ['WebFetch(domain:example.com)', 'https://me:pw@example.com:8443/', true, true],
    ['WebFetch(domain:example.com)', 'https://api.example.com/', true, false],
    ['WebFetch(domain:*.example.com)', 'https://api.example.com/', true, true],
    ['WebFetch(domain:example.com)', 'https://example.com.evil.org/', false, false],
    ['WebFetch(domain:example.com)', 'https://evil.org/example.com', false, false],
    ['WebFetch(domain:example.com)', 'https://example.com@evil.org/', false, false],
    ['WebFetch(domain:example.com)', 'example.com', false, false],
    ['WebFetch(domain:example.com)', 7, false, false],
  ])('%s and %s: refused %s, allowed %s', (rule, url, refused, permitted) => {
    expect(denies(rule, fetch(url))).toBe(refused);
    expect(allowedBy([rule], fetch(url)) !== undefined).toBe(permitted);
  });
  test.each([
    ['mcp__github', 'mcp__github__create_issue', true],
    ['mcp__github__*', 'mcp__github__create_issue', true],
    ['mcp__github__create_issue', 'mcp__github__create_issue', true],
    ['mcp__*', 'mcp__github__x', true],
    ['mcp__git', 'mcp__github__create_issue', false],
    ['mcp__github__get_*', 'mcp__github__create_issue', false],
  ])('%s and %s: %s', (rule, tool, expected) => {
    expect(denies(rule, asked(tool, {}))).toBe(expected);
    expect(allowedBy([rule], asked(tool, {})) !== undefined).toBe(expected);
  });
  test('agents by their type, under either name of the tool', () => {
    expect(denies('Agent(Explore)', asked('Task', { subagent_type: 'Explore' }))).toBe(true);
    expect(allowedBy(['Task(Explore)'], asked('Agent', { subagent_type: 'Explore' }))).toBe('Task(Explore)');
    expect(allowedBy(['Task(Explore)'], asked('Agent', { subagent_type: 'Plan' }))).toBeUndefined();
  });
});

describe('a rule that could never be matched is said', () => {
  test.each([
    '',
    '(x)',
    'Bash(',
    'a b',
    'WebFetch(example.com)',
    'WebSearch(x)',
    'mcp__a__b(x)',
    'mcp__*(x)',
  ])('%j', (rule) => expect(ruleProblem(rule)).toBeDefined());
  test.each(['Bash', 'Bash()', 'Bash(npm test)', 'mcp__a', 'WebFetch(domain:a.b)', 'Skill(x)', 'Agent(x)'])(
    'not %j',
    (rule) => expect(ruleProblem(rule)).toBeUndefined(),
  );
});
