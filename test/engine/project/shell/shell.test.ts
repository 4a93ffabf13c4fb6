import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requireInEsm } from '../../../../scripts/esm-require.mjs';
import type { ShellCommand } from '../../../../src/engine/ports/ports.ts';
import { scrubbedEnvironment, systemShell } from '../../../../src/engine/project/shell/shell.ts';
import { cutOff, PATIENCE_MS } from '../../../support/patience.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-shell-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const shell = systemShell(process.env);

function run(command: string, more: Partial<ShellCommand> = {}) {
  return shell.run({ command, cwd: folder, timeoutMs: PATIENCE_MS, ...more });
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await wait(10);
  }
}

/** The number that a process wrote into a file of the test's folder. */
async function pidIn(name: string): Promise<number> {
  const path = join(folder, name);
  await until(() => existsSync(path) && /^\d+\n/.test(readFileSync(path, 'utf8')), `a pid in ${name}`);
  return Number(readFileSync(path, 'utf8'));
}

/** A zombie does not count as running. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('what a command gives back', () => {
  test('its exit code, its output and the hash of all of it', async () => {
    const result = await run('echo one; echo two >&2; exit 3', { oneStream: true });
    expect(result).toMatchObject({ exitCode: 3, output: 'one\ntwo\n', outputBytes: 8 });
    expect(result.outputSha256).toBe(sha256('one\ntwo\n'));
    expect(result.endedBy).toBeUndefined();
  });

  test('through one stream, stdout and stderr keep their order', async () => {
    const lines = Array.from({ length: 200 }, (_, i) => (i % 2 ? `echo ${i} >&2` : `echo ${i}`));
    const { output } = await run(lines.join('\n'), { oneStream: true });
    expect(output).toBe(Array.from({ length: 200 }, (_, i) => `${i}\n`).join(''));
  });

  test('stdout alone, for commands that answer in JSON', async () => {
    const result = await run('echo noise >&2; echo \'{"a":1}\'');
    expect(result.stdout).toBe('{"a":1}\n');
    expect(result.output).toContain('noise');
  });

  test('stderr alone, of a long one the end', async () => {
    const result = await run('echo out; echo first >&2; seq 1 50000 >&2; echo last >&2');
    expect(result.stderr).not.toContain('out\n');
    expect(result.stderr).not.toContain('first');
    expect(result.stderr).toMatch(/50000\nlast\n$/);
  });

  test('a missing command and one that may not be run have the exit codes of the shell', async () => {
    expect((await run('no-such-command-here')).exitCode).toBe(127);
    writeFileSync(join(folder, 'plain'), 'text', { mode: 0o644 });
    expect((await run('./plain')).exitCode).toBe(126);
  });

  test('a shell that is ended by a signal has no exit code', async () => {
    const result = await run('kill -KILL $$');
    expect(result.endedBy).toBe('signal');
    expect(result.exitCode).toBeUndefined();
  });

  test('a folder that is not there, and a command no system takes, are not started', async () => {
    const missing = await run('true', { cwd: join(folder, 'gone') });
    expect(missing.endedBy).toBe('not_started');
    expect(missing.output).toContain('there is no folder');
    expect((await run('echo a\0b')).endedBy).toBe('not_started');
    expect((await run(`: ${'x'.repeat(3_000_000)}`)).endedBy).toBe('not_started');
  });

  test('stdin is what was given, else empty', async () => {
    expect((await run('cat', { input: 'grüße\n' })).output).toBe('grüße\n');
    expect(await run('cat')).toMatchObject({ exitCode: 0, output: '' });
  });

  test('a command that does not read a long stdin ends as it pleases', async () => {
    expect(await run('exit 4', { input: 'x'.repeat(5_000_000) })).toMatchObject({ exitCode: 4 });
  });
});

describe('output without end', () => {
  test('the beginning and the end are kept, and the hash is over all of it', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `line ${i}\n`).join('');
    writeFileSync(join(folder, 'long'), lines);
    const result = await run('cat long');
    expect(result.outputBytes).toBe(lines.length);
    expect(result.outputSha256).toBe(sha256(lines));
    expect(result.output.length).toBeLessThan(82 * 1024);
    expect(result.output.startsWith('line 0\nline 1\n')).toBe(true);
    expect(result.output.endsWith('line 59998\nline 59999\n')).toBe(true);
    expect(result.output).toMatch(/\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/);
  });

  test('a cut never leaves half a character', async () => {
    writeFileSync(join(folder, 'euros'), '€'.repeat(60_000));
    const { output } = await run('cat euros');
    expect(output.replace(/\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/, '')).toMatch(/^€+$/);
  });

  test('the file holds 32 MiB and says that it was cut', async () => {
    const outputFile = join(folder, 'output', 'whole.txt');
    const result = await run('head -c 50000000 /dev/zero', { outputFile });
    expect(result.outputBytes).toBe(50_000_000);
    expect(result.outputSha256).toBe(sha256(Buffer.alloc(50_000_000)));
    const note = '\n[cut: only the first 33554432 bytes are kept]\n';
    expect(statSync(outputFile).size).toBe(33_554_432 + note.length);
    expect(readFileSync(outputFile).subarray(-note.length).toString()).toBe(note);
  });

  test('the file holds everything that is shorter, and replaces what was there', async () => {
    const outputFile = join(folder, 'whole.txt');
    await run('echo a much longer line', { outputFile });
    await run('echo one; echo two >&2', { outputFile, oneStream: true });
    expect(readFileSync(outputFile, 'utf8')).toBe('one\ntwo\n');
    expect(statSync(outputFile).mode & 0o777).toBe(0o600);
  });

  test('bytes that are no text become replacement characters', async () => {
    const result = await run("printf 'a\\377\\376b'");
    expect(result.output).toBe('a\uFFFD\uFFFDb');
    expect(result.outputSha256).toBe(sha256(Buffer.from([0x61, 0xff, 0xfe, 0x62])));
  });

  test('a flood does not keep the timeout from coming', async () => {
    const isFlood = (result: { outputBytes: number }) => result.outputBytes > 100_000;
    const result = await cutOff(300, (timeoutMs) => run('yes', { timeoutMs }), isFlood);
    expect(result.endedBy).toBe('timeout');
    expect(result).toSatisfy(isFlood);
  });
});

describe('a command that takes too long', () => {
  test('is ended with its children', async () => {
    const command = 'sleep 300 & echo $! > child; echo waiting; wait';
    const began = (result: { stdout: string }) => result.stdout !== '';
    const result = await cutOff(500, (timeoutMs) => run(command, { timeoutMs }), began);
    const child = await pidIn('child');
    expect(result).toMatchObject({ endedBy: 'timeout', stdout: 'waiting\n' });
    expect(result.exitCode).toBeUndefined();
    expect(result.durationMs).toBeGreaterThanOrEqual(400);
    expect(isAlive(child)).toBe(false);
  });

  test('costs nobody else anything', async () => {
    const other = run('echo $$ > other; sleep 300', { timeoutMs: PATIENCE_MS });
    const pid = await pidIn('other');
    expect((await run('sleep 300', { timeoutMs: 100 })).endedBy).toBe('timeout');
    expect(isAlive(pid)).toBe(true);
    process.kill(-pid, 'SIGKILL');
    expect((await other).endedBy).toBe('signal');
  });
});

/** Runs a command and ends it as soon as its process of that name has told its pid. */
async function abortOnce(name: string, command: string, ready: (pid: number) => boolean = isAlive) {
  const abort = new AbortController();
  const running = run(command, { signal: abort.signal });
  const pid = await pidIn(name);
  await until(() => ready(pid), `${name} to be ready`);
  abort.abort();
  return { result: await running, pid };
}

