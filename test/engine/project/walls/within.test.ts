import { spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ShellCommand } from '../../../../src/engine/ports/ports.ts';
import { systemShell } from '../../../../src/engine/project/shell/shell.ts';
import { cutOff, PATIENCE_MS } from '../../../support/patience.ts';
import { SecretiveHome } from '../../../support/project/walls.ts';

let home: SecretiveHome;
let room: string;
let temp: string;

beforeEach(() => {
  home = new SecretiveHome();
  room = join(home.untildone, 'rooms/0/project');
  mkdirSync(room, { recursive: true });
  temp = mkdtempSync(join(tmpdir(), 'untildone-walls-'));
});
afterEach(() => {
  home.remove();
  rmSync(temp, { recursive: true, force: true });
});

function run(
  command: string,
  more: Partial<ShellCommand> = {},
  { network = false, readOnly = [] as string[], writable = [room, temp] } = {},
) {
  const env = { ...home.env, TMPDIR: temp };
  const shell = systemShell(env, { ...home.walls(network), writable, readOnly });
  return shell.run({ command, cwd: room, timeoutMs: PATIENCE_MS, ...more });
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await wait(10);
  }
}

describe('what a command sees', () => {
  test('the system and its room, and no secret', async () => {
    writeFileSync(join(room, 'a'), 'in the room');
    expect((await run(`cat a '${home.root}/notes'`)).stdout).toBe('in the roomno secret');
    const { output } = await run(home.secrets.map((path) => `cat '${path}'`).join('; '));
    expect(output).not.toContain('a secret');
  });

  test('a hidden file reads as empty, so that programs which read it as settings go on', async () => {
    expect(await run(`cat '${home.root}/.npmrc'`)).toMatchObject({ exitCode: 0, output: '' });
  });

  test('no secret through links that lead out of the room', async () => {
    for (const [i, path] of home.secrets.entries()) symlinkSync(path, join(room, `link${i}`));
    symlinkSync(home.untildone, join(room, 'whole'));
    const { output } = await run('cat link* whole/key; ls -R whole/ .. ../..');
    expect(output).not.toContain('a secret');
    expect(output).not.toContain('.json');
  });

  test('no secrets behind a home that is a link, or behind a hidden folder that is one', async () => {
    const real = join(home.root, 'elsewhere');
    mkdirSync(real);
    writeFileSync(join(real, 'id'), 'a secret');
    rmSync(join(home.root, '.ssh'), { recursive: true });
    symlinkSync(real, join(home.root, '.ssh'));
    expect((await run(`cat '${real}/id' '${home.root}/.ssh/id'`)).output).not.toContain('a secret');
  });

  test('of a project that is a whole home, everything but its secrets', async () => {
    const { output } = await run(
      `cat notes .ssh/id_ed25519 .untildone/key; echo x >made`,
      { cwd: home.root },
      {
        writable: [home.root, temp],
      },
    );
    expect(output).toContain('no secret');
    expect(output).not.toContain('a secret');
    expect(existsSync(join(home.root, 'made'))).toBe(true);
  });

  test('a project below a hidden folder, and nothing of what lies beside it', async () => {
    const project = join(home.root, '.claude/worktrees/one');
    home.write(join(project, 'a'), 'work');
    const { output } = await run(
      // The two streams may arrive in any order, so that each line has to end by itself.
      'cat a; echo; cat ../../.credentials.json; ls ../..',
      { cwd: project },
      { writable: [project] },
    );
    expect(output).toContain('work');
    expect(output).not.toContain('a secret');
    expect(output).toMatch(/^worktrees$/m);
  });

  test('no other processes', async () => {
    const { stdout } = await run('ls /proc | grep -c "^[0-9]"');
    expect(Number(stdout.split('\n')[0])).toBeLessThan(10);
    expect((await run(`kill -0 ${process.pid}`)).exitCode).not.toBe(0);
    expect((await run(`cat /proc/${process.pid}/environ`)).exitCode).not.toBe(0);
  });
});

