import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { homeAt, layOut } from '../../src/adapters/home.ts';
import * as judgeBundle from '../../src/commands/judges.ts';
import { openPorts } from '../../src/commands/ports.ts';
import { UsageError } from '../../src/commands/usage-error.ts';
import { type VerifyOptions, verifyCommand } from '../../src/commands/verify.ts';
import type { World } from '../../src/commands/world.ts';
import { commit, git } from '../adapters/support/project-scene.ts';
import { temporaryFolder } from '../adapters/workers.ts';

let world: World;
let lines: string[];
beforeEach(() => {
  const folder = temporaryFolder();
  const home = homeAt(join(folder, 'home'));
  layOut(home);
  const project = join(folder, 'project');
  mkdirSync(project);
  git(project, 'init', '--quiet', '--initial-branch=main');
  const env = { PATH: process.env.PATH, HOME: folder };
  world = { ...openPorts(home, env, async () => judgeBundle), home, project, env };
  lines = [];
});

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(world.project, path)), { recursive: true });
  writeFileSync(join(world.project, path), text);
};
const contract = (text: string) => write('untildone.yaml', text);
const verify = (options: Partial<VerifyOptions> = {}, on = world) => {
  lines = [];
  return verifyCommand({ fresh: false, format: 'text', ...options }, on, (line) => void lines.push(line));
};

describe('the exit code', () => {
  test.each<[number, string, string, string]>([
    [0, 'every gate passes', 'gates: { a: { run: "true" } }', 'done, and verified'],
    [1, 'one fails', 'gates: { a: { run: "true" }, b: { run: "false" } }', 'NOT done'],
    [
      1,
      'one fails and one cannot be judged',
      'gates: { a: { run: no-such-tool }, b: { run: "false" } }',
      'NOT done',
    ],
    [2, 'one cannot be judged', 'gates: { a: { run: "true" }, b: { run: no-such-tool } }', 'NOT done'],
    [
      2,
      'what is not proven may stay open',
      'gates: { a: { run: "true" }, b: { run: no-such-tool, on_unproven: allow } }',
      'not proven: a gate that may stay open is open',
    ],
    [
      2,
      'nothing applies',
      'gates: { a: { forbid: [todo] }, p: { promise: X } }\ndone: [p]',
      'nothing was judged: every gate was skipped',
    ],
    [
      0,
      'there is only the word of the agent',
      'gates: { a: { checklist: PLAN.md } }',
      'done by the word of the agent alone: nothing was measured',
    ],
  ])('is %i when %s', async (code, _, text, words) => {
    write('PLAN.md', '- [x] all\n');
    contract(text);
    expect(await verify()).toBe(code);
    expect(lines.at(-1)).toBe(`untildone: ${words}`);
  });
});

describe('what is judged', () => {
  test('only the gates that are named', async () => {
    contract('gates: { a: { run: "true" }, b: { run: "false" } }');
    expect(await verify({ gates: ['a'] })).toBe(0);
    expect(lines[0]).toMatch(/^pass {5}a \(measured\)/);
  });
  test.each(['c', 'constructor', 'toString'])('a name that is no gate is refused: %s', async (name) => {
    contract('gates: { a: { run: "true" }, b: { run: "false" } }');
    await expect(verify({ gates: [name] })).rejects.toThrow(`there is no gate "${name}"; there are: a, b`);
  });
  test('another contract, wherever it lies', async () => {
    contract('gates: { a: { run: "false" } }');
    write('ci/strict.yaml', 'gates: { a: { run: "true" } }');
    expect(await verify({ contract: 'ci/strict.yaml' })).toBe(0);
    expect(await verify({ contract: join(world.project, 'ci/strict.yaml') })).toBe(0);
    await expect(verify({ contract: 'ci/none.yaml' })).rejects.toThrow('there is no ci/none.yaml');
  });
  test('without a contract it says how to make one', async () => {
    await expect(verify()).rejects.toThrow(/there is no untildone.yaml in .*; make one with: untildone init/);
  });
  test('a contract with mistakes names all of them, and nothing runs', async () => {
    contract(`gates:\n  a: { run: "touch ran", timout: 3 }\n  b: { runn: x }\n`);
    const error = await verify().catch((e: Error) => e);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message.split('\n')).toHaveLength(2);
    expect(existsSync(join(world.project, 'ran'))).toBe(false);
  });
  test('no approval is asked for: it is run by a person, like the tests themselves', async () => {
    contract('gates: { a: { run: "true" } }');
    expect(await verify()).toBe(0);
  });
});

