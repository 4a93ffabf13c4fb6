import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { World } from '../support/chaos/world.ts';
import { cli, ok, stop, useWorld, world as worldOfTest } from '../support/cli/cli.ts';
import { few } from '../support/long.ts';
import { pathWithout } from '../support/project/walls.ts';
import { initRepository } from '../support/repository.ts';

useWorld();
let world: World;
beforeEach(() => {
  world = worldOfTest();
  initRepository(world.project);
});

const INSTALL = 'apt-get install bubblewrap socat';

/** From here on, this machine has bubblewrap or not. */
function machineHasWalls(has: boolean): void {
  const folder = join(world.folder, 'bin');
  if (!has && !existsSync(folder)) pathWithout(folder, 'bwrap', 'socat');
  world.env.PATH = has ? (process.env.PATH ?? '') : folder;
}

async function begin(contract: string, options = {}): Promise<{ shown: string; said: string }> {
  writeFileSync(join(world.project, 'untildone.yaml'), contract);
  const shown = await ok(['trust', '--show'], options);
  await ok(['trust', '--fingerprint', /Fingerprint: (\w+)/.exec(shown)?.[1] ?? ''], options);
  return { shown, said: await ok(['start', 'do it', '--session', 's1'], options) };
}

/** Tries everything that gate code must not do, and passes. */
const SPY = `cat "$UNTILDONE_KEY" >seen; cat ../home/key >>seen; echo x >>untildone.yaml; echo x >.git/hooks/post-commit; mkdir -p .claude; echo x >.claude/settings.json; echo x >../made; test -n "$PASSED" && echo "$API_TOKEN" >>seen; test -e work`;
const gates = (sandbox: string, more = '') =>
  `gates:\n  tests: { run: ${JSON.stringify(SPY)} }\nsandbox: ${sandbox}\n${more}`;

function spoils(): { seen: string; changed: string[] } {
  const seen = existsSync(join(world.project, 'seen'))
    ? readFileSync(join(world.project, 'seen'), 'utf8')
    : '';
  const paths = ['project/.git/hooks/post-commit', 'project/.claude/settings.json', 'made'];
  const changed = paths.filter((path) => existsSync(join(world.folder, path)));
  const contract = readFileSync(join(world.project, 'untildone.yaml'), 'utf8');
  return {
    seen: seen.trim(),
    changed: [...changed, ...(contract.endsWith('x\n') ? ['untildone.yaml'] : [])],
  };
}

function work(): void {
  writeFileSync(join(world.project, 'work'), 'x');
}

/** The walls of every command that the loops of this world rest on. */
function wallsInJournals(): string[] {
  const folder = join(world.home, 'projects');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('journal.jsonl'),
  );
  const text = names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  return [...text.matchAll(/"walls":"([^"]*)"/g)].map(([, name = '']) => name);
}

const secret = { env: { API_TOKEN: 'abc123secret', UNTILDONE_KEY: '/nonexistent' } };

describe.each(few(['required', 'preferred'], 1))('sandbox: %s with bubblewrap', (choice) => {
  test('gate code reads no key and writes nothing outside, and everybody is told which walls were up', async () => {
    const { shown, said } = await begin(gates(choice), secret);
    expect(shown).toContain(`Walls around these commands: bubblewrap (sandbox: ${choice})`);
    expect(said).toContain(`Walls around the commands of gates: bubblewrap (sandbox: ${choice})`);
    expect(await ok(['status'])).toContain(`walls: bubblewrap (sandbox: ${choice})`);
    work();
    expect((await stop('s1', 'done'))?.systemMessage).toContain('every gate passed');
    expect(spoils()).toEqual({ seen: '', changed: [] });
    expect(wallsInJournals()).toEqual(['bubblewrap']);
  });
});

