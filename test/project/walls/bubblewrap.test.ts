import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bubblewrap, secretsOf } from '../../../src/project/walls/bubblewrap.ts';

let home: string;
const room = () => join(home, '.untildone/rooms/0/project');

beforeEach(() => {
  // Not below /tmp, of which commands within walls have their own.
  home = mkdtempSync(join(homedir(), '.untildone-walls-test-'));
  mkdirSync(room(), { recursive: true });
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh/id'), 'a secret');
  writeFileSync(join(home, '.untildone/key'), 'a secret');
  writeFileSync(join(home, '.netrc'), 'a secret');
  writeFileSync(join(home, 'notes'), 'no secret');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function within(command: string, network = false) {
  const walls = bubblewrap();
  if ('problem' in walls) throw new Error(walls.problem);
  const hidden = secretsOf(home, join(home, '.untildone'));
  const words = walls.around(['/bin/sh', '-c', command], {
    cwd: room(),
    writable: [room()],
    hidden,
    network,
  });
  const [program = '', ...args] = words;
  const { stdout, status } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, HOME: home },
  });
  return { stdout: stdout.trim(), status };
}

test('a command reads the system and its room, and no secret', () => {
  writeFileSync(join(room(), 'a'), 'in the room');
  expect(within(`cat a '${home}/notes'`).stdout).toBe('in the roomno secret');
  for (const path of ['.ssh/id', '.untildone/key', '.netrc'])
    expect(within(`cat '${home}/${path}'`).stdout, path).toBe('');
});

test('a command writes to its room and to temporary files of its own, and nowhere else', () => {
  expect(within(`echo x >made && echo y >"/tmp/made-in-walls"`).status).toBe(0);
  expect(readFileSync(join(room(), 'made'), 'utf8')).toBe('x\n');
  expect(existsSync('/tmp/made-in-walls')).toBe(false);
  for (const path of [`${home}/outside`, `${home}/.untildone/forged`, '/etc/forged', `${tmpdir()}/x`]) {
    within(`echo x >'${path}'`);
    expect(existsSync(path), path).toBe(false);
  }
});

test('a command has no network unless it is allowed one, and sees no other processes', () => {
  const interfaces = `tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | sort | tr '\\n' ' '`;
  expect(within(interfaces).stdout).toBe('lo');
  expect(within(interfaces, true).stdout).toBe(
    readFileSync('/proc/net/dev', 'utf8')
      .trim()
      .split('\n')
      .slice(2)
      .map((line) => line.split(':')[0]?.trim())
      .sort()
      .join(' '),
  );
  expect(within(`kill -0 ${process.pid}`).status).not.toBe(0);
});

test('the exit code is that of the command', () => {
  expect(within('exit 7').status).toBe(7);
});
