import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeTool } from '../../../src/engine/core/tools/judge-tool.ts';
import type { ToolRules } from '../../../src/engine/core/tools/tool-rules.ts';
import { toolPlace } from '../../../src/engine/project/path-resolver.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { rounds } from '../../support/long.ts';

const RULES: ToolRules = {
  dangerous: true,
  protect: ['infra/**'],
  hide: [],
  deny: [],
  allow: [],
  rewrite: [],
};

function project() {
  const home = realpathSync(temporaryFolder());
  const root = join(home, 'project');
  for (const folder of ['src/deep', 'infra/prod', 'elsewhere/in', '.git/hooks'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['.env', 'infra/prod/main.tf', 'src/a.ts']) writeFileSync(join(root, file), 'x');
  const place = (cwd = root) => toolPlace(root, cwd, home, { PATH: process.env.PATH });
  const kind = (
    tool: string,
    input: Record<string, unknown>,
    cwd = root,
    event: 'PreToolUse' | 'PermissionRequest' = 'PreToolUse',
    rules = RULES,
  ) => judgeTool({ event, tool, input, cwd }, rules, place(cwd)).kind;
  return { home, root, place, kind, bash: (command: string, cwd = root) => kind('Bash', { command }, cwd) };
}

describe('links', () => {
  test('lead to what they name, however many', () => {
    const { root, kind, bash } = project();
    symlinkSync('.env', join(root, 'one'));
    symlinkSync('one', join(root, 'two'));
    symlinkSync('../infra', join(root, 'src/in'));
    expect(kind('Write', { file_path: 'two' })).toBe('refuse');
    expect(bash('echo x > src/../two')).toBe('refuse');
    expect(kind('Edit', { file_path: 'src/in/prod/main.tf' })).toBe('refuse');
    expect(kind('Write', { file_path: 'src/in/new/file.tf' })).toBe('refuse');
    expect(bash('cd src/in/prod && rm main.tf')).toBe('refuse');
  });
  test('that lead nowhere yet are followed, too', () => {
    const { root, kind } = project();
    symlinkSync('.env.local', join(root, 'later'));
    expect(kind('Write', { file_path: 'later' })).toBe('refuse');
  });
  test('a protected name stays protected although it is a link to somewhere else', () => {
    const { home, root, kind } = project();
    writeFileSync(join(home, 'vault'), 'x');
    symlinkSync(join(home, 'vault'), join(root, '.env.vault'));
    symlinkSync('.env.vault', join(root, 'innocent'));
    expect(kind('Write', { file_path: '.env.vault' })).toBe('refuse');
    expect(kind('Write', { file_path: 'innocent' })).toBe('refuse');
  });
  test('".." behind a link leads out of where the link leads to', () => {
    const { root, bash } = project();
    symlinkSync('infra/prod', join(root, 'x'));
    expect(bash('echo x > x/../other.tf')).toBe('refuse');
  });
  test('that go round in circles end', () => {
    const { root, kind } = project();
    symlinkSync('b', join(root, 'a'));
    symlinkSync('a', join(root, 'b'));
    expect(kind('Write', { file_path: 'a' })).toBe('none');
  });
  test('that lead out of what is allowed are not allowed', () => {
    const { root, kind } = project();
    symlinkSync('../elsewhere', join(root, 'src/out'));
    const rules = { ...RULES, allow: ['Edit(src/**)'] };
    const asked = (file_path: string) => kind('Write', { file_path }, root, 'PermissionRequest', rules);
    expect(asked('src/deep/a.ts')).toBe('permit');
    expect(asked('src/out/a.ts')).toBe('none');
    expect(asked('src/out/../a.ts')).toBe('none');
  });
  test('the project itself may be called by one', () => {
    const { home, root } = project();
    const called = join(home, 'called');
    symlinkSync(root, called);
    const place = toolPlace(called, called, home, {});
    const judged = (file_path: string) =>
      judgeTool({ event: 'PreToolUse', tool: 'Write', input: { file_path }, cwd: called }, RULES, place).kind;
    expect(judged(join(root, '.env'))).toBe('refuse');
    expect(judged(join(called, 'infra/x'))).toBe('refuse');
  });
});

describe('wildcards', () => {
  test.each([
    'rm .e*',
    'rm .en?',
    'rm .[e]nv',
    'rm ./*/prod/*.tf',
    'rm infr?/prod/main.tf',
    'echo x > {.env,y}',
    'rm -r inf*',
  ])('%s reaches what is there', (command) => expect(project().bash(command)).toBe('refuse'));
  test.each(['rm *', 'rm src/*.ts', 'chmod 644 *', 'prettier --write *.md'])('%s does not', (command) => {
    const { root, kind } = project();
    const rules = { ...RULES, protect: [] };
    expect(kind('Bash', { command }, root, 'PreToolUse', rules)).toBe('none');
  });
});

test('where git stands is asked only of git and of its files', () => {
  const { root, place, bash } = project();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root });
  expect(place().uncommitted()).toBeUndefined();
  git('init', '--quiet', '-b', 'work');
  git('add', 'src');
  git('commit', '--quiet', '-m', 'x');
  expect(place().branch()).toBe('work');
  expect(place().uncommitted()).toEqual({ changed: false, untracked: true });
  expect(bash('git reset --hard')).toBe('none');
  expect(bash('git clean -fd')).toBe('refuse');
  writeFileSync(join(root, 'src/a.ts'), 'changed');
  expect(bash('git reset --hard')).toBe('refuse');
  expect(bash('rm -rf ..', join(root, 'src'))).toBe('refuse');
  expect(bash('rm -rf deep', join(root, 'src'))).toBe('none');
});