describe('what is known already', () => {
  const runs = () => readFileSync(join(world.project, '..', 'runs'), 'utf8').length;
  beforeEach(() => contract('gates: { a: { run: "printf x >> ../runs" } }'));

  test('a pass is used again while nothing changed, and says so', async () => {
    await verify();
    await verify();
    expect(lines[0]).toContain('[as before: nothing changed]');
    expect(runs()).toBe(1);
    write('a.txt', 'changed');
    await verify();
    expect(runs()).toBe(2);
  });
  test('--fresh judges everything anew, and keeps nothing', async () => {
    for (let i = 0; i < 2; i++) await verify({ fresh: true });
    expect(runs()).toBe(2);
    await verify();
    expect(runs()).toBe(3);
  });
  test('a fail is always judged again', async () => {
    contract('gates: { a: { run: "printf x >> ../runs; false" } }');
    for (let i = 0; i < 2; i++) expect(await verify()).toBe(1);
    expect(runs()).toBe(2);
  });
});

describe('since when', () => {
  beforeEach(() => {
    contract('gates: { tidy: { forbid: [todo] } }');
    write('src/a.ts', 'export {};\n');
    commit(world.project, 'one');
    git(world.project, 'tag', 'v1');
  });

  test('without a name: what is not committed yet', async () => {
    write('src/a.ts', '// TODO later\n');
    expect(await verify()).toBe(1);
    expect(lines.join('\n')).toContain('src/a.ts:1');
  });
  test('since a commit, a branch or a tag', async () => {
    write('src/a.ts', '// TODO later\n');
    commit(world.project, 'two');
    expect(await verify({ base: 'v1' })).toBe(1);
    expect(await verify({ base: 'HEAD~1' })).toBe(1);
    await expect(verify({ base: 'v2' })).rejects.toThrow(
      '"v2" is no commit, branch or tag of this repository',
    );
    await expect(verify({ base: '--help' })).rejects.toThrow('is no commit');
  });
  test('in a package of a repository it is the package that is compared', async () => {
    write('packages/a/untildone.yaml', 'gates: { tidy: { forbid: [todo] }, intact: { tests_intact: true } }');
    write('packages/a/a.test.ts', "test('a', () => { expect(1).toBe(1); });\n");
    write('packages/b/b.ts', '// TODO in another package\n');
    commit(world.project, 'packages');
    write('packages/a/new.ts', 'export {};\n');
    const inPackage = { ...world, project: join(world.project, 'packages/a') };
    expect(await verify({}, inPackage)).toBe(0);
    write('packages/a/new.ts', '// TODO here\n');
    expect(await verify({}, inPackage)).toBe(1);
    expect(lines.join('\n')).toContain('new.ts:1');
  });
});

describe('how it is said', () => {
  test('as text: what fails with its evidence, children below their gate', async () => {
    contract(
      'gates: { a: { run: "echo src/a.ts:3:5: wrong; false" }, b: { run: "true" }, c: { all: [a, b] } }',
    );
    await verify();
    expect(lines).toEqual([
      'fail     c (measured) open: a',
      '           a: `echo src/a.ts:3:5: wrong; false` fails with exit code 1',
      '           src/a.ts:3:5: wrong',
      '  fail     a (measured) `echo src/a.ts:3:5: wrong; false` fails with exit code 1',
      '             src/a.ts:3:5: wrong',
      '  pass     b (measured) `true` succeeds',
      'untildone: NOT done',
    ]);
  });
  test('as JSON: the result and every verdict', async () => {
    contract('gates: { a: { run: "true" } }');
    await verify({ format: 'json' });
    const said = JSON.parse(lines.join('\n')) as { result: string; verdicts: object[] };
    expect(said).toMatchObject({
      result: 'verified',
      verdicts: [{ gate: 'a', kind: 'run', class: 'measured', outcome: 'pass', proof: { exitCode: 0 } }],
    });
  });
  test('for GitHub: an annotation for the gate and one beside each line it names', async () => {
    contract(
      'gates: { "a.b": { run: "echo ./src/a.ts:3:5: 50% wrong; echo lib/b.ts:7: bad; false" }, ok: { run: "true" } }',
    );
    expect(await verify({ format: 'github' })).toBe(1);
    expect(lines.slice(1)).toEqual([
      '::error file=src/a.ts,line=3,col=5,title=a.b::50%25 wrong',
      '::error file=lib/b.ts,line=7,title=a.b::bad',
      'pass: ok: `true` succeeds',
      'untildone: NOT done',
    ]);
    expect(lines[0]).toMatch(/^::error title=a\.b::.*%0A.*50%25 wrong/);
  });
  test('for GitHub: what could not be judged is a warning', async () => {
    contract('gates: { a: { run: no-such-tool } }');
    expect(await verify({ format: 'github' })).toBe(2);
    expect(lines[0]).toMatch(/^::warning title=a::/);
  });
  test('for GitHub: nothing that a command prints can give a command of its own', async () => {
    contract('gates: { a: { run: "echo ::set-output name=x::y; echo; echo ::error::fake; false" } }');
    await verify({ format: 'github' });
    const commands = lines.filter((line) => line.startsWith('::'));
    expect(
      commands.every((line) => line.startsWith('::error title=a::') || line.startsWith('::error file=')),
    ).toBe(true);
    expect(lines.every((line) => !line.includes('\n'))).toBe(true);
  });
});
