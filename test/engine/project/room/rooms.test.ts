import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Contract, RoomRule } from '../../../../src/engine/core/contract/contract.ts';
import { DEFAULT_LIMITS } from '../../../../src/engine/core/contract/contract.ts';
import { sha256 } from '../../../../src/engine/files/digest.ts';
import type { Room } from '../../../../src/engine/ports/rooms.ts';
import { type RoomsWorld, roomsOf, startsOf } from '../../../../src/engine/project/room/rooms.ts';
import { keepStart } from '../../../../src/engine/project/room/start.ts';
import { openWorkspace } from '../../../../src/engine/project/trees/workspace.ts';
import { waitFor } from '../../../support/live/processes.ts';
import { few } from '../../../support/long.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { SecretiveHome } from '../../../support/project/walls.ts';
import { initRepository } from '../../../support/repository.ts';

let home: SecretiveHome;
let project: string;
let bin: string;
let env: NodeJS.ProcessEnv;
const opened: Room[] = [];

beforeEach(() => {
  home = new SecretiveHome();
  project = join(home.root, 'work/project');
  bin = join(home.root, 'bin');
  for (const folder of [project, bin]) mkdirSync(folder, { recursive: true });
  initRepository(project);
  program(join(bin, 'tool'), 'echo the tool');
  write('.gitignore', '.venv/\n.env.test\n');
  write('.env.test', 'PORT=1\n');
  write('a.txt', 'a\n');
  env = { PATH: `${bin}:${process.env.PATH}`, HOME: home.root, COLOUR: 'green', DEPLOY_TOKEN: 'hush' };
});

afterEach(async () => {
  for (const room of opened.splice(0)) await room.dispose();
  home.remove();
});

function write(path: string, text: string): void {
  home.write(join(project, path), text);
}