describe('what a command can change', () => {
  test('its room and its folder for temporary files, and nothing else', async () => {
    expect((await run(`echo x >made && echo y >"$TMPDIR/made" && echo z >/tmp/made-in-walls`)).exitCode).toBe(
      0,
    );
    expect(readFileSync(join(room, 'made'), 'utf8')).toBe('x\n');
    expect(readFileSync(join(temp, 'made'), 'utf8')).toBe('y\n');
    expect(existsSync('/tmp/made-in-walls')).toBe(false);
    const outside = [
      'outside',
      '.untildone/forged',
      '.claude/settings.json',
      '.ssh/authorized_keys',
      '.bashrc',
    ];
    for (const path of [
      ...outside.map((each) => join(home.root, each)),
      '/etc/forged',
      '/usr/bin/forged',
      '/var/tmp/x',
    ]) {
      await run(`mkdir -p "$(dirname '${path}')"; echo x >'${path}'`);
      expect(existsSync(path), path).toBe(false);
    }
  });

  test('nothing outside through a link or a hard link, nor by a rename', async () => {
    symlinkSync(home.root, join(room, 'out'));
    linkSync(join(home.root, 'notes'), join(room, 'own'));
    await run(`echo x >out/made; ln '${home.root}/notes' linked; mv out/notes . ; echo more >>linked`);
    expect(readdirSync(home.root)).not.toContain('made');
    expect(readFileSync(join(home.root, 'notes'), 'utf8')).toBe('no secret');
  });

  test('nothing that it may only read, and it cannot move that away with its folder', async () => {
    const git = join(room, '.git');
    mkdirSync(join(git, 'hooks'), { recursive: true });
    writeFileSync(join(git, 'config'), 'mine');
    const readOnly = [join(git, 'hooks'), join(git, 'config')];
    await run(
      'echo x >.git/config; echo x >.git/hooks/pre-commit; mv .git old; rm -rf .git; echo x >.git/index',
      {},
      {
        readOnly,
        writable: [room, git],
      },
    );
    expect(readFileSync(join(git, 'config'), 'utf8')).toBe('mine');
    expect(readdirSync(join(git, 'hooks'))).toEqual([]);
    expect(existsSync(join(git, 'index'))).toBe(true);
    expect(existsSync(join(room, 'old'))).toBe(false);
  });

  test('no walls: root has no rights left that would take them down', async () => {
    const tries = [
      `umount '${home.untildone}'`,
      `umount -l '${home.untildone}'`,
      'mount -o remount,rw /',
      'mount -o remount,bind,rw /',
      `unshare -rm sh -c "umount '${home.untildone}'; cat '${home.untildone}/key'"`,
      `unshare -m umount '${home.untildone}'`,
      'mknod disk b 8 0 && cat disk',
      'nsenter -t 1 -m cat /etc/hostname >/dev/null && chroot /proc/1/root cat key',
    ];
    const { output } = await run(`${tries.join('; ')}; cat '${home.untildone}/key'; echo x >/etc/forged`);
    expect(output).not.toContain('a secret');
    expect(existsSync('/etc/forged')).toBe(false);
    const rights = (await run('grep CapEff /proc/self/status')).stdout.split('\t')[1] ?? '';
    // Neither SYS_ADMIN (21), SYS_PTRACE (19), MKNOD (27), DAC_READ_SEARCH (2), NET_ADMIN (12) nor SYS_MODULE (16).
    for (const bit of [21, 19, 27, 2, 12, 16])
      expect((BigInt(`0x${rights.trim()}`) >> BigInt(bit)) & 1n).toBe(0n);
  });
});

describe('whom a command reaches', () => {
  const interfaces = `tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | sort | tr '\\n' ' '`;

  test('itself alone, unless the contract or the command opens the network', async () => {
    const outside = readFileSync('/proc/net/dev', 'utf8').trim().split('\n').length - 2;
    const count = async (...args: Parameters<typeof run>) =>
      (await run(...args)).stdout.trim().split(' ').length;
    expect((await run(interfaces)).stdout.trim()).toBe('lo');
    expect(await count(interfaces, {}, { network: true })).toBe(outside);
    expect(await count(interfaces, { network: true })).toBe(outside);
    expect((await run(interfaces, { network: false }, { network: true })).stdout.trim()).toBe('lo');
  });

  test('its own servers on loopback', async () => {
    const script = `const s=require('net').createServer(c=>c.end('hi')).listen(0,'127.0.0.1',()=>require('net').connect(s.address().port,'127.0.0.1').on('data',d=>{console.log(String(d));process.exit()}))`;
    expect((await run(`'${process.execPath}' -e "${script}"`)).stdout).toBe('hi\n');
  });

  /** A program outside that answers whoever connects. */
  async function listen(path: string): Promise<void> {
    const server: Server = createServer((socket) => socket.end('order taken'));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
  }
  const connect = (path: string) =>
    `'${process.execPath}' -e "require('net').connect('${path}').on('data',d=>console.log(String(d))).on('error',e=>console.log(e.code))"`;

  test.each([false, true])(
    'no socket of a program outside, wherever it lies (network: %s)',
    async (network) => {
      const path = join(home.root, 'daemon.sock');
      await listen(path);
      expect((await run(connect(path), {}, { network })).stdout).not.toContain('order taken');
    },
  );

  test('no abstract socket of a program outside', async () => {
    await listen(`\0untildone-test-${process.pid}`);
    const { stdout } = await run(connect(`\\0untildone-test-${process.pid}`));
    expect(stdout).toBe('ECONNREFUSED\n');
  });
});

