// Tier: world
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { openRemoteRuns } from '../../../src/fleet/remote/open-remote-runs.ts';
import { isLocal, repoUrl } from '../../../src/fleet/remote/repo-url.ts';

describe('one repository has one name', () => {
  test.each([
    ['https://GitHub.com/Org/Repo.git/', 'https://github.com/Org/Repo.git'],
    ['HTTPS://github.com:443/org/repo//', 'https://github.com/org/repo'],
    ['https://github.com/org/repo', 'https://github.com/org/repo'],
    ['https://org@dev.azure.com/org/x/_git/x', 'https://org@dev.azure.com/org/x/_git/x'],
    ['http://127.0.0.1:8080/x.git', 'http://127.0.0.1:8080/x.git'],
    ['ssh://git@Host:22/x', 'ssh://git@host/x'],
    ['git+ssh://git@host:2222/x/', 'ssh://git@host:2222/x'],
    ['ssh://git@[::1]:22/x', 'ssh://git@[::1]/x'],
    ['git@GitHub.com:Org/Repo.git', 'git@github.com:Org/Repo.git'],
    ['git@host:org/repo/', 'git@host:org/repo'],
    ['host:x', 'host:x'],
    [' /srv/git/x.git/ ', '/srv/git/x.git'],
    ['file:///srv/git/x.git', '/srv/git/x.git'],
    ['file://localhost/srv/a%20b', '/srv/a b'],
    ['./x', '/somewhere/x'],
    ['../x', '/x'],
    ['~/x', join(homedir(), 'x')],
  ])('%s is %s', (given, name) => {
    expect(repoUrl(given, '/somewhere')).toBe(name);
    expect(repoUrl(name, '/elsewhere')).toBe(name);
    expect(isLocal(name)).toBe(name.startsWith('/'));
  });

  test('a path through a link is the path that it leads to', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-url-')));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'real.git'));
    symlinkSync('real.git', join(folder, 'link.git'));
    expect(repoUrl('link.git', folder)).toBe(join(folder, 'real.git'));
  });
});

test.each([
  ['', /name a repository/],
  ['  ', /name a repository/],
  ['-oProxyCommand=x', /a path can begin with/],
  ['--upload-pack=x', /a path can begin with/],
  ['ext::sh -c x', /runs a program of its own/],
  ['fd::17', /runs a program of its own/],
  ['transport::https://x/y', /runs a program of its own/],
  ['ftp://host/x', /ftp:\/\/ is no way/],
  ['javascript://x/y', /is no way/],
  ['https://user:pass@host/x', /must not hold a password or a token/],
  ['https://:pass@host/x', /must not hold a password or a token/],
  [`https://ghp_${'a1'.repeat(18)}@github.com/x/y`, /must not hold a password or a token/],
  [`https://${'0123456789abcdef'.repeat(3)}@host/x`, /must not hold a password or a token/],
  ['https://host/x?private_token=abcdef123', /must not hold a token/],
  ['user:pass@host:x', /must not hold a password|is no repository/],
  ['ssh://-oProxyCommand=x/y', /names no host/],
  ['-x@host:y', /a path can begin with/],
  ['host:-x', /begins with -/],
  ['https:///x', /names no host/],
  ['https://host', /no repository on it/],
  ['https://host/', /no repository on it/],
  ['https://host/x\ny', /control characters/],
  ['file://host/x', /does not name a folder of this machine/],
])('%s is refused, and the message does not repeat a password', (given, words) => {
  const refuse = () => repoUrl(given, '/somewhere');
  expect(refuse).toThrow(UsageError);
  expect(refuse).toThrow(words);
  expect(refuse).not.toThrow(/pass@|ghp_a|abcdef/);
  expect(() => openRemoteRuns(given, { caches: '/nowhere', env: {} })).toThrow(UsageError);
});
