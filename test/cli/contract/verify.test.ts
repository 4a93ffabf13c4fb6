import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type VerifyOptions, verifyCommand } from '../../../src/cli/contract/verify.ts';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import type { ProjectPorts } from '../../../src/engine/hook/wiring/project-ports.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { FAIL, fakeJudges, type Says } from '../../support/hook/judging.ts';
import { commit, git } from '../../support/project/project-scene.ts';
import { initRepository } from '../../support/repository.ts';

let world: ProjectPorts;
let lines: string[];
/** What gates say, by their names; by default they pass. */
let says: Record<string, Says>;
beforeEach(() => {
  const folder = temporaryFolder();
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const project = join(folder, 'project');
  mkdirSync(project);
  const env = { PATH: process.env.PATH, HOME: folder };
  const judges = async () => fakeJudges(says);
  world = { ...openPorts(home, env, async () => judgeBundle), home, project, env, judges };
  lines = [];
  says = {};
});

/** With the gates themselves, in a repository. */
function inEarnest(): void {
  initRepository(world.project);
  world.judges = openPorts(world.home, world.env, async () => judgeBundle).judges;
}

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
  const unproven: Says = { outcome: 'unproven', summary: 'no such tool' };
  const skip: Says = { outcome: 'skip', summary: 'nothing to see' };
  test.each<[number, string, Record<string, Says>, string]>([
    [0, 'every gate passes', {}, 'done, and verified'],
    [
      0,
      'one passes and the other says that it does not apply',
      { b: skip },
      'done, and verified; does not apply here: b',
    ],
    [1, 'one fails', { b: FAIL }, 'NOT done'],
    [1, 'one fails and one cannot be judged', { a: unproven, b: FAIL }, 'NOT done'],
    [2, 'one cannot be judged', { b: unproven }, 'NOT done'],
    [
      2,
      'what is not proven may stay open',
      { mild: unproven },
      'not proven: a gate that may stay open is open',
    ],
    [2, 'nothing applies', { a: skip, b: skip, mild: skip }, 'nothing was judged: every gate was skipped'],
  ])('is %i when %s', async (code, _, said, words) => {
    says = said;
    contract('gates: { a: { run: x }, b: { run: y }, mild: { run: z, on_unproven: allow } }');
    expect(await verify()).toBe(code);
    expect(lines.at(-1)).toBe(`untildone: ${words}`);
  });
  test('is 0 on the word of the agent alone, and says so', async () => {
    contract('gates: { a: { checklist: PLAN.md } }');
    expect(await verify()).toBe(0);
    expect(lines.at(-1)).toBe('untildone: done by the word of the agent alone: nothing was measured');
  });
});

describe('what is judged', () => {
  test('only the gates that are named', async () => {
    says = { b: FAIL };
    contract('gates: { a: { run: "true" }, b: { run: "false" } }');
    expect(await verify({ gates: ['a'] })).toBe(0);
    expect(lines[0]).toMatch(/^pass {5}a \(measured\)/);
  });
  test.each(['c', 'constructor', 'toString'])('a name that is no gate is refused: %s', async (name) => {
    contract('gates: { a: { run: "true" }, b: { run: "false" } }');
    await expect(verify({ gates: [name] })).rejects.toThrow(`there is no gate "${name}"; there are: a, b`);
  });
  test('another contract, wherever it lies', async () => {
    says = { a: FAIL };
    contract('gates: { a: { run: x } }');
    write('ci/strict.yaml', 'gates: { b: { run: y } }');
    expect(await verify()).toBe(1);
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
  });
  test('no approval is asked for: it is run by a person, like the tests themselves', async () => {
    contract('gates: { a: { run: "true" } }');
    expect(await verify()).toBe(0);
  });
});