describe('without bubblewrap', () => {
  beforeEach(() => machineHasWalls(false));

  test('required: nothing runs, and the session waits for a person, uncounted, until it is there', async () => {
    const { shown, said } = await begin(gates('required'));
    expect(shown).toContain('Walls around these commands: NONE (sandbox: required)');
    expect(said).toContain('tests: unproven now - not run: the contract requires walls');
    work();
    for (let i = 0; i < 3; i++) {
      const told = await stop('s1', `done ${i}`);
      expect(told?.decision).toBeUndefined();
      expect(told?.systemMessage).toContain(INSTALL);
    }
    expect(existsSync(join(world.project, 'seen'))).toBe(false);
    const status = await ok(['status']);
    expect(status).toContain('iteration 1 ');
    expect(status).toContain('waiting for you');
    expect(status).toContain(INSTALL);
    machineHasWalls(true);
    expect((await stop('s1', 'done'))?.systemMessage).toContain('every gate passed');
  });

  test('required: whatever the contract says about unproven gates, and verify does not pass', async () => {
    const contract = gates('required').replace('tests: { ', 'tests: { on_unproven: allow, ');
    await begin(contract);
    const { code, stdout } = await cli(['verify']);
    expect(code).not.toBe(0);
    expect(stdout).toContain(INSTALL);
    work();
    expect((await stop('s1', 'done'))?.systemMessage).toContain(INSTALL);
    expect(await ok(['status'])).toMatch(/active/);
  });

  test('preferred: commands run without, and everybody is told so', async () => {
    const { shown } = await begin(gates('preferred'));
    expect(shown).toMatch(
      /Walls around these commands: NONE \(sandbox: preferred\): .*; commands run without/,
    );
    expect(await ok(['status'])).toContain('walls: NONE');
    work();
    expect((await stop('s1', 'done'))?.decision ?? 'let go').toBeDefined();
    expect(spoils().changed).toContain('made');
  });
});

test('off: commands run without, as ever, and nothing is said about walls', async () => {
  const { shown, said } = await begin(gates('off'));
  expect(`${shown}${said}${await ok(['status'])}`).not.toMatch(/walls/i);
  work();
  await stop('s1', 'done');
  expect(spoils().changed).toContain('made');
});

test('the network is open for the gates that say so, and for no other', async () => {
  const count = 'test $(tail -n +3 /proc/net/dev | wc -l)';
  const more = readFileSync('/proc/net/dev', 'utf8').trim().split('\n').length - 2;
  const { shown } = await begin(
    `gates:\n  closed: { run: "${count} = 1" }\n  open: { run: "${count} = ${more}", network: true }\n  work: { run: test -e work }\nsandbox: required\n`,
  );
  expect(shown).toContain('; with network: open');
  work();
  expect((await stop('s1', 'done'))?.systemMessage).toContain('every gate passed');
  expect(wallsInJournals()).toEqual(['bubblewrap', 'bubblewrap with network', 'bubblewrap']);
});

test('a contract that loosens its walls has to be trusted again', async () => {
  const prints = new Set<string>();
  for (const line of ['', 'sandbox: required\n', 'sandbox: off\n', 'sandbox: required\nnetwork: true\n']) {
    writeFileSync(join(world.project, 'untildone.yaml'), `gates: { ok: { run: "true" } }\n${line}`);
    prints.add(/Fingerprint: (\w+)/.exec(await ok(['trust', '--show']))?.[1] ?? '');
  }
  expect(prints.size).toBe(4);
});

test('variables that may be secrets reach commands only where the contract passes them', async () => {
  mkdirSync(join(world.project, 'seen.d'));
  const run = (more: string) =>
    `gates:\n  env: { run: "echo got-$API_TOKEN >seen.d/env; test -e work" }\nsandbox: required\n${more}`;
  await begin(run(''), secret);
  expect(readFileSync(join(world.project, 'seen.d/env'), 'utf8')).toBe('got-\n');
  await ok(['cancel']);
  await begin(run('pass_env: [API_TOKEN]\n'), secret);
  expect(readFileSync(join(world.project, 'seen.d/env'), 'utf8')).toBe('got-abc123secret\n');
});