/** A daemon: its parent is none of the command's processes. */
function isOrphaned(pid: number): boolean {
  const parent = /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  try {
    return !readFileSync(`/proc/${parent}/environ`, 'latin1').includes('UNTILDONE_GATE=');
  } catch {
    return true;
  }
}

describe('an abort', () => {
  test('ends the command and its children', async () => {
    const { result, pid } = await abortOnce('child', 'sleep 300 & echo $! > child; wait');
    expect(result.endedBy).toBe('abort');
    expect(isAlive(pid)).toBe(false);
  });

  test('lets the command clean up first', async () => {
    const command = "trap 'echo cleaned; exit 0' TERM; echo $$ > self; while :; do sleep 0.02; done";
    const { result } = await abortOnce('self', command);
    expect(result).toMatchObject({ endedBy: 'abort', stdout: 'cleaned\n' });
  });

  test('ends for good what does not care', async () => {
    const command = "trap '' TERM; echo $$ > self; while :; do sleep 0.02; done";
    const { result, pid } = await abortOnce('self', command);
    expect(result.endedBy).toBe('abort');
    expect(isAlive(pid)).toBe(false);
  });

  const onLinux = test.runIf(process.platform === 'linux');

  onLinux('ends a child in a session of its own', async () => {
    const { pid } = await abortOnce('child', "setsid sh -c 'echo $$ > child; sleep 300' & wait");
    expect(isAlive(pid)).toBe(false);
  });

  onLinux('ends a process that was forked away from the tree', async () => {
    const command = "(setsid sh -c 'echo $$ > daemon; sleep 300' >/dev/null 2>&1 &); sleep 300";
    const { pid } = await abortOnce('daemon', command, isOrphaned);
    expect(isAlive(pid)).toBe(false);
  });

  onLinux('ends a child that threw its environment away', async () => {
    const { pid } = await abortOnce('bare', "env -i setsid sh -c 'echo $$ > bare; sleep 300' & wait");
    expect(isAlive(pid)).toBe(false);
  });

  onLinux('ends what is started only while it ends', async () => {
    const late = 'setsid sh -c "trap \'\' TERM; echo \\$\\$ > late; while :; do sleep 0.02; done"';
    const command = `trap '${late.replaceAll("'", "'\\''")} & sleep 300' TERM; echo $$ > self; while :; do sleep 0.02; done`;
    await abortOnce('self', command);
    expect(isAlive(await pidIn('late'))).toBe(false);
  });

  test('before the start means that nothing is started', async () => {
    const result = await run('touch started', { signal: AbortSignal.abort() });
    expect(result.endedBy).toBe('abort');
    expect(existsSync(join(folder, 'started'))).toBe(false);
  });

  test('after the end changes nothing', async () => {
    const abort = new AbortController();
    const result = await run('exit 0', { signal: abort.signal });
    abort.abort();
    expect(result.exitCode).toBe(0);
  });
});