test('a project below the top of its repository has that repository protected', () => {
  const { home, root } = project();
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  const inner = join(root, 'src');
  const place = toolPlace(inner, inner, home, {});
  const judged = (command: string) =>
    judgeTool({ event: 'PreToolUse', tool: 'Bash', input: { command }, cwd: inner }, RULES, place).kind;
  expect(judged('echo x > ../.git/hooks/pre-commit')).toBe('refuse');
  expect(judged('rm -rf ../.git')).toBe('refuse');
  expect(judged('git commit -m x')).toBe('none');
});

/** Ways to write one path. */
function spelled(root: string, home: string, target: string) {
  const noise = fc.array(fc.constantFrom('./', 'src/../', 'src/deep/../../', './/', 'link/../'), {
    maxLength: 5,
  });
  const start = fc.constantFrom(
    '',
    `${root}/`,
    '$PWD/',
    '~/project/',
    '$HOME/project/',
    '"$(pwd)"/',
    `../project/`,
    `${home}/./project/`,
  );
  const end = fc.constantFrom('', '/', '/.', '//');
  const cased = fc
    .array(fc.boolean(), { minLength: target.length, maxLength: target.length })
    .map((up) => [...target].map((c, i) => (up[i] ? c.toUpperCase() : c)).join(''));
  const quoted = (path: string) =>
    fc.constantFrom(
      path,
      path.replace(/n(?=[^/]*$)/i, (c) => `'${c}'`),
      path.replace(/v(?=[^/]*$)/i, (c) => `\\${c}`),
    );
  return fc.record({ start, noise, name: cased, end }).chain(({ start, noise, name, end }) =>
    quoted(name).map((word) => ({
      plain: `${start}${noise.join('')}${name}${end}`,
      word: `${start}${noise.join('')}${word}`,
    })),
  );
}

test('every spelling of a protected path is refused', () => {
  const { home, root, kind, bash } = project();
  symlinkSync('src', join(root, 'link'));
  const changes = [
    'echo x > @',
    'rm -f @',
    'tee @ < a',
    'cp a @',
    'mv @ b',
    'sed -i s/a/b/ @',
    'F=@; touch $F',
    'sh -c "rm @"',
    'true && (rm @)',
    'cd src && cd .. && rm @',
    'dd if=a of=@',
  ];
  fc.assert(
    fc.property(spelled(root, home, '.env.local'), fc.constantFrom(...changes), ({ plain, word }, change) => {
      const file_path = plain.replace('"$(pwd)"', root).replace(/^\$PWD/, root);
      expect(kind('Write', { file_path }), file_path).toBe('refuse');
      const inQuotes = change.startsWith('sh -c') ? word.replaceAll('"', '').replaceAll('\\', '') : word;
      const command = change.replace('@', () => inQuotes);
      expect(bash(command), command).toBe('refuse');
    }),
    { numRuns: rounds(300, 30) },
  );
});

describe('another worktree of the repository', () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd });
  function worktree() {
    const home = realpathSync(temporaryFolder());
    const [root, tree] = [join(home, 'project'), join(home, 'tree')];
    mkdirSync(join(root, 'infra/prod'), { recursive: true });
    writeFileSync(join(root, 'infra/prod/main.tf'), 'x');
    git(home, 'init', '-q', '-b', 'main', root);
    git(root, 'add', '.');
    git(root, 'commit', '-qm', 'first');
    git(root, 'worktree', 'add', '-q', '-b', 'own', tree);
    const rules = { ...RULES, protect: ['infra/prod/**'] };
    const bash = (command: string, cwd: string) =>
      judgeTool(
        { event: 'PreToolUse', tool: 'Bash', input: { command }, cwd },
        rules,
        toolPlace(root, cwd, home, {}),
      ).kind;
    return { root, tree, bash };
  }
  test('has the same files protected', () => {
    const { root, tree, bash } = worktree();
    expect(bash('echo x > infra/prod/main.tf', tree)).toBe('refuse');
    expect(bash(`rm ${tree}/infra/prod/main.tf`, root)).toBe('refuse');
    expect(bash('echo x > infra/dev.tf', tree)).toBe('none');
    expect(bash('cp .env ../tree/.env', root)).toBe('none');
  });
  test('has changes and a branch of its own', () => {
    const { root, tree, bash } = worktree();
    writeFileSync(join(tree, 'infra/prod/main.tf'), 'changed');
    expect(bash('git reset --hard', tree)).toBe('refuse');
    expect(bash('git reset --hard', root)).toBe('none');
    expect(bash('git push -f', root)).toBe('refuse');
    expect(bash('git push -f', tree)).toBe('none');
  });
});
