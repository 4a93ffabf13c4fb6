/** The URL of a queue, read into what the client of Redis needs. */
import { readFileSync } from 'node:fs';
import { UsageError } from '../../engine/core/text/errors.ts';

export const PASSWORD_VARIABLE = 'UNTILDONE_QUEUE_PASSWORD';
export const CA_VARIABLE = 'UNTILDONE_QUEUE_CA';

/** Encrypted; the certificate of the server is always checked. */
export interface Tls {
  ca?: string;
  cert?: string;
  key?: string;
}

export interface Address {
  /** For people: without user, password and files. */
  place: string;
  host: string;
  port: number;
  user?: string;
  password?: string;
  /** The number of a database. */
  database: string;
  /** The prefix of keys. */
  space: string;
  tls?: Tls;
}

const PARAMETERS = ['prefix', 'ca', 'cert', 'key'];
const DEFAULT_SPACE = 'untildone';
const PORT = 6379;
export const EXAMPLE = 'redis://127.0.0.1:6379';
const POSTGRES_IS_GONE = `PostgreSQL as a queue is gone: use Redis or Valkey, such as ${EXAMPLE}. What was kept there stays there and is not read; runs are in git, and "untildone fleet reconcile" puts those that have not ended on the new queue (limits have to be set anew)`;

export function readAddress(text: string, env: NodeJS.ProcessEnv): Address {
  const url = urlOf(text.trim());
  const parameters = parametersOf(url);
  const database = databaseOf(url);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1';
  const port = url.port === '' ? PORT : Number(url.port);
  const user = decoded(url.username) || undefined;
  const password = decoded(url.password) || env[PASSWORD_VARIABLE] || undefined;
  const space = spaceOf(parameters);
  const tls = tlsOf(parameters, env, url.protocol === 'rediss:');
  return {
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
    throw new UsageError(`no queue is named: use --queue or UNTILDONE_QUEUE, such as ${EXAMPLE}`);
  // Before it is read: with a password that has to be percent-encoded it is gone as well.
  if (/^postgres(ql)?:/i.test(text)) throw new UsageError(POSTGRES_IS_GONE);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) {
    throw new UsageError(
      `the URL of the queue cannot be read; it looks like ${EXAMPLE} (a password with special characters goes into ${PASSWORD_VARIABLE}, or is percent-encoded)`,
    );
  }
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    throw new UsageError(
      `the URL of a queue begins with redis or rediss, not ${url.protocol}//; such as ${EXAMPLE}`,
    );
  }
  return url;
}

function parametersOf(url: URL): Map<string, string> {
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.includes(name)) {
      throw new UsageError(
        `the URL of the queue has the unknown parameter ${JSON.stringify(name)}; for redis there are ${PARAMETERS.join(', ')}`,
      );
    }
  }
  return new Map(url.searchParams);
}

function databaseOf(url: URL): string {
  const name = decoded(url.pathname.replace(/^\//, ''));
  if (!/^\d*$/.test(name))
    throw new UsageError(
      `the database of a Redis URL is a number, such as redis://host:6379/0, not ${JSON.stringify(name)}`,
    );
  return name || '0';
}

function spaceOf(parameters: Map<string, string>): string {
  const space = parameters.get('prefix') ?? DEFAULT_SPACE;
  if (!/^[\w.{}:-]{1,100}$/.test(space)) {
    throw new UsageError(
      `the prefix ${JSON.stringify(space)} will not do: use letters, digits, dots, colons, _ and -`,
    );
  }
  return space;
}

function tlsOf(parameters: Map<string, string>, env: NodeJS.ProcessEnv, isOn: boolean): Tls | undefined {
  if (!isOn) {
    if (parameters.has('ca'))
      throw new UsageError('the URL of the queue names a CA, but TLS is only used with rediss://');
    return undefined;
  }
  const ca = parameters.get('ca') ?? (env[CA_VARIABLE] || undefined);
  const cert = parameters.get('cert');
  const key = parameters.get('key');
  return {
    ...(ca === undefined ? {} : { ca: fileOf(ca, 'CA') }),
    ...(cert === undefined ? {} : { cert: fileOf(cert, 'certificate') }),
    ...(key === undefined ? {} : { key: fileOf(key, 'key') }),
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
