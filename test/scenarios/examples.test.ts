import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/files/workers.ts';
import { longTest } from '../support/long.ts';
import { commitAll, initRepository } from '../support/repository.ts';

/** The projects of examples/projects: `init` proposes their contract, and it is red before the work and green after it. */

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples/projects');

interface Example {
  /** What the first judging says. */
  fails: string;
  /** Judged in long runs alone: it is compiled, or tested, again and again. */
  slow?: true;
  /** Why the contract is not the proposed one, as its README says. */
  differs?: string;
}

const PROJECTS: Record<string, Example> = {
  typescript: { fails: 'hours', slow: true },
  python: { fails: 'test_signs_at_the_end', slow: true },
  go: { fails: 'TestDifferences', slow: true },
  rust: { fails: 'in_order', slow: true },
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

type Playing = ReturnType<typeof play>;

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

describe.each(Object.entries(PROJECTS))('%s', (name, { fails, slow, differs }) => {
  const proposedFor = ({ project, untildone }: Playing) => {
    expect(untildone('init', '--yes').status).toBe(0);
    const proposed = readFileSync(join(project, 'untildone.yaml'), 'utf8');
    const checkedIn = readFileSync(join(EXAMPLES, name, 'untildone.yaml'), 'utf8');
    if (differs === undefined) expect(checkedIn).toBe(proposed);
    else {
      expect(readFileSync(join(EXAMPLES, name, 'README.md'), 'utf8')).toContain(differs);
      cpSync(join(EXAMPLES, name, 'untildone.yaml'), join(project, 'untildone.yaml'));
    }
  };

  // The next one begins with it.
  (slow ? test : longTest)('its contract is the proposed one', () => proposedFor(play(name)));

  (slow ? longTest : test)('its contract is red before the work and green after it', () => {
    const playing = play(name);
    proposedFor(playing);
    const { project, untildone } = playing;
    commitAll(project);

    const before = untildone('verify');
    expect(before.said).toContain(fails);
    expect({ ...before, said: before.said.trimEnd().split('\n').at(-1) }).toEqual({
      status: 1,
      said: 'untildone: NOT done',
    });

    execFileSync('git', ['apply', join(EXAMPLES, 'solutions', `${name}.patch`)], { cwd: project });
    expect(untildone('verify')).toEqual({
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
