import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { trust } from '../../../src/cli/contract/trust.ts';
import { readContract } from '../../../src/engine/contract/read.ts';
import { createHome, homeAt, projectFolder } from '../../../src/engine/home/layout.ts';
import { recordTrust } from '../../../src/engine/home/trust.ts';
import { start } from '../../../src/engine/hook/start/start.ts';
import { openPorts } from '../../../src/engine/hook/wiring/ports.ts';
import type { ProjectPorts } from '../../../src/engine/hook/wiring/project-ports.ts';
import { freeze } from '../../../src/engine/judging/freeze-contract.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { temporaryFolder } from '../../support/files/workers.ts';
import { commitAll, initRepository } from '../../support/repository.ts';

let world: ProjectPorts;
beforeEach(() => {
  const folder = temporaryFolder();
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const project = join(folder, 'project');
  mkdirSync(project);
  initRepository(project);
  const env = { PATH: process.env.PATH, HOME: folder };
  const ports = openPorts(home, env, async () => judgeBundle);
  world = { ...ports, home, project, env, judges: ports.judges };
  write('untildone.yaml', 'gates:\n  tests: { run: ./check.sh }\n  intact: { tests_intact: true }\n');
  write('check.sh', '#!/bin/sh\nexit 0\n');
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(world.project, path)), { recursive: true });
  writeFileSync(join(world.project, path), text);
  chmodSync(join(world.project, path), 0o755);
}

async function shown(): Promise<string[]> {
  const lines: string[] = [];
  await trust({ show: true }, world, (line) => lines.push(line));
  return lines;
}

async function trustNow(): Promise<string[]> {
  const fingerprint = (await shown()).at(-1)?.replace('Fingerprint: ', '') ?? '';
  const lines: string[] = [];
  expect(await trust({ show: false, fingerprint }, world, (line) => lines.push(line))).toBe(0);
  return lines;
}

/** What is said about changes: the lines from the title to the fingerprint. */
async function changes(): Promise<string[]> {
  const lines = await shown();
  const from = lines.findIndex((line) => line.startsWith('Changed since you trusted it'));
  return from < 0 ? [] : lines.slice(from, -1);
}

test('the first time there is nothing to compare with', async () => {
  expect(await changes()).toEqual([]);
  await trustNow();
  expect(await changes()).toEqual([]);
});

test('the program that is to be written may change, a check may not, and you are shown which is which', async () => {
  write('untildone.yaml', 'gates:\n  tests: { run: ./check.sh }\n  cli: { run: node cli.js --help }\n');
  write('cli.js', 'console.log(process.argv)\n');
  await trustNow();
  expect((await shown()).slice(-3)).toEqual([
    'They also run these files, which count as the work: the agent may change them.',
    '  cli.js',
    expect.stringMatching(/^Fingerprint: /),
  ]);
  write('cli.js', 'console.log("help")\n');
  expect(await changes()).toEqual([]);
  expect(await trustNow()).toContain('Trusted already.');
  write('check.sh', 'true\n');
  expect(await changes()).not.toEqual([]);
  write('untildone.yaml', 'gates:\n  tests: { run: ./check.sh, work: [check.sh] }\n');
  expect(await shown()).toContain('  check.sh');
});

test('tests that were changed before the start are shown and recorded', async () => {
  write('test/a.test.js', 'one\ntwo\n');
  write('test/b.test.js', 'one\n');
  write('lib/code.js', 'one\n');
  await trustNow();
  commitAll(world.project);
  write('test/a.test.js', 'one\nthree\nfour\n');
  write('lib/code.js', 'two\n');
  write('test/new.test.js', 'one\n');
  rmSync(join(world.project, 'test/b.test.js'));
  const lines: string[] = [];
  await start({ task: 'x', session: 's', project: world.project }, world, (line) => lines.push(line));
  expect(lines).toEqual(
    expect.arrayContaining([
      '2 test files differ from the last commit. The loop takes the tests as they are now:',
      '  test/a.test.js: +2 -1',
      '  test/b.test.js: deleted',
    ]),
  );
  const ref = world.store.loopOfSession('s');
  expect(ref && world.store.read(ref).startedWith).toEqual({
    changedTests: [
      { path: 'test/a.test.js', added: 2, removed: 1 },
      { path: 'test/b.test.js', added: 0, removed: 1, deleted: true },
    ],
  });
});

