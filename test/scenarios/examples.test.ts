import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/files/workers.ts';
import { isLong } from '../support/long.ts';
import { commitAll, initRepository } from '../support/repository.ts';

/** The projects of examples/projects: `init` proposes their contract, and it is red before the work and green after it. */

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples/projects');

interface Example {
  /** What the first judging says. */
  fails: string;
  /** What only a long run judges: each compiles the project many times. */
  slow?: string[];
  /** Why the contract is not the proposed one, as its README says. */
  differs?: string;
}

const PROJECTS: Record<string, Example> = {
  typescript: { fails: 'hours' },
  python: { fails: 'test_signs_at_the_end' },
  go: { fails: 'TestDifferences', slow: ['proof'] },
  rust: { fails: 'in_order', slow: ['proof'] },
  docs: { fails: 'README.md:4: the link to docs/use.md leads nowhere', differs: 'added by hand' },
};

/** A toolchain comes from the system, or from a version manager that comes first, unless that has nothing to run here. */
function pathTo(program: string, ...args: string[]): string {
  const here = process.env.PATH ?? '';
  return spawnSync(program, args).status === 0 ? here : `/usr/bin:/bin:${here}`;
}

const PATHS: Record<string, () => string> = {
  python: () => pathTo('python3', '-m', 'pytest', '--version'),
  rust: () => pathTo('cargo', '--version'),
};

function play(name: string) {
  const folder = temporaryFolder();
  const project = join(folder, name);
  cpSync(join(EXAMPLES, name), project, { recursive: true });
  rmSync(join(project, 'untildone.yaml'));
  initRepository(project);
  // What npm install would put there.
  if (name === 'typescript') {
    mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules/typescript'), join(project, 'node_modules/typescript'));
    symlinkSync('../typescript/bin/tsc', join(project, 'node_modules/.bin/tsc'));
  }
  // Toolchains are found by the home of the user; only that of untildone is another.
  const { CLAUDECODE: _, ...env } = process.env;
  const PATH = PATHS[name]?.() ?? env.PATH;
  const untildone = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'dist/untildone.cjs'), ...args],
      {
        cwd: project,
        env: { ...env, PATH, UNTILDONE_HOME: join(folder, 'home'), CARGO_NET_OFFLINE: 'true' },
        encoding: 'utf8',
      },
    );
    return { status, said: stdout + stderr };
  };
  return { project, untildone };
}

describe.each(Object.entries(PROJECTS))('%s', (name, { fails, slow = [], differs }) => {
  test('its contract is the proposed one, red before the work and green after it', () => {
    const { project, untildone } = play(name);
    expect(untildone('init', '--yes').status).toBe(0);
    const proposed = readFileSync(join(project, 'untildone.yaml'), 'utf8');
    const checkedIn = readFileSync(join(EXAMPLES, name, 'untildone.yaml'), 'utf8');
    if (differs === undefined) expect(checkedIn).toBe(proposed);
    else {
      expect(readFileSync(join(EXAMPLES, name, 'README.md'), 'utf8')).toContain(differs);
      cpSync(join(EXAMPLES, name, 'untildone.yaml'), join(project, 'untildone.yaml'));
    }
    commitAll(project);

    const before = untildone('verify');
    expect(before.said).toContain(fails);
    expect({ ...before, said: before.said.trimEnd().split('\n').at(-1) }).toEqual({
      status: 1,
      said: 'untildone: NOT done',
    });

    execFileSync('git', ['apply', join(EXAMPLES, 'solutions', `${name}.patch`)], { cwd: project });
    const gates = /^done: \[(.*)\]$/m.exec(checkedIn)?.[1]?.split(', ') ?? [];
    const quick = slow.length === 0 || isLong ? [] : gates.filter((gate) => !slow.includes(gate));
    expect(untildone('verify', ...quick)).toEqual({
      status: 0,
      said: expect.stringContaining('untildone: done, and verified\n'),
    });
  });

  test('its README says the task in a few lines', () => {
    const readme = readFileSync(join(EXAMPLES, name, 'README.md'), 'utf8');
    expect(readme).toMatch(/^Task: \*.+\*$/m);
    expect(readme.split('\n').length).toBeLessThan(20);
  });
});

test('every project is played', () => {
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...Object.keys(PROJECTS), 'solutions'].sort());
});
