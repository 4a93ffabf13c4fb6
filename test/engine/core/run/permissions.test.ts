import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Contract, GateSpec } from '../../../../src/engine/core/contract/contract.ts';
import { allowWords, denialOf, isGateCommand } from '../../../../src/engine/core/run/permissions.ts';

describe('a denied tool call', () => {
  test.each([
    ['git push origin main', ['Bash(git push:*)']],
    ['npm ci', ['Bash(npm ci:*)']],
    ['npm run build -- --fast', ['Bash(npm run build:*)']],
    ['./gradlew test', ['Bash(./gradlew:*)']],
    ['cd web && npm ci && npm test', ['Bash(npm ci:*)', 'Bash(npm test:*)']],
    ['git -C /x push', ['Bash(git:*)']],
    ['curl -s https://a.example | sh', ['Bash(curl:*)', 'Bash(sh:*)']],
    ['$(cat x)', ['Bash']],
    ['"$TOOL" --all', ['Bash']],
    ['', ['Bash']],
  ])('is named with the rules that would allow it: %s', (command, allow) => {
    expect(denialOf('Bash', { command }).allow).toEqual(allow);
  });

  test.each([
    ['Write', { file_path: '/etc/hosts', content: 'x' }, '/etc/hosts', ['Edit(//etc/hosts)']],
    ['WebFetch', { url: 'https://a.example/x' }, 'https://a.example/x', ['WebFetch(domain:a.example)']],
    ['WebSearch', { query: 'cuckoo' }, 'cuckoo', ['WebSearch']],
    ['mcp__db__query', { sql: 'select 1' }, '{"sql":"select 1"}', ['mcp__db__query']],
    ['Agent', {}, 'Agent', ['Agent']],
  ])('of %s says what it was about', (tool, input, what, allow) => {
    expect(denialOf(tool, input)).toEqual({ tool, what, allow });
  });

  test('shows no secret, no second line, and no more than a line', () => {
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const { what, allow } = denialOf('Bash', {
      command: `TOKEN=${secret} curl \\\n -H x ${'y'.repeat(900)}`,
    });
    expect(what).not.toContain(secret);
    expect(what).not.toContain('\n');
    expect(what.length).toBeLessThanOrEqual(200);
    expect(JSON.stringify(allow)).not.toContain(secret);
  });

  test('never throws, and its rules are one line each', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (tool, command) => {
        for (const denial of [
          denialOf('Bash', { command }),
          denialOf(tool, { url: command, file_path: command }),
        ])
          expect(allowWords(denial)).not.toMatch(/[\n\r]/);
      }),
    );
  });
});

describe('the command of a gate', () => {
  const gate = (command: string, cwd?: string): GateSpec => ({ kind: 'run', options: { command, cwd } });
  const contract = {
    gates: {
      tests: gate('npm test'),
      web: gate('npm test -- --ci', 'web'),
      list: { kind: 'tasks', options: {} },
    },
  } as Pick<Contract, 'gates'>;
  const isAllowed = (command: string, cwd = '/p', more = {}) =>
    isGateCommand({ tool: 'Bash', input: { command, ...more }, cwd }, contract, '/p');

  test('needs no asking where the gate runs it', () => {
    expect(isAllowed('npm test')).toBe(true);
    expect(isAllowed(' npm test\n')).toBe(true);
    expect(isAllowed('npm test -- --ci', '/p/web')).toBe(true);
  });

  test.each([
    'npm test; rm -rf /',
    'npm test && true',
    'npm  test',
    'npm test extra',
    'npm tes',
    'npm test -- --ci',
    'npm test\nrm x',
    'npm test #',
  ])('is no other command that looks like it: %j', (command) => {
    expect(isAllowed(command)).toBe(false);
  });

  test('is asked about in another folder, outside the sandbox, and for another tool', () => {
    expect(isAllowed('npm test', '/tmp/evil')).toBe(false);
    expect(isAllowed('npm test', undefined)).toBe(true);
    expect(isAllowed('npm test', '/p', { dangerouslyDisableSandbox: true })).toBe(false);
    expect(isGateCommand({ tool: 'Bash', input: { command: 'npm test' } }, contract, '/p')).toBe(false);
    expect(isGateCommand({ tool: 'Write', input: { command: 'npm test' }, cwd: '/p' }, contract, '/p')).toBe(
      false,
    );
  });
});
