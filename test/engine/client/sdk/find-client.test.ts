import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  cleanEnvironment,
  findClaude,
  prepareClientHome,
} from '../../../../src/engine/client/sdk/find-client.ts';

const SDK = '@anthropic-ai/claude-agent-sdk';
const PLATFORM = `${SDK}-${process.platform}-${process.arch}`;
const NAME = process.platform === 'win32' ? 'claude.exe' : 'claude';

async function scratchFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'untildone-client-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function executable(...path: string[]): Promise<string> {
  const file = join(...path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '#!/bin/sh\n');
  await chmod(file, 0o755);
  return file;
}

describe('the client is found', () => {
  test('where the given path says, and nowhere else', async () => {
    const folder = await scratchFolder();
    const path = await executable(folder, 'my claude');
    expect(findClaude(path)).toEqual({ path, source: 'given' });
    expect(findClaude(join(folder, 'missing'))).toBeUndefined();
    expect(findClaude(folder)).toBeUndefined();
    await chmod(path, 0o644);
    expect(findClaude(path)).toBeUndefined();
  });

  test('on PATH when a bare name is given', async () => {
    const folder = await scratchFolder();
    const path = await executable(folder, 'claude-next');
    expect(findClaude('claude-next', { searchPath: folder })).toEqual({ path, source: 'given' });
  });

  test('on PATH before the bundled one, unless that is preferred', async () => {
    const [empty, folder] = [await scratchFolder(), await scratchFolder()];
    const path = await executable(folder, NAME);
    const searchPath = [empty, folder].join(delimiter);
    expect(findClaude(undefined, { searchPath })).toEqual({ path, source: 'PATH' });
    expect(findClaude(undefined, { searchPath, preferBundled: true })).toMatchObject({ source: 'bundled' });
    expect(findClaude(undefined, { searchPath: empty })).toMatchObject({ source: 'bundled' });
  });
});

describe('the finder, bundled as CommonJS, finds the client of the SDK', () => {
  /** What the finder says when its bundle lies in `<package>/dist`. */
  async function foundFrom(packageFolder: string, searchPath = '', cwd = tmpdir()): Promise<unknown> {
    const outfile = join(packageFolder, 'dist', 'bundle.cjs');
    await build({
      entryPoints: [
        fileURLToPath(new URL('../../../../src/engine/client/sdk/find-client.ts', import.meta.url)),
      ],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logOverride: { 'empty-import-meta': 'silent' },
    });
    const ask = `const { findClaude } = require(process.argv[1]);
      console.log(JSON.stringify(findClaude(undefined, { searchPath: process.argv[2] }) ?? null));`;
    const said = execFileSync(process.execPath, ['-e', ask, outfile, searchPath], { cwd, encoding: 'utf8' });
    return JSON.parse(said);
  }

  test('beside itself, as npm installs it', async () => {
    const folder = await scratchFolder();
    const path = await executable(folder, 'node_modules', PLATFORM, NAME);
    expect(await foundFrom(join(folder, 'node_modules', 'untildone'))).toEqual({ path, source: 'bundled' });
  });

  test('beside the SDK, as package managers with a store install it', async () => {
    const folder = await scratchFolder();
    const store = join(folder, 'store', 'node_modules');
    const path = await executable(store, PLATFORM, NAME);
    await mkdir(join(store, SDK), { recursive: true });
    await writeFile(join(store, SDK, 'package.json'), '{ "exports": { ".": { "default": "./sdk.mjs" } } }');
    await writeFile(join(store, SDK, 'sdk.mjs'), '');
    await mkdir(join(folder, 'node_modules', '@anthropic-ai'), { recursive: true });
    await symlink(join(store, SDK), join(folder, 'node_modules', SDK));
    expect(await foundFrom(folder)).toEqual({ path, source: 'bundled' });
  });

  test('of the other C library, when only that is there; where there is one C library, not at all', async () => {
    const folder = await scratchFolder();
    const path = await executable(folder, 'node_modules', `${PLATFORM}-musl`, NAME);
    const expected = process.platform === 'linux' ? { path, source: 'bundled' } : null;
    expect(await foundFrom(folder)).toEqual(expected);
  });

  test('of the C library of this machine, when both are there', async () => {
    const folder = await scratchFolder();
    const plain = await executable(folder, 'node_modules', PLATFORM, NAME);
    const musl = await executable(folder, 'node_modules', `${PLATFORM}-musl`, NAME);
    const report = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
    const onMusl = process.platform === 'linux' && !report.header.glibcVersionRuntime;
    expect(await foundFrom(folder)).toEqual({ path: onMusl ? musl : plain, source: 'bundled' });
  });

  test('or nothing, when it is not installed', async () => {
    expect(await foundFrom(await scratchFolder())).toBeNull();
  });

  test('and never one in a relative entry of PATH', async () => {
    const [empty, project] = [await scratchFolder(), await scratchFolder()];
    const path = await executable(project, 'bin', NAME);
    await executable(project, NAME);
    expect(await foundFrom(empty, ['bin', './bin', '', '.'].join(delimiter), project)).toBeNull();
    expect(await foundFrom(empty, join(project, 'bin'), project)).toEqual({ path, source: 'PATH' });
  });
});

describe('the clean environment', () => {
  test('takes nothing of this process along but PATH and TMPDIR', () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'a real one');
    vi.stubEnv('CLAUDE_CONFIG_DIR', '/somewhere');
    vi.stubEnv('HTTPS_PROXY', 'http://proxy');
    vi.stubEnv('ANTHROPIC_API_KEY', 'a real key');
    vi.stubEnv('TMPDIR', '/scratch');
    const environment = cleanEnvironment({ home: '/h', baseUrl: 'http://127.0.0.1:1' });
    expect(environment).toEqual({
      PATH: process.env.PATH,
      TMPDIR: '/scratch',
      HOME: '/h',
      LANG: 'C.UTF-8',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      ANTHROPIC_API_KEY: expect.stringContaining('simulated'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
      DISABLE_AUTOUPDATER: '1',
    });
  });

  test('is added to and taken from by its caller', () => {
    const extra = { UNTILDONE_HOME: '/u', DISABLE_AUTOUPDATER: undefined, LANG: 'de' };
    const environment = cleanEnvironment({ home: '/h', baseUrl: 'http://x', extra });
    expect(environment).toMatchObject({ UNTILDONE_HOME: '/u', LANG: 'de' });
    expect(environment).not.toHaveProperty('DISABLE_AUTOUPDATER');
  });
});

test('a prepared home has the first questions of the client answered', async () => {
  const home = join(await scratchFolder(), 'new', 'home');
  prepareClientHome(home, ['/p']);
  const answers = JSON.parse(await readFile(join(home, '.claude.json'), 'utf8'));
  const { ANTHROPIC_API_KEY = '' } = cleanEnvironment({ home, baseUrl: '' });
  expect(answers).toMatchObject({
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: [ANTHROPIC_API_KEY.slice(-20)] },
    projects: { '/p': { hasTrustDialogAccepted: true } },
  });
});
