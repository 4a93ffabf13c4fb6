/** The secret of a fleet, the password of its store and the keys of its runs are nowhere that others can read. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { keyOfRun } from '../../../src/fleet/secret.ts';
import { type Fleet, PASSWORD } from './fleet.ts';
import { runsOf } from './history.ts';

export function expectNoSecrets(fleet: Fleet): void {
  const secrets = [fleet.secret, PASSWORD];
  for (const { url } of fleet.remotes) {
    const published = objectsOf(url);
    const keys = runsOf(url).map((run) => keyOfRun(run, fleet.secret));
    for (const secret of [...secrets, ...keys]) expect(published.includes(secret), url).toBe(false);
  }
  expect(filesHolding(fleet.root, secrets)).toEqual([]);
  expect(fleet.deeds().flatMap(({ leaks }) => leaks)).toEqual([]);
}

/** Everything that a remote holds, whatever leads to it. */
function objectsOf(remote: string): Buffer {
  return execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], {
    cwd: remote,
    maxBuffer: 1 << 29,
  });
}

function filesHolding(root: string, secrets: readonly string[]): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => {
      const content = readFileSync(path);
      return secrets.some((secret) => content.includes(secret));
    });
}
