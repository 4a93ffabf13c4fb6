import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/test-tools.mjs');
const TOOLS = JSON.parse(readFileSync(SCRIPT.replace(/\.mjs$/, '.json'), 'utf8')) as Record<string, string[]>;
const isRoot = process.getuid?.() === 0;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-tools-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, text = ''): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** A Debian that writes down what it is asked for. */
function debian(exit = 0): void {
  program(
    'apt-get',
    `echo "$DEBIAN_FRONTEND $@" >>'${folder}/asked'; echo "E: Unable to locate" >&2; exit ${exit}`,
  );
}

function run() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], {
    env: { PATH: folder },
    encoding: 'utf8',
  });
  const asked = existsSync(join(folder, 'asked')) ? readFileSync(join(folder, 'asked'), 'utf8') : '';
  return { status, stdout, stderr, asked };
}

test('with every tool there, nothing is said and nothing is asked for', () => {
  debian();
  for (const [name = ''] of Object.values(TOOLS)) program(name);
  expect(run()).toEqual({ status: 0, stdout: '', stderr: '', asked: '' });
});

test('root installs from Debian what is missing, in one line, and nothing else', () => {
  debian();
  program('socat');
  const { status, stderr, asked } = run();
  expect(status).toBe(0);
  const line =
    'install -y --no-install-recommends bubblewrap python3-pytest golang-go cargo zsh fish chromium jq redis-server openssl';
  if (isRoot) {
    expect(stderr).toBe(`Installing what tests need: apt-get ${line}\n`);
    expect(asked).toBe(`noninteractive update\nnoninteractive ${line}\n`);
  } else {
    expect(stderr).toContain(`To install what is missing: apt-get ${line}`);
    expect(asked).toBe('');
  }
});

test.runIf(isRoot)('what cannot be installed is named, and the tests go on', () => {
  debian(100);
  const { status, stderr } = run();
  expect(status).toBe(0);
  expect(stderr).toContain(
    'apt-get could not install it (E: Unable to locate): tests that need it will fail.',
  );
});

test('without Debian it is said what is missing, and the tests go on', () => {
  const { status, stderr } = run();
  expect(status).toBe(0);
  expect(stderr).toContain(`Tests that need ${Object.keys(TOOLS).join(', ')} will fail.`);
});