describe('a process left in the background', () => {
  test('that holds stdout open keeps nobody waiting', async () => {
    const running = run('sleep 300 & echo $! > left; echo done', { timeoutMs: PATIENCE_MS });
    const left = await pidIn('left');
    try {
      expect(await running).toMatchObject({ exitCode: 0, output: 'done\n' });
      expect(isAlive(left)).toBe(true);
    } finally {
      process.kill(left, 'SIGKILL');
    }
  });

  test('with an output of its own delays nothing', async () => {
    const result = await run('sleep 300 >/dev/null 2>&1 & echo $! > left; exit 5');
    const left = await pidIn('left');
    process.kill(left, 'SIGKILL');
    expect(result.exitCode).toBe(5);
  });
});

describe('the environment of a command', () => {
  test('has no secrets of the client and nothing of untildone', () => {
    const scrubbed = scrubbedEnvironment({
      PATH: '/bin',
      HOME: '/home/ada',
      AWS_REGION: 'eu-central-1',
      ANTHROPIC_API_KEY: 'sk-ant-1',
      ANTHROPIC_BASE_URL: 'http://localhost',
      CLAUDECODE: '1',
      CLAUDE_CODE_SESSION_ID: 's',
      CLAUDE_PROJECT_DIR: '/p',
      UNTILDONE_HOME: '/h',
      GIT_DIR: '/elsewhere/.git',
      GIT_WORK_TREE: '/elsewhere',
      GIT_INDEX_FILE: '/elsewhere/index',
      GIT_AUTHOR_NAME: 'Ada',
      FORCE_COLOR: '3',
      TERM: 'xterm-256color',
      EMPTY: undefined,
    });
    expect(scrubbed).toEqual({
      PATH: '/bin',
      HOME: '/home/ada',
      AWS_REGION: 'eu-central-1',
      GIT_AUTHOR_NAME: 'Ada',
      TERM: 'dumb',
    });
  });

  test('gets back the certificates that the hook was started without', () => {
    expect(scrubbedEnvironment({ UNTILDONE_EXTRA_CA_CERTS: '/ca.pem' }).NODE_EXTRA_CA_CERTS).toBe('/ca.pem');
    expect(scrubbedEnvironment({ NODE_EXTRA_CA_CERTS: '/own.pem' }).NODE_EXTRA_CA_CERTS).toBe('/own.pem');
  });

  test('is what the command really sees, with what the contract adds', async () => {
    const scrubbing = systemShell({
      PATH: process.env.PATH,
      ANTHROPIC_API_KEY: 'secret',
      UNTILDONE_GATE: 'outer',
    });
    const { output } = await scrubbing.run({
      command: 'env',
      cwd: folder,
      timeoutMs: PATIENCE_MS,
      env: { MODE: 'ci' },
    });
    expect(output).toContain('MODE=ci\n');
    expect(output).not.toContain('secret');
    expect(output).toMatch(/^UNTILDONE_GATE=outer:[0-9a-f]{24}$/m);
  });
});

