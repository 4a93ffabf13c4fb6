import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createHome, type Home, homeAt, projectFolder } from '../../../src/engine/home/layout.ts';
import { isTrusted, recordTrust } from '../../../src/engine/home/trust.ts';
import { T0 } from '../../support/core/samples.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

let home: Home;
let project: string;
beforeEach(() => {
  const folder = temporaryFolder();
  home = homeAt(join(folder, 'home'));
  createHome(home);
  project = join(folder, 'project');
  mkdirSync(project);
});

const trustFile = () => join(projectFolder(home, project), 'trust.json');
function writeTrust(text: string): void {
  mkdirSync(dirname(trustFile()), { recursive: true });
  writeFileSync(trustFile(), text);
}

describe('what a person approved', () => {
  test('is trusted, and nothing else', () => {
    expect(isTrusted(home, project, 'f1')).toBe(false);
    recordTrust(home, project, 'f1', T0);
    expect(isTrusted(home, project, 'f1')).toBe(true);
    expect(isTrusted(home, project, 'f2')).toBe(false);
    expect(isTrusted(home, project, '')).toBe(false);
  });
  test('stays approved when more is approved, and is written down once', () => {
    for (const fingerprint of ['f1', 'f2', 'f1']) recordTrust(home, project, fingerprint, T0);
    expect([isTrusted(home, project, 'f1'), isTrusted(home, project, 'f2')]).toEqual([true, true]);
    const kept = JSON.parse(readFileSync(trustFile(), 'utf8')) as { approved: { at: string }[] };
    expect(kept.approved.map((entry) => entry.at)).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00.000Z',
    ]);
    expect(statSync(trustFile()).mode & 0o777).toBe(0o600);
  });
  test('is approved for one project', () => {
    recordTrust(home, project, 'f1', T0);
    const other = `${project}-other`;
    mkdirSync(other);
    expect(isTrusted(home, other, 'f1')).toBe(false);
    const copied = join(projectFolder(home, other), 'trust.json');
    mkdirSync(dirname(copied), { recursive: true });
    writeFileSync(copied, readFileSync(trustFile()));
    expect(isTrusted(home, other, 'f1')).toBe(false);
  });
  test('is approved on this machine: another key knows nothing of it', () => {
    recordTrust(home, project, 'f1', T0);
    writeFileSync(home.keyFile, `${'ab'.repeat(32)}\n`);
    expect(isTrusted(home, project, 'f1')).toBe(false);
  });
});

describe('what somebody else wrote', () => {
  test('approves nothing, whatever it looks like', () => {
    recordTrust(home, project, 'f1', T0);
    const kept = JSON.parse(readFileSync(trustFile(), 'utf8')) as { approved: object[] };
    writeTrust(JSON.stringify({ v: 1, approved: [{ ...kept.approved[0], fingerprint: 'f2' }] }));
    expect(isTrusted(home, project, 'f2')).toBe(false);
    writeTrust(JSON.stringify({ v: 1, approved: [{ fingerprint: 'f2', at: '', seal: '' }] }));
    expect(isTrusted(home, project, 'f2')).toBe(false);
  });
  test.each(['', 'null', '[]', '{"approved":"f1"}', '{"approved":[null,7,"f1",{}]}', '{"v":1,', '\u0000'])(
    '%j is no approval and no error, and approving repairs it',
    (text) => {
      writeTrust(text);
      expect(isTrusted(home, project, 'f1')).toBe(false);
      recordTrust(home, project, 'f1', T0);
      expect(isTrusted(home, project, 'f1')).toBe(true);
    },
  );
});
