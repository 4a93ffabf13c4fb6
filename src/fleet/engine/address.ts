/** The URL of a queue, read into what the clients of both stores need. */
import { readFileSync } from 'node:fs';
import { UsageError } from '../../core/text/errors.ts';

export const PASSWORD_VARIABLE = 'UNTILDONE_QUEUE_PASSWORD';
export const CA_VARIABLE = 'UNTILDONE_QUEUE_CA';

export interface Tls {
  ca?: string;
  cert?: string;
  key?: string;
  /** false: encrypted, but anybody's certificate will do. */
  verify: boolean;
  /** false: the certificate may name another host. */
  checkHost: boolean;
}

export interface Address {
  store: 'redis' | 'postgres';
  /** For people: without user, password and files. */
  place: string;
  /** A host, or the folder of a socket. */
  host: string;
  port: number;
  user?: string;
  password?: string;
  /** The number of a Redis database, or the name of a PostgreSQL one. */
  database: string;
  /** The prefix of keys, or the schema of tables. */
  space: string;
  tls?: Tls;
}

const STORES: Record<string, { store: Address['store']; port: number; tls: boolean } | undefined> = {
  'redis:': { store: 'redis', port: 6379, tls: false },
  'rediss:': { store: 'redis', port: 6379, tls: true },
  'postgres:': { store: 'postgres', port: 5432, tls: false },
  'postgresql:': { store: 'postgres', port: 5432, tls: false },
};
const PARAMETERS = {
  redis: ['prefix', 'ca', 'cert', 'key'],
  postgres: ['schema', 'sslmode', 'sslrootcert', 'ca', 'cert', 'key', 'host'],
};
const DEFAULT_SPACE = 'untildone';
const EXAMPLES = 'redis://127.0.0.1:6379 or postgres://user@host/database';

export function readAddress(text: string, env: NodeJS.ProcessEnv): Address {
  const url = urlOf(text.trim());
  const scheme = STORES[url.protocol];
  if (scheme === undefined) {
    throw new UsageError(
      `the URL of a queue begins with redis, rediss or postgres, not ${url.protocol}//; such as ${EXAMPLES}`,
    );
  }
  const { store } = scheme;
  const parameters = parametersOf(url, store);
  const database = databaseOf(url, store);
  const host = parameters.get('host') ?? (url.hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1');
  const port = url.port === '' ? scheme.port : Number(url.port);
  const user = decoded(url.username) || undefined;
  const password = decoded(url.password) || env[PASSWORD_VARIABLE] || undefined;
  const space = spaceOf(parameters, store);
  const tls = tlsOf(parameters, env, store, scheme.tls);
  return {
    store,
    place: placeOf(url.protocol, host, port, database, space),
    host,
    port,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    database,
    space,
    ...(tls === undefined ? {} : { tls }),
  };
}

function urlOf(text: string): URL {
  if (text === '')
    throw new UsageError(`no queue is named: use --queue or UNTILDONE_QUEUE, such as ${EXAMPLES}`);
  try {
    return new URL(text);
  } catch {
    throw new UsageError(
      `the URL of the queue cannot be read; it looks like ${EXAMPLES} (a password with special characters goes into ${PASSWORD_VARIABLE}, or is percent-encoded)`,
    );
  }
}

function parametersOf(url: URL, store: Address['store']): Map<string, string> {
  const known = PARAMETERS[store];
  for (const name of url.searchParams.keys()) {
    if (!known.includes(name)) {
      throw new UsageError(
        `the URL of the queue has the unknown parameter ${JSON.stringify(name)}; for ${store} there are ${known.join(', ')}`,
      );
    }
  }
  return new Map(url.searchParams);
}

function databaseOf(url: URL, store: Address['store']): string {
  const name = decoded(url.pathname.replace(/^\//, ''));
  if (store === 'postgres') return name || decoded(url.username) || 'postgres';
  if (!/^\d*$/.test(name))
    throw new UsageError(
      `the database of a Redis URL is a number, such as redis://host:6379/0, not ${JSON.stringify(name)}`,
    );
  return name || '0';
}

function spaceOf(parameters: Map<string, string>, store: Address['store']): string {
  const space = parameters.get(store === 'redis' ? 'prefix' : 'schema') ?? DEFAULT_SPACE;
  if (store === 'redis' && !/^[\w.{}:-]{1,100}$/.test(space)) {
    throw new UsageError(
      `the prefix ${JSON.stringify(space)} will not do: use letters, digits, dots, colons, _ and -`,
    );
  }
  if (store === 'postgres' && !/^[A-Za-z_]\w{0,62}$/.test(space)) {
    throw new UsageError(
      `the schema ${JSON.stringify(space)} will not do: use letters, digits and _, at most 63, with no digit first`,
    );
  }
  return space;
}

const SSL_MODES: Record<string, Pick<Tls, 'verify' | 'checkHost'> | undefined> = {
  require: { verify: false, checkHost: false },
  'verify-ca': { verify: true, checkHost: false },
  'verify-full': { verify: true, checkHost: true },
};

function tlsOf(
  parameters: Map<string, string>,
  env: NodeJS.ProcessEnv,
  store: Address['store'],
  always: boolean,
): Tls | undefined {
  const ca = parameters.get('ca') ?? parameters.get('sslrootcert') ?? (env[CA_VARIABLE] || undefined);
  const mode = parameters.get('sslmode');
  if (store === 'redis' ? !always : mode === 'disable' || (mode === undefined && ca === undefined)) {
    if (store === 'redis' && parameters.has('ca'))
      throw new UsageError('the URL of the queue names a CA, but TLS is only used with rediss://');
    return undefined;
  }
  const checks = SSL_MODES[mode ?? 'verify-full'];
  if (checks === undefined) {
    throw new UsageError(
      `sslmode is one of disable, ${Object.keys(SSL_MODES).join(', ')}, not ${JSON.stringify(mode)}`,
    );
  }
  return {
    ...(ca === undefined ? {} : { ca: fileOf(ca, 'CA') }),
    ...(parameters.has('cert') ? { cert: fileOf(parameters.get('cert') ?? '', 'certificate') } : {}),
    ...(parameters.has('key') ? { key: fileOf(parameters.get('key') ?? '', 'key') } : {}),
    ...checks,
  };
}

function fileOf(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `the file with the ${what} of the queue cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function placeOf(protocol: string, host: string, port: number, database: string, space: string): string {
  const where = host.includes(':') ? `[${host}]` : host;
  const name = `${protocol}//${where}:${port}/${database}`;
  return space === DEFAULT_SPACE ? name : `${name} (${space})`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
