import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunRules } from '../../../../src/engine/core/contract/contract.ts';
import type { ProjectPorts } from '../../../../src/engine/hook/wiring/project-ports.ts';
import type { ShellCommand } from '../../../../src/engine/ports/ports.ts';
import { prepareWorktree } from '../../../../src/engine/run/begin/setup.ts';
import { contractWith, run } from '../../../support/hook/judging.ts';

function scene(setup: RunRules['setup'], exitCodes: Record<string, number> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ran: ShellCommand[] = [];
  const notes: string[] = [];
  const shell = {
    run: async (command: ShellCommand) => {
      ran.push(command);
      return {
        exitCode: exitCodes[command.command] ?? 0,
        output: `added 12 packages\napi_key=abcd1234efgh\n`,
        durationMs: 1200,
      };
    },
  };
  const contract = { ...contractWith({ tests: run('npm test') }), ...(setup ? { run: { setup } } : {}) };
  const go = () =>
    prepareWorktree({
      contract,
      folder,
      outputDir: '/out',
      note: (line: string) => void notes.push(line),
      world: { judges: async () => ({ shell }) } as never as ProjectPorts,
      interrupts: { atOnce: new AbortController().signal },
    });
  return { folder, ran, notes, go };
}

describe('a fresh worktree', () => {
  test('is prepared by the commands of the contract, one after the other, and you see it', async () => {
    const { go, ran, notes, folder } = scene({ run: ['npm ci', 'make gen'] });
    await go();
    expect(ran.map(({ command, cwd }) => ({ command, cwd }))).toEqual([
      { command: 'npm ci', cwd: folder },
      { command: 'make gen', cwd: folder },
    ]);
    expect(notes).toContain(`Preparing ${folder}: npm ci`);
    expect(notes).toContain('  added 12 packages');
    expect(notes.join('\n')).not.toContain('abcd1234');
  });

  test('that cannot be prepared ends the run before it begins, with what to do', async () => {
    const { go, ran } = scene({ run: ['npm ci', 'make gen'] }, { 'npm ci': 1 });
    await expect(go()).rejects.toThrow(
      /"npm ci" ended with exit code 1, so nothing was begun and nothing spent; .*untildone.yaml.*\/out\/setup-1.txt/,
    );
    expect(ran).toHaveLength(1);
  });

  test.each([
    ['package-lock.json', 'npm ci'],
    ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
    ['yarn.lock', 'yarn install --frozen-lockfile'],
    ['bun.lock', 'bun install --frozen-lockfile'],
    ['other', 'npm install'],
  ])('without its packages names the line to add (%s)', async (lock, install) => {
    const { go, notes, folder } = scene(undefined);
    writeFileSync(join(folder, 'package.json'), '{"devDependencies":{"vitest":"1"}}');
    writeFileSync(join(folder, lock), '');
    await go();
    expect(notes).toEqual([expect.stringContaining(`add to untildone.yaml: run: { setup: ${install} }`)]);
  });

  test.each(['{}', '{"dependencies":{}}', 'no json', '{"dependencies":null}'])(
    'that needs no packages needs no line: %s',
    async (text) => {
      const { go, notes, folder } = scene(undefined);
      writeFileSync(join(folder, 'package.json'), text);
      await go();
      expect(notes).toEqual([]);
    },
  );

  test('that has its packages needs no line', async () => {
    const { go, notes, folder } = scene(undefined);
    writeFileSync(join(folder, 'package.json'), '{"dependencies":{"a":"1"}}');
    mkdirSync(join(folder, 'node_modules'));
    await go();
    expect(notes).toEqual([]);
  });
});