test('what version 0.1.0 froze, and you trusted, stays trusted', async () => {
  write('untildone.yaml', 'gates:\n  cli: { run: node cli.js --help }\n  all: { run: sh test/run.sh }\n');
  write('cli.js', 'console.log(process.argv)\n');
  write('test/run.sh', 'exit 0\n');
  const { contract } = readContract(world.project) ?? {};
  if (!contract) throw new Error('no contract');
  const { formerly } = await freeze(contract, world.project, await world.judges(contract));
  recordTrust(world.home, world.project, formerly ?? '', 0);
  expect((await shown()).at(-1)).toBe(`Fingerprint: ${formerly}`);
  const lines: string[] = [];
  await start({ task: 'x', session: 's', project: world.project }, world, (line) => lines.push(line));
  expect(lines.join('\n')).not.toContain('NOT JUDGED YET');
});

test('what changed is named and shown, in the contract and in a script', async () => {
  await trustNow();
  write('untildone.yaml', 'gates:\n  tests: { run: ./check.sh --fast }\n  lint: { run: ./check.sh }\n');
  write('check.sh', '#!/bin/sh\ncurl example.test\nexit 0\n');
  expect(await changes()).toEqual([
    'Changed since you trusted it: gate tests, gate intact (gone), gate lint (new), done, check.sh',
    '  untildone.yaml',
    '    @@ -1,3 +1,3 @@',
    '     gates:',
    '    -  tests: { run: ./check.sh }',
    '    -  intact: { tests_intact: true }',
    '    +  tests: { run: ./check.sh --fast }',
    '    +  lint: { run: ./check.sh }',
    '  check.sh',
    '    @@ -1,2 +1,3 @@',
    '     #!/bin/sh',
    '    +curl example.test',
    '     exit 0',
  ]);
  await trustNow();
  expect(await changes()).toEqual([]);
});

test('what does not need trust is no change', async () => {
  await trustNow();
  write(
    'untildone.yaml',
    'task: Other words\ngates:\n  tests: { run: ./check.sh }\n  intact: { tests_intact: true }\n',
  );
  expect(await changes()).toEqual([]);
  expect((await trustNow()).at(-1)).toBe('Trusted already.');
});

test('control characters and secrets of a change do not reach the terminal', async () => {
  await trustNow();
  write('check.sh', `#!/bin/sh\n\u001b[2Jexit 0\nTOKEN=${'gh'}p_${'a1B2'.repeat(9)}\n`);
  const lines = (await changes()).join('\n');
  expect(lines).toContain('\\u{1b}[2Jexit 0');
  expect(lines).toContain('TOKEN=[redacted]');
  expect(lines).not.toContain('\u001b');
});

test('without the texts of an older version the names are said', async () => {
  await trustNow();
  rmSync(join(projectFolder(world.home, world.project), 'trusted-text.json'));
  write('check.sh', '#!/bin/sh\nexit 1\n');
  expect(await changes()).toEqual(['Changed since you trusted it: check.sh']);
});

test('texts that somebody else wrote into the home do not hide a change', async () => {
  await trustNow();
  write('check.sh', '#!/bin/sh\nexit 1\n');
  writeFileSync(
    join(projectFolder(world.home, world.project), 'trusted-text.json'),
    'x\n{"contract":"","parts":{}}\n',
  );
  expect(await changes()).toEqual(['Changed since you trusted it: check.sh']);
});

test('start names what changed', async () => {
  await trustNow();
  write('untildone.yaml', 'gates:\n  tests: { run: ./check.sh --fast }\n  intact: { tests_intact: true }\n');
  const lines: string[] = [];
  const options = { session: 's1', project: world.project, task: 'Do it', promise: 'ALL GREEN' };
  await start(options as Parameters<typeof start>[0], world, (line) => lines.push(line));
  expect(lines).toContain('Changed since you trusted it: gate tests');
});