test('a process that exits while a command runs takes the command with it', async () => {
  const script = join(folder, 'exits.test-process.mts');
  const source = join(import.meta.dirname, '../../../../src/engine/project/shell/shell.ts');
  writeFileSync(
    script,
    `import { systemShell } from ${JSON.stringify(source)};
     import { existsSync } from 'node:fs';
     void systemShell(process.env).run({
       command: "trap '' TERM; echo $$ > stubborn; while :; do sleep 0.02; done",
       cwd: ${JSON.stringify(folder)}, timeoutMs: ${PATIENCE_MS},
     });
     const timer = setInterval(() => { if (existsSync(${JSON.stringify(join(folder, 'stubborn'))})) process.exit(0); }, 10);`,
  );
  const bundle = join(folder, 'exits.mjs');
  const { build } = await import('esbuild');
  await build({
    entryPoints: [script],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: requireInEsm(),
  });
  const result = await run(`${process.execPath} exits.mjs`);
  expect(result.exitCode).toBe(0);
  const stubborn = await pidIn('stubborn');
  await until(() => !isAlive(stubborn), 'the command to end');
});

describe('in a job of CI', () => {
  const job = {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: '/w',
    GITHUB_SHA: 'abc',
    RUNNER_OS: 'Linux',
    GITHUB_OUTPUT: '/t/o',
    GITHUB_STEP_SUMMARY: '/t/s',
    RUNNER_TEMP: '/t',
    ACTIONS_RUNTIME_URL: 'u',
    GITHUB_TOKEN: 's',
    GH_TOKEN: 's',
    CI_JOB_TOKEN: 's',
    CI_REPOSITORY_URL: 's',
    CI_JOB_JWT_V2: 's',
    SYSTEM_ACCESSTOKEN: 's',
    CIRCLE_OIDC_TOKEN: 's',
    BITBUCKET_STEP_OIDC_TOKEN: 's',
    BUILDKITE_AGENT_ACCESS_TOKEN: 's',
    CI_REGISTRY_PASSWORD: 's',
    NODE_AUTH_TOKEN: 's',
    MY_API_TOKEN: 'mine',
  };

  test('a command gets nothing by which it could speak for the job, and the rest', () => {
    expect(Object.keys(scrubbedEnvironment(job)).sort()).toEqual(
      ['CI', 'GITHUB_ACTIONS', 'GITHUB_SHA', 'GITHUB_WORKSPACE', 'MY_API_TOKEN', 'RUNNER_OS', 'TERM'].sort(),
    );
  });

  test('a program of yours that untildone asks, such as gh, keeps its token', () => {
    expect(scrubbedEnvironment(job, true)).toMatchObject({ GH_TOKEN: 's', GITHUB_TOKEN: 's' });
  });

  test('elsewhere such names are variables like all others', () => {
    const { CI: _, GITHUB_ACTIONS: __, ...local } = job;
    expect(scrubbedEnvironment(local)).toMatchObject({ GITHUB_TOKEN: 's', RUNNER_TEMP: '/t' });
  });
});
