import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type VerifyOptions, verifyCommand } from '../../../src/cli/contract/verify.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import type { ProjectPorts } from '../../../src/engine/hook/wiring/project-ports.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { sarifProblems } from '../../support/core/sarif.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { commit, git } from '../../support/project/project-scene.ts';
import { initRepository } from '../../support/repository.ts';

/** A pull request may change its own contract. That of the branch it goes to counts. */

let world: ProjectPorts;
let lines: string[];
let folder: string;

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(world.project, path)), { recursive: true });
  writeFileSync(join(world.project, path), text);
};
const verify = (options: Partial<VerifyOptions> = {}, on = world) => {
  lines = [];
  const from = { fresh: true, format: 'text', contractFrom: 'main', ...options } as const;
  return verifyCommand(from, on, (line) => void lines.push(line));
};

const STRICT = 'gates:\n  tests: { run: sh check.sh }\n';

beforeEach(() => {
  folder = temporaryFolder();
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const project = join(folder, 'project');
  mkdirSync(project);
  initRepository(project);
  const env = { PATH: process.env.PATH, HOME: folder };
  world = { ...openPorts(home, env, async () => judgeBundle), home, project, env };
  write('untildone.yaml', STRICT);
  write('check.sh', 'grep -q done work.txt\n');
  write('work.txt', 'begun\n');
  commit(project, 'start');
  git(project, 'branch', '-M', 'main');
  git(project, 'switch', '-q', '-c', 'work');
});

describe('the contract of the branch that the work goes to', () => {
  test('counts, whatever the work makes of its own', async () => {
    write('untildone.yaml', 'gates:\n  tests: { run: "true" }\n');
    commit(world.project, 'weaker');
    expect(await verify({ contractFrom: undefined })).toBe(0);
    expect(await verify()).toBe(1);
    expect(lines.join('\n')).toContain(
      'note     untildone.yaml is changed here. The work was judged by the contract of main; the changed one counts once it is there',
    );
    rmSync(join(world.project, 'untildone.yaml'));
    expect(await verify()).toBe(1);
    expect(lines.at(-1)).toBe('untildone: NOT done; changed here: untildone.yaml');
  });
  test('is asked what its commands run: a check that was emptied is named', async () => {
    write('check.sh', 'true\n');
    commit(world.project, 'weaker');
    expect(await verify({ format: 'json' })).toBe(0);
    expect(JSON.parse(lines.join('\n'))).toMatchObject({
      summary: 'done, and verified; changed here: check.sh',
      contract: {
        file: 'untildone.yaml',
        from: 'main',
        missing: false,
        changed: [{ name: 'check.sh', diff: ['@@ -1,1 +1,1 @@', '-grep -q done work.txt', '+true'] }],
      },
    });
    expect(await verify({ onContractChange: 'fail' })).toBe(1);
    expect(lines.at(-1)).toBe(
      'untildone: NOT done: the contract, or what it runs, is changed here: check.sh',
    );
  });
  test('says nothing of a contract that is the same', async () => {
    write('work.txt', 'done\n');
    commit(world.project, 'work');
    expect(await verify({ onContractChange: 'fail' })).toBe(0);
    expect(lines).toEqual([expect.stringMatching(/^pass/), 'untildone: done, and verified']);
  });
  test('begins the work where the branch was left', async () => {
    write('untildone.yaml', 'gates:\n  tidy: { forbid: [todo] }\n');
    commit(world.project, 'other gate');
    git(world.project, 'branch', '-f', 'main');
    write('a.ts', '// TODO\n');
    commit(world.project, 'work');
    expect(await verify()).toBe(1);
    expect(lines.join('\n')).toContain('a.ts:1');
  });
  test('is the work’s own when there is none yet, and that is said', async () => {
    git(world.project, 'rm', '-q', '--cached', 'untildone.yaml');
    git(world.project, 'commit', '-q', '-m', 'none');
    git(world.project, 'branch', '-f', 'main');
    write('work.txt', 'done\n');
    commit(world.project, 'with a contract');
    expect(await verify()).toBe(0);
    expect(lines.join('\n')).toContain(
      'note     main has no untildone.yaml: the work was judged by the contract that it brings along',
    );
  });
  test('of a package is the one in its folder', async () => {
    write('packages/a b/untildone.yaml', 'gates:\n  t: { run: "test -e made" }\n');
    commit(world.project, 'package');
    git(world.project, 'branch', '-f', 'main');
    write('packages/a b/untildone.yaml', 'gates:\n  t: { run: "true" }\n');
    const inPackage = { ...world, project: join(world.project, 'packages/a b') };
    const sarif = join(folder, 'out.sarif');
    expect(await verify({ sarif, format: 'github' }, inPackage)).toBe(1);
    expect(lines[0]).toMatch(/^::error file=packages\/a b\/untildone.yaml,line=2,title=t::/);
    const log = JSON.parse(readFileSync(sarif, 'utf8')) as unknown;
    expect(sarifProblems(log)).toEqual([]);
    expect(JSON.stringify(log)).toContain('packages/a%20b/untildone.yaml');
  });
  test.each([
    [{ contractFrom: 'nowhere' }, '"nowhere" is no commit, branch or tag of this repository'],
    [{ contractFrom: '--help' }, '"--help" is no commit'],
    [
      { contract: '../x.yaml' },
      '--contract-from reads a file of the repository, and ../x.yaml is not inside',
    ],
    [
      { contractFrom: undefined, onContractChange: 'fail' as const },
      '--on-contract-change goes with --contract-from COMMIT',
    ],
  ])('wrong use is refused: %j', async (options, message) => {
    await expect(verify(options)).rejects.toThrow(message);
  });
});

describe('reports', () => {
  const at = (name: string) => join(folder, name);

  test('a summary is added to its file, a SARIF file is written anew', async () => {
    writeFileSync(at('summary.md'), 'before\n');
    writeFileSync(at('out.sarif'), 'old');
    expect(await verify({ summary: at('summary.md'), sarif: at('out.sarif') })).toBe(1);
    const summary = readFileSync(at('summary.md'), 'utf8');
    expect(summary).toMatch(/^before\n## ❌ untildone: NOT done\n/);
    expect(sarifProblems(JSON.parse(readFileSync(at('out.sarif'), 'utf8')))).toEqual([]);
  });
  test('what could not be judged is told, too: a contract with mistakes, at their lines', async () => {
    write('untildone.yaml', 'gates:\n  a: { runn: x }\n');
    commit(world.project, 'wrong');
    git(world.project, 'branch', '-f', 'main');
    const options = { format: 'github', summary: at('summary.md'), sarif: at('out.sarif') } as const;
    await expect(verify(options)).rejects.toThrow('untildone.yaml:2');
    expect(lines).toEqual([
      expect.stringMatching(/^::error file=untildone.yaml,line=2,col=\d+,title=untildone::/),
    ]);
    expect(readFileSync(at('summary.md'), 'utf8')).toContain('## ⚠️ untildone: could not be judged\n');
    const log = JSON.parse(readFileSync(at('out.sarif'), 'utf8')) as unknown;
    expect(sarifProblems(log)).toEqual([]);
    expect(log).toMatchObject({ runs: [{ invocations: [{ executionSuccessful: false, exitCode: 2 }] }] });
  });
  test.each(['summary', 'sarif'])(
    '--%s that cannot be written is refused before anything runs',
    async (name) => {
      write('check.sh', 'touch ran\n');
      await expect(verify({ [name]: at('none/x') })).rejects.toThrow('there is no folder');
      expect(existsSync(join(world.project, 'ran'))).toBe(false);
    },
  );
});
