import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { World } from '../support/chaos/world.ts';
import { cli, stop as stopSession, useWorld, world as worldOfTest } from '../support/cli/cli.ts';
import { initRepository } from '../support/repository.ts';

useWorld();
let world: World;
beforeEach(() => {
  world = worldOfTest();
  initRepository(world.project);
});

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', [...identity, ...args], {
    cwd: world.project,
    env: world.env,
    encoding: 'utf8',
  });
}

function write(path: string, text: string): void {
  writeFileSync(join(world.project, path), text);
}

async function ok(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function approve(): Promise<void> {
  const shown = await ok('trust', '--show');
  await ok('trust', '--fingerprint', /Fingerprint: (\w+)/.exec(shown)?.[1] ?? '');
}

async function stop(message?: string): Promise<Record<string, string>> {
  return (await stopSession('s1', message)) ?? {};
}

test('a loop whose gates all pass already is held until something changed and they pass', async () => {
  // The gate writes a file at every judging: that is no work.
  write('untildone.yaml', 'gates:\n  tests: { run: "date +%Y > report.txt; test ! -e broken" }\n');
  write('.gitignore', 'ignored\n');
  await approve();
  const said = await ok('start', 'add a discount', '--session', 's1');
  expect(said).toContain('Every gate passes already, so the gate "changed" is asked for, too');
  expect(said).toContain('It ends when these gates pass: tests, changed.');
  expect(await ok('status')).toContain('changed: fail (claimed) nothing was changed since the start');
  expect((await stop('done')).reason).toContain('Every other gate passed before you began');
  write('ignored', 'x');
  git('commit', '--quiet', '--allow-empty', '-m', 'nothing');
  expect((await stop('really')).reason).toContain('Fails: changed - nothing was changed since the start');
  write('discount.js', 'x');
  write('broken', 'x');
  expect((await stop('look')).reason).toContain('Fails: tests');
  rmSync(join(world.project, 'broken'));
  expect((await stop('now')).systemMessage).toContain('every gate passed (tests, changed)');
  expect(await ok('receipt')).toContain('changed since the start');
});
test('a loop that was trusted only after its start is held once for what passes on the same tree', async () => {
  write('untildone.yaml', 'gates: { ok: { run: "true" } }\n');
  await ok('start', 'add a discount', '--session', 's1');
  await approve();
  expect((await stop('done')).reason).toContain('What passes now may have passed before you began');
  expect((await stop('there is nothing to do')).systemMessage).toContain('ended without proof: ok passed');
});
test('a loop goes on to ask for a change when its contract is updated', async () => {
  write('untildone.yaml', 'gates: { ok: { run: "true" } }\n');
  await approve();
  await ok('start', 'add a discount', '--session', 's1');
  write('untildone.yaml', 'gates: { ok: { run: "true" }, more: { run: test -n x } }\n');
  await approve();
  await ok('contract', 'update');
  expect((await stop('done')).reason).toContain('Fails: changed');
});

test('a start says what keeps the hooks from holding its session, and the command', async () => {
  const settings = (text: string) => {
    mkdirSync(join(world.project, '.claude'), { recursive: true });
    write('.claude/settings.json', text);
  };
  const said = async () => {
    const { stdout } = await cli(['start', 'x', '--session', 's1']);
    await ok('cancel');
    return stdout;
  };
  expect(await said()).toMatch(/WARNING: .*no hooks of untildone are installed.*untildone install/);
  await ok('install');
  expect(await said()).not.toContain('WARNING');
  const text = readFileSync(join(world.project, '.claude/settings.json'), 'utf8');
  settings(JSON.stringify({ ...JSON.parse(text), disableAllHooks: true }));
  expect(await said()).toMatch(/WARNING: .*"disableAllHooks" is true/);
  const { PermissionRequest: _, ...hooks } = JSON.parse(text).hooks;
  settings(JSON.stringify({ ...JSON.parse(text), hooks }));
  expect(await said()).toMatch(
    /WARNING: the installed hooks are those of an older version.*untildone install/,
  );
});
