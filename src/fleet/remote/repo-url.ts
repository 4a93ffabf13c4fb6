/** The URL of a repository as a fleet knows it: without credentials, and the same text for the same repository. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../engine/core/text/errors.ts';
import { redact, secretsIn } from '../../engine/core/text/redact.ts';
import { realPath } from '../../engine/home/layout.ts';

const SCHEMES = ['https', 'http', 'ssh', 'git', 'git+ssh', 'ssh+git', 'file'];
const DEFAULT_PORTS: Record<string, string> = { https: '443', http: '80', ssh: '22', git: '9418' };
/** `host:path` and `user@host:path`, which ssh takes. A drive letter of Windows is no host. */
const SCP = /^(?:([^\s/:@]+)@)?([\w.-]{2,}|\[[0-9a-fA-F:.]+\]):(?!\/\/)(.+)$/;
const INSTEAD =
  'give it without one, and let git find it: an ssh key, or a credential helper (git config --global credential.helper store)';

/**
 * The text by which a repository is named from now on. Relative paths count from `cwd`. Throws UsageError for what is no
 * repository, could run a program, or holds a password. `.git` at the end stays: servers may know two repositories by it.
 */
export function repoUrl(text: string, cwd: string): string {
  const given = text.trim();
  if (given === '') throw new UsageError('name a repository: its URL, or the path of its folder');
  if (/\p{Cc}/u.test(given))
    throw new UsageError('the URL of a repository has no line breaks or other control characters');
  if (given.startsWith('-'))
    throw new UsageError(`${JSON.stringify(given)} is no repository; a path can begin with ./`);
  if (/^[\w+.-]+::/.test(given))
    throw new UsageError(
      `${given.slice(0, given.indexOf('::'))}:: runs a program of its own to reach a repository, which a fleet does not do; use https://, ssh://, git@host:path, or a path`,
    );
  const scheme = /^([A-Za-z][\w+.-]*):\/\//.exec(given)?.[1]?.toLowerCase();
  if (scheme === 'file') return fromFileUrl(given);
  if (scheme !== undefined) return fromUrl(given, scheme);
  const scp = SCP.exec(given);
  if (scp && !isAbsolute(given)) return fromScp(scp[1], scp[2] ?? '', scp[3] ?? '');
  const path = given.startsWith('~/') ? join(homedir(), given.slice(2)) : given;
  return realPath(resolve(cwd, path));
}

/** Whether the repository lies on this machine, so that only workers on this machine reach it. */
export function isLocal(repo: string): boolean {
  return isAbsolute(repo);
}

function fromFileUrl(given: string): string {
  try {
    return realPath(fileURLToPath(given.replace(/^file:\/\/localhost\//i, 'file:///')));
  } catch {
    throw new UsageError(
      `${redact(given)} does not name a folder of this machine: file:///path/to/repository`,
    );
  }
}

function fromUrl(given: string, scheme: string): string {
  if (!SCHEMES.includes(scheme))
    throw new UsageError(
      `${scheme}:// is no way to a repository that a fleet uses; use https://, ssh://, git@host:path, or a path`,
    );
  const [, login, authority = '', path = ''] =
    /^[^:]+:\/\/(?:([^/?#]*)@)?([^/?#]*)([\s\S]*)$/.exec(given) ?? [];
  refuseSecrets(login, given);
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority) ?? [];
  if (host === '' || host.startsWith('-'))
    throw new UsageError(`${JSON.stringify(given)} names no host: ${scheme}://host/path`);
  const where = withoutSlashes(path);
  if (where === '') throw new UsageError(`${JSON.stringify(given)} names a host and no repository on it`);
  const way = scheme === 'git+ssh' || scheme === 'ssh+git' ? 'ssh' : scheme;
  const at = port && port !== DEFAULT_PORTS[way] ? `:${port}` : '';
  return `${way}://${login ? `${login}@` : ''}${host.toLowerCase()}${at}${where}`;
}

function fromScp(login: string | undefined, host: string, path: string): string {
  if (host.startsWith('-') || path.startsWith('-'))
    throw new UsageError(
      `${JSON.stringify(`${host}:${path}`)} is no repository: nothing in it begins with -`,
    );
  // `user:password@host:path` has two colons.
  const password = /^[^/@]*@[^/:]+:/.test(path) ? `${host}:` : undefined;
  refuseSecrets(password ?? login, `${host}:${path}`);
  const where = withoutSlashes(path) || '/';
  return `${login ? `${login}@` : ''}${host.toLowerCase()}:${where}`;
}

/** A login may be a name (`git@`, `org@dev.azure.com`), but neither a password nor a token. */
function refuseSecrets(login: string | undefined, url: string): void {
  const isToken = login !== undefined && (login.length > 39 || secretsIn(login).length > 0);
  if (login?.includes(':') || isToken)
    throw new UsageError(
      `the URL of a repository must not hold a password or a token, because every machine of the fleet would see it: ${INSTEAD}`,
    );
  const query = url.slice(url.search(/[?#]|$/));
  if (secretsIn(query).length > 0)
    throw new UsageError(`the URL of a repository must not hold a token: ${INSTEAD}`);
}

/** Without the slashes at its end. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