describe('what is known already', () => {
  const runs = () => readFileSync(join(world.project, '..', 'runs'), 'utf8').length;
  beforeEach(() => {
    inEarnest();
    contract('gates: { a: { run: "printf x >> ../runs" } }');
  });

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
    inEarnest();
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
  test('where nothing was changed, gates that ask for work have nothing to say', async () => {
    inEarnest();
    write('PLAN.md', 'A plan of ten words that was there all the time.\n');
    contract(
      'gates: { plan: { artefact: PLAN.md, words: 5 }, worked: { changed: true }, ok: { run: "true" } }',
    );
    commit(world.project, 'all of it');
    expect(await verify()).toBe(2);
    expect(lines.filter((line) => line.startsWith('skip'))).toHaveLength(2);
    expect(lines.at(-1)).toBe(
      'untildone: NOT verified: skipped: plan, worked. What was judged passes; to accept that: --allow-skipped plan --allow-skipped worked',
    );
    expect(await verify({ allowSkipped: ['plan', 'worked'] })).toBe(0);
    expect(lines.at(-1)).toBe('untildone: done, and verified; skipped: plan, worked');
    write('a.txt', 'work');
    expect(await verify()).toBe(1);
    expect(lines.find((line) => line.includes('plan'))).toContain('nothing was written since');
    expect(lines.find((line) => line.includes('worked'))).toMatch(/^pass/);
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
  const wrong = (...evidence: string[]): Says => ({ outcome: 'fail', summary: 'exit code 1', evidence });

  test('as text: what fails with its evidence, children below their gate', async () => {
    says = { a: wrong('src/a.ts:3:5: wrong') };
    contract('gates: { a: { run: x }, b: { run: y }, c: { all: [a, b] } }');
    await verify();
    expect(lines).toEqual([
      'fail     c (measured) open: a',
      '           a: exit code 1',
      '           src/a.ts:3:5: wrong',
      '  fail     a (measured) exit code 1',
      '             src/a.ts:3:5: wrong',
      '  pass     b (measured) passes',
      'untildone: NOT done',
    ]);
  });
  test('as JSON: the result and every verdict', async () => {
    contract('gates: { a: { run: x } }');
    await verify({ format: 'json' });
    const said = JSON.parse(lines.join('\n')) as { result: string; verdicts: object[] };
    expect(said).toMatchObject({
      result: 'verified',
      verdicts: [{ gate: 'a', kind: 'run', class: 'measured', outcome: 'pass' }],
    });
  });
  test('for GitHub: an annotation for the gate and one beside each line it names', async () => {
    says = {
      'a.b': wrong('./src/a.ts:3:5: 50% wrong', 'lib/b.ts:7: bad', 'no place'),
      no: { outcome: 'skip', summary: '-' },
    };
    contract('gates: { "a.b": { run: x }, ok: { run: y }, no: { run: z } }');
    expect(await verify({ format: 'github' })).toBe(1);
    expect(lines).toEqual([
      '::error file=untildone.yaml,line=1,title=a.b::exit code 1%0A./src/a.ts:3:5: 50%25 wrong%0Alib/b.ts:7: bad%0Ano place',
      '::error file=src/a.ts,line=3,col=5,title=a.b::50%25 wrong',
      '::error file=lib/b.ts,line=7,title=a.b::bad',
      'pass: ok: passes',
      'skip: no: -',
      'untildone: NOT done',
    ]);
  });
  test('for GitHub: what could not be judged is a warning', async () => {
    says = { a: { outcome: 'unproven', summary: 'no such tool' } };
    contract('gates: { a: { run: x } }');
    expect(await verify({ format: 'github' })).toBe(2);
    expect(lines[0]).toBe('::warning file=untildone.yaml,line=1,title=a::no such tool');
  });
  test('for GitHub: nothing that a command prints can give a command of its own', async () => {
    says = { a: wrong('::set-output name=x::y', '', 'x\n::error::fake', 'a,b.ts:1: c:d,e=f') };
    contract('gates: { a: { run: x } }');
    await verify({ format: 'github' });
    expect(lines.slice(1, -1)).toEqual(['::error file=a%2Cb.ts,line=1,title=a::c:d,e=f']);
    expect(lines[0]).toMatch(/^::error file=untildone.yaml,line=1,title=a::exit code 1%0A::set-output/);
    expect(lines.every((line) => !line.includes('\n'))).toBe(true);
  });
});

test('a question to a person is skipped: nobody can be asked, and nothing fails for it', async () => {
  inEarnest();
  contract(
    'gates: { t: { run: "true" }, ok: { approve: Good? } }\nphases: { a: { exit: [ok] }, b: { exit: [t] } }\n',
  );
  expect(await verify()).toBe(0);
  expect(lines.join('\n')).toContain('skip     ok (judged) only the Stop of a loop can ask for an approval');
  expect(lines.at(-1)).toBe('untildone: done, and verified; judged only in a session: ok');
  expect(await verify({ gates: ['ok'] })).toBe(2);
});

test('chunks are judged in their order, each shown', async () => {
  inEarnest();
  contract(
    'gates: { a: { run: "false" }, b: { run: "true" } }\nchunks: { one: { do: It, gates: [a] }, two: { do: That, gates: [b] } }\n',
  );
  expect(await verify()).toBe(1);
  expect(lines.join('\n')).toMatch(
    /fail +chunks .*0 of 2 chunks pass; now: one[\s\S]*fail +one[\s\S]*skip +two .*comes after one/,
  );
});
