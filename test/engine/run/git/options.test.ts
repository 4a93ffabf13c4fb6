import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../../../../src/engine/core/text/errors.ts';
import { createHome, homeAt } from '../../../../src/engine/home/layout.ts';
import { isTrusted, recordTrust } from '../../../../src/engine/home/trust.ts';
import type { ProjectPorts } from '../../../../src/engine/hook/wiring/project-ports.ts';
import type { RunGitPort } from '../../../../src/engine/ports/ports.ts';
import {
  beginRunGit,
  gitOptions,
  resumeRunGit,
  trustedWith,
} from '../../../../src/engine/run/git/options.ts';

function world(): ProjectPorts {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-run-git-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const store = {
    isTrusted: (project: string, fingerprint: string) => isTrusted(home, project, fingerprint),
  };
  return {
    home,
    store,
    project: folder,
    env: process.env,
    clock: { now: () => 0 },
  } as unknown as ProjectPorts;
}

test.each([
  [{}, undefined],
  [{ branch: true }, { mode: 'branch', merge: false }],
  [{ worktree: true }, { mode: 'worktree', merge: false }],
  [{ pr: true }, { mode: 'pr', beside: false, merge: false }],
  [
    { pr: true, branch: true, merge: true },
    { mode: 'pr', beside: false, merge: true },
  ],
  [
    { pr: true, worktree: true },
    { mode: 'pr', beside: true, merge: false },
  ],
])('the flags %o mean %o', (flags, options) => {
  expect(gitOptions(flags)).toEqual(options);
});

test('flags that contradict each other are refused', () => {
  expect(() => gitOptions({ branch: true, worktree: true })).toThrow(UsageError);
  expect(() => gitOptions({ branch: true, merge: true })).toThrow(/--pr/);
});

test('what a person can put right is wrong use, said in one line', async () => {
  const options = { mode: 'branch', merge: false } as const;
  const opening = beginRunGit(options, { loop: 'l1', task: 'x' }, world(), { note: () => undefined });
  await expect(opening).rejects.toThrow(UsageError);
});

test('a run that never worked with git goes on without one', async () => {
  expect(await resumeRunGit('l1', world(), { note: () => undefined })).toBeUndefined();
});

test('what a person approved for the project counts in its worktree, exactly that and nowhere else', () => {
  const here = world();
  recordTrust(here.home, here.project, 'approved', 0);
  const trusted = trustedWith({ folder: '/worktree' } as RunGitPort, here);
  expect(trusted('/worktree', 'changed')).toBe(false);
  expect(trusted('/elsewhere', 'approved')).toBe(false);
  expect(isTrusted(here.home, '/worktree', 'approved')).toBe(false);
  expect(trusted('/worktree', 'approved')).toBe(true);
  expect(isTrusted(here.home, '/worktree', 'approved')).toBe(true);
  expect(trustedWith(undefined, here)('/worktree2', 'approved')).toBe(false);
});
