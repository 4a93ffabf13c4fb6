/** Every file of a home after a few Stops, damaged as a power cut or another program does it. */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  call,
  type Ended,
  type FaultWorld,
  faultWorld,
  finish,
  removeWorld,
  stop,
  stopInput,
} from '../support/chaos/faults.ts';
import { isLong } from '../support/long.ts';

const worlds: FaultWorld[] = [];
beforeAll(async () => {
  worlds.push(...(await Promise.all(Array.from({ length: isLong ? 2 : 1 }, faultWorld))));
});
afterAll(() => worlds.forEach(removeWorld));

const DAMAGES: [string, (path: string) => void][] = [
  ['empty', (path) => truncateSync(path, 0)],
  ['half', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ['zeros', (path) => writeFileSync(path, Buffer.alloc(statSync(path).size))],
  ['garbage', (path) => writeFileSync(path, 'garbage\n{]\n')],
  ['gone', (path) => rmSync(path)],
];

/** What is lost with this file, so that you have to do something. You are told what. */
const TOLD: [RegExp, RegExp][] = [
  [/^key$/, /Restore it from a backup/],
  [/contract\.json$/, /untildone cancel/],
  [/trust\.json$/, /untildone trust/],
];
/** Without its marker a session is not held, and its hook never called. */
const MARKER = /^active\//;
/** The home's own script is the shell's, not the program's. */
const NOT_READ = /^hook\.sh$|^installs\/|\.tmp$/;
const OBJECT = /objects\/[0-9a-f]{2}\//;

function filesOf({ home }: FaultWorld): string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(home, name)).isFile() && !NOT_READ.test(name))
    .sort();
}

function answerIn({ code, stdout, stderr }: Ended): { held?: string; told?: string } {
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(code).toBe(0);
  const answer = JSON.parse(stdout || '{}') as { decision?: string; reason?: string; systemMessage?: string };
  return { held: answer.decision && answer.reason, told: answer.systemMessage };
}

/** A Stop of work that is done: verified now, or held and verified the second time; else you are told what to do. */
async function check(world: FaultWorld, name: string): Promise<void> {
  const expected = TOLD.find(([file]) => file.test(name))?.[1];
  const first = answerIn(await stop(world, 'done'));
  const status = isLong || expected ? await call(world, ['status']) : { stdout: '', stderr: '' };
  expect(`${status.stdout}${status.stderr}`).not.toMatch(/^\s+at /m);
  if (expected) {
    expect(`${first.held}${first.told}${status.stdout}${status.stderr}`).toMatch(expected);
    return;
  }
  if (first.held === undefined) expect(first.told).toContain('done, and verified');
  else {
    // What only the start had may be lost with an object. It is said, and never passes.
    const second = answerIn(await stop(world, 'done again'));
    if (OBJECT.test(name)) expect(`${second.held}${second.told}`).toMatch(/done, and verified|intact/);
    else expect(second.told).toContain('done, and verified');
  }
  if (isLong) expect(await call(world, ['start', 'more', '--session', 's3'])).toMatchObject({ stderr: '' });
}

test(
  'a damaged file is put right, or you are told what to do; nobody is let go unjudged',
  async () => {
    const [first] = worlds;
    if (!first) return;
    // Files of the same kind differ only in the names of a loop or an object.
    const names = filesOf(first);
    const objects = names.filter((name) => OBJECT.test(name));
    const few = names.filter((name) => !OBJECT.test(name) || objects.indexOf(name) < 1);
    // Every second one of them, and all that you are told about.
    const isPlayed = (name: string, i: number) => i % 2 === 0 || TOLD.some(([file]) => file.test(name));
    const cases = (isLong ? names : few).flatMap((name, i) =>
      DAMAGES.filter((_, d) => isLong || (isPlayed(name, i) && d === (i >> 1) % DAMAGES.length)).map(
        (damage) => ({
          name,
          damage,
        }),
      ),
    );
    expect(cases.length).toBeGreaterThan(DAMAGES.length);
    const wrong: string[] = [];
    const folder = (world: FaultWorld) => readdirSync(join(world.home, 'projects'))[0] ?? '';
    const loop = (world: FaultWorld) =>
      readdirSync(join(world.home, 'projects', folder(world), 'loops'))[0] ?? '';
    await Promise.all(
      worlds.map(async (world) => {
        for (let next = cases.shift(); next; next = cases.shift()) {
          const { name, damage } = next;
          world.restore();
          finish(world);
          const here = name
            .replace(first.project, world.project)
            .replaceAll(folder(first), folder(world))
            .replaceAll(loop(first), loop(world));
          if (MARKER.test(name) && damage[0] === 'gone') continue;
          try {
            damage[1](join(world.home, here));
            await check(world, name);
          } catch (error) {
            wrong.push(`${damage[0]} ${name}: ${(error as Error).message}`);
          }
        }
      }),
    );
    expect(wrong.join('\n\n')).toBe('');
  },
  isLong ? 3_600_000 : 120_000,
);

test('with umask 000 nobody else can read anything', async () => {
  const before = process.umask(0);
  let world: FaultWorld | undefined;
  try {
    world = await faultWorld();
    finish(world);
    expect((await stop(world, 'done')).stdout).toContain('done, and verified');
    const { home } = world;
    const open = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
      (name) => statSync(join(home, name)).mode & 0o077,
    );
    expect(open).toEqual([]);
    expect(readFileSync(join(home, 'key'), 'utf8')).not.toBe('');
  } finally {
    process.umask(before);
    if (world) removeWorld(world);
  }
});

test('a hold that stdout does not take is told on stderr, with exit code 2', () => {
  const [world] = worlds;
  if (!world || !existsSync('/dev/full')) return;
  world.restore();
  const full = openSync('/dev/full', 'w');
  try {
    const { status, stderr } = spawnSync(process.execPath, [world.hookEntry], {
      cwd: world.project,
      env: world.env,
      input: stopInput('not yet'),
      stdio: ['pipe', full, 'pipe'],
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('Fails: tests') });
  } finally {
    closeSync(full);
  }
});

test('a Stop that can never be recorded is held three times, then let go with a word', async () => {
  const [world] = worlds;
  if (!world) return;
  world.restore();
  const loops = join(world.home, 'projects', readdirSync(join(world.home, 'projects'))[0] ?? '', 'loops');
  const lock = join(loops, readdirSync(loops)[0] ?? '', 'lock');
  mkdirSync(lock);
  const kinds = [];
  for (let i = 0; i < 4; i++) kinds.push(Object.keys(JSON.parse((await stop(world, `try ${i}`)).stdout))[0]);
  expect(kinds).toEqual(['decision', 'decision', 'decision', 'systemMessage']);
  rmdirSync(lock);
  expect(JSON.parse((await stop(world, 'again')).stdout).reason).toContain('iteration 3');
});