function program(path: string, line: string): void {
  home.write(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}

const folder = () => join(home.untildone, 'projects/p');

function world(rule: Partial<RoomRule>, more: Partial<RoomsWorld> = {}): RoomsWorld {
  const room: RoomRule = { choice: 'clean', ...rule };
  const contract: Contract = {
    v: 1,
    gates: {},
    done: [],
    notify: [],
    onContext: 'continue',
    limits: DEFAULT_LIMITS,
    room,
  };
  const shadowDir = join(folder(), 'shadow.git');
  return { project, contract, folder: folder(), shadowDir, key: 'a key', env, ...more };
}

/** Keeps the start now; the room is opened later, when things may have changed. */
function begun(rule: Partial<RoomRule> = {}, more: Partial<RoomsWorld> = {}) {
  const start = keepStart(
    project,
    { needs: rule.needs ?? [], ...(rule.setup?.found ? { found: rule.setup.found } : {}) },
    env,
    startsOf(world(rule)),
  );
  return (now: NodeJS.ProcessEnv = env) => open(world(rule, { start, env: now, ...more }));
}

async function open(of: RoomsWorld): Promise<Room> {
  const { shadowDir } = of;
  const workspace = openWorkspace({ project, shadowDir, indexFile: join(folder(), 'index') });
  const room = await roomsOf(of).open({ tree: await workspace.tree() });
  opened.push(room);
  return room;
}

async function output(room: Room, command: string): Promise<string> {
  const { output: said } = await room.shell.run({ command, cwd: room.dir, timeoutMs: PATIENCE_MS });
  return said.trim();
}

describe('the environment', () => {
  test('is that of the start, whatever came later', async () => {
    const later = begun();
    const room = await later({ ...env, COLOUR: 'red', NODE_OPTIONS: '--require ./shim.js' });
    expect(await output(room, 'echo "$COLOUR $NODE_OPTIONS"')).toBe('green');
    expect(await output(room, 'echo $HOME')).not.toBe(home.root);
  });

  test('has no secrets, which are not even written to disk', async () => {
    const room = await begun()();
    expect(await output(room, 'echo "[$DEPLOY_TOKEN]"')).toBe('[]');
    const kept = readdirSync(join(folder(), 'starts')).filter((name) => name.endsWith('.json'));
    for (const name of kept)
      expect(readFileSync(join(folder(), 'starts', name), 'utf8')).not.toContain('hush');
  });

  test('has a secret that is asked for, as long as it is the one of the start', async () => {
    const later = begun({ passEnv: ['DEPLOY_TOKEN'] });
    expect(await output(await later(), 'echo $DEPLOY_TOKEN')).toBe('hush');
    await expect(later({ ...env, DEPLOY_TOKEN: 'other' })).rejects.toThrow('DEPLOY_TOKEN');
  });

  test('leads into the room where it led into the project', async () => {
    env = { ...env, PYTHONPATH: `${project}/lib:/usr/lib/x`, VIRTUAL_ENV: `${project}/.venv` };
    const room = await begun()();
    expect(await output(room, 'echo "$PYTHONPATH $VIRTUAL_ENV"')).toBe('lib:/usr/lib/x .venv');
  });
});

describe('PATH', () => {
  test('leads to the programs of the start', async () => {
    expect(await output(await begun()(), 'tool')).toBe('the tool');
  });

  test.each(
    few<[string, () => void]>(
      [
        ['is written anew', () => program(join(bin, 'tool'), 'echo a shim')],
        ['stands before one of the system', () => program(join(bin, 'git'), 'exit 0')],
        ['is removed', () => rmSync(join(bin, 'tool'))],
      ],
      2,
    ),
  )('says so when a program %s', async (_, change) => {
    const later = begun();
    change();
    await expect(later()).rejects.toThrow('programs on PATH are not those of the start');
  });

  test('does not mind a program that has the same content, or a new one', async () => {
    const later = begun();
    rmSync(join(bin, 'tool'));
    program(join(bin, 'tool'), 'echo the tool');
    program(join(bin, 'brand-new'), 'true');
    expect(await output(await later(), 'tool')).toBe('the tool');
  });

  describe('of a large program', () => {
    beforeEach(() => {
      env = { ...env, PATH: bin };
    });
    const large = (word: string) => program(join(bin, 'large'), `echo ${word}\n#${'x'.repeat(200_000)}`);
    const changedSince = async (change: () => void) => {
      large('first');
      const stat = statSync(join(bin, 'large'));
      const later = begun();
      change();
      // The kernel may give two changes within one tick the same time.
      await waitFor(() => {
        chmodSync(join(bin, 'large'), 0o755);
        return statSync(join(bin, 'large')).ctimeMs !== stat.ctimeMs;
      });
      utimesSync(join(bin, 'large'), stat.atime, stat.mtime);
      return later();
    };

    test.each<[string, () => void]>([
      ['another name for it', () => linkSync(join(bin, 'large'), join(home.root, 'backup'))],
      ['the same content, written anew', () => large('first')],
    ])('%s is no change', async (_, change) => {
      expect(await output(await changedSince(change), 'large')).toBe('first');
    });

    test.each<[string, () => void]>([
      ['another content of the same size and time', () => large('other')],
      ['another size', () => large('longer')],
      [
        'a link to the same content elsewhere',
        () => {
          mkdirSync(join(home.root, 'elsewhere'));
          renameSync(join(bin, 'large'), join(home.root, 'elsewhere/large'));
          symlinkSync(join(home.root, 'elsewhere/large'), join(bin, 'large'));
        },
      ],
      [
        'a digest that others wrote',
        () => {
          const file = join(folder(), 'starts/program-digests');
          const [seal, body = ''] = readFileSync(file, 'utf8').split('\n');
          large('other');
          const digest = sha256(readFileSync(join(bin, 'large')));
          const forged = Object.fromEntries(Object.keys(JSON.parse(body)).map((name) => [name, digest]));
          writeFileSync(file, `${seal}\n${JSON.stringify(forged)}\n`);
        },
      ],
    ])('%s is one', async (_, change) => {
      await expect(changedSince(change)).rejects.toThrow(
        'programs on PATH are not those of the start: large',
      );
    });

    test('a digest that is not known is learnt by a later judging, while the program is as it was', async () => {
      large('first');
      const later = begun();
      rmSync(join(folder(), 'starts/program-digests'));
      await later();
      linkSync(join(bin, 'large'), join(home.root, 'backup'));
      expect(await output(await later(), 'large')).toBe('first');
    });
  });

  test('leaves out folders of the project that git knows; others lie in the room', async () => {
    env = { ...env, PATH: `${project}/scripts:${project}/.venv/bin:${env.PATH}` };
    program(join(project, 'scripts/tool'), 'echo a shim');
    const room = await begun()();
    expect(await output(room, 'tool')).toBe('the tool');
    expect(await output(room, 'echo $PATH')).toMatch(/^\.venv\/bin:/);
  });
});

describe('files that git ignores', () => {
  test('are absent, or as they were at the start', async () => {
    expect(existsSync(join((await begun()()).dir, '.env.test'))).toBe(false);
    const later = begun({ needs: ['.env.test'] });
    write('.env.test', 'PORT=2\n');
    expect(await output(await later(), 'cat .env.test')).toBe('PORT=1');
  });

  test('that were missing at the start are named', async () => {
    await expect(begun({ needs: ['.env.gone'] })()).rejects.toThrow('there was no file .env.gone');
  });

  test('are as they are now where no loop began', async () => {
    expect(await output(await open(world({ needs: ['.env.test'] })), 'cat .env.test')).toBe('PORT=1');
  });
});

describe('settings above the rooms', () => {
  test.each(
    few(
      [
        ['pytest.ini', '[pytest]\naddopts = -k nothing\n'],
        ['node_modules/vitest/index.js', ''],
        ['.cargo/config.toml', '[build]\n'],
        ['go.work', 'go 1.22\n'],
        ['tsconfig.json', '{}'],
      ] as const,
      2,
    ),
  )('that came since the start are refused: %s', async (path, text) => {
    const later = begun();
    home.write(join(home.root, path), text);
    await expect(later()).rejects.toThrow('settings above the clean rooms are not those of the start');
  });

  test('that were there at the start stay, unless they change', async () => {
    home.write(join(home.root, 'pytest.ini'), '[pytest]\n');
    const later = begun();
    await expect(later()).resolves.toBeDefined();
    home.write(join(home.root, 'pytest.ini'), '[pytest]\naddopts = -k nothing\n');
    await expect(later()).rejects.toThrow('pytest.ini');
    rmSync(join(home.root, 'pytest.ini'));
    await expect(later()).rejects.toThrow('pytest.ini');
  });
});

describe('settings of package managers', () => {
  const setup = { run: ['cat "$HOME/.npmrc" >seen'], inputs: ['a.txt'] };

  test.each(['a loop', 'no loop'])('are there for the setup and for nothing else: %s', async (how) => {
    const room = how === 'a loop' ? await begun({ setup })() : await open(world({ setup }));
    expect(await output(room, 'cat seen; echo; cat "$HOME/.npmrc" 2>&1 | grep -c "No such"')).toBe(
      'a secret\n1',
    );
  });

  test('that changed since the start are refused', async () => {
    const later = begun({ setup });
    writeFileSync(join(home.root, '.npmrc'), 'script-shell=./shim');
    await expect(later()).rejects.toThrow('~/.npmrc is not what it was');
  });
});

test('what was kept of the start counts only as it was written', async () => {
  const later = begun();
  const starts = join(folder(), 'starts');
  const file = join(starts, readdirSync(starts)[0] ?? '');
  writeFileSync(file, readFileSync(file, 'utf8').replace('green', 'other'));
  await expect(later()).rejects.toThrow('lost or was changed');
});

test('within walls, commands of a room reach neither secrets nor anything outside', async () => {
  const setup = { run: [`cat '${home.root}/.untildone/key' >stolen 2>&1; true`], inputs: ['a.txt'] };
  const room = await begun({ setup }, { walls: home.walls() })();
  expect(room.walls).toContain('bubblewrap');
  expect(await output(room, 'cat a.txt stolen')).not.toContain('a secret');
  const tried = home.secrets.map((path) => `cat '${path}'`).join('; ');
  expect(await output(room, `${tried}; echo forged >'${project}/a.txt'`)).not.toContain('a secret');
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('a\n');
  expect(await output(room, 'echo made >own; cat own; tool')).toBe('made\nthe tool');
});