describe('a command within walls ends as one without', () => {
  test('with its exit code, its streams and its input', async () => {
    expect(await run('exit 7')).toMatchObject({ exitCode: 7 });
    expect(await run('exit 255')).toMatchObject({ exitCode: 255 });
    expect(await run('nosuchprogram')).toMatchObject({ exitCode: 127 });
    expect(await run('echo one; echo two >&2; exit 3', { oneStream: true })).toMatchObject({
      exitCode: 3,
      output: 'one\ntwo\n',
      stdout: 'one\ntwo\n',
    });
    expect(await run('cat', { input: 'given' })).toMatchObject({ stdout: 'given', exitCode: 0 });
    expect(await run('cat')).toMatchObject({ stdout: '' });
    const outputFile = join(home.root, 'output.txt');
    await run('echo kept', { outputFile });
    expect(readFileSync(outputFile, 'utf8')).toBe('kept\n');
  });

  test('without an exit code when a signal ended it', async () => {
    expect(await run('kill -9 $$')).toMatchObject({ endedBy: 'signal' });
    expect((await run('kill -9 $$')).exitCode).toBeUndefined();
  });

  test('as not started where the walls do not come up, never with an exit code', async () => {
    const shell = systemShell(home.env, { ...home.walls(), writable: [] });
    const lost = join(room, 'lost');
    mkdirSync(lost);
    expect(await shell.run({ command: 'true', cwd: lost, timeoutMs: PATIENCE_MS })).toMatchObject({
      endedBy: 'not_started',
    });
  });

  test('cleans up when its time is over, and is ended for good when it does not care', async () => {
    const careful = 'trap "echo cleaned >cleaned; exit" TERM; while :; do sleep 0.05; done';
    const cleaned = () => existsSync(join(room, 'cleaned'));
    const ended = await cutOff(500, (timeoutMs) => run(careful, { timeoutMs }), cleaned);
    expect(ended).toMatchObject({ endedBy: 'timeout' });
    expect(readFileSync(join(room, 'cleaned'), 'utf8')).toBe('cleaned\n');
    const careless = `trap "" TERM; (trap "" TERM; while :; do date >"${temp}/beat"; sleep 0.02; done) & sleep 60`;
    expect(await run(careless, { timeoutMs: 300 })).toMatchObject({ endedBy: 'timeout' });
    await silence(join(temp, 'beat'));
  });

  test('and takes with it whatever it left running', async () => {
    const left = `(setsid sh -c 'while :; do date +%N >"${temp}/beat"; sleep 0.02; done' &) ; while ! test -e "${temp}/beat"; do sleep 0.02; done`;
    expect(await run(left)).toMatchObject({ exitCode: 0 });
    await silence(join(temp, 'beat'));
  });

  test('an abort ends it', async () => {
    const stop = new AbortController();
    const running = run('echo >began; sleep 60', { signal: stop.signal });
    await until(() => existsSync(join(room, 'began')), 'the command');
    stop.abort();
    expect(await running).toMatchObject({ endedBy: 'abort' });
  });

  test('and when the process that started it is killed', async () => {
    const [bwrap = '', ...args] = home
      .walls()
      .walls.around(['/bin/sh', '-c', 'while :; do date +%N >beat; sleep 0.02; done'], {
        cwd: room,
        writable: [room],
        hidden: [],
        network: false,
      });
    const starter = spawn('/bin/sh', ['-c', '"$@" & wait', 'sh', bwrap, ...args]);
    await until(() => existsSync(join(room, 'beat')), 'the command');
    starter.kill('SIGKILL');
    await silence(join(room, 'beat'));
  });

  /** Nothing writes to the file any more. */
  async function silence(path: string): Promise<void> {
    const look = () => (existsSync(path) ? readFileSync(path, 'utf8') : '');
    let before = look();
    let quiet = 0;
    await until(() => {
      const now = look();
      quiet = now === before ? quiet + 1 : 0;
      before = now;
      return quiet > 25;
    }, 'silence');
  }
});
