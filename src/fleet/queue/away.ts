/** Tells a store that is away from a mistake, and keeps calls from hanging for ever. */
import { EngineAway } from '../../engine/core/fleet/errors.ts';
import { UsageError } from '../../engine/core/text/errors.ts';

const SOCKET_CODES = new Set([
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'ECONNABORTED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'EPIPE',
    'EHOSTUNREACH',
  ],
  ...['ENETUNREACH', 'ENOENT', 'EADDRNOTAVAIL', 'ENETDOWN', 'EHOSTDOWN', 'EMFILE', 'EACCES'],
]);
const WORDS = [
  /connection (is closed|terminated|ended)/i,
  /timeout|timed out/i,
  /isn't writeable/,
  /max retries per request/i,
  /socket (closed|hang up)|disconnected/i,
  /^(LOADING|MASTERDOWN|READONLY|CLUSTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOREPLICAS)/,
  /none of the configured nodes/i,
];
/** Credentials, rights or certificates: waiting does not help. */
const REFUSED_WORDS = /^(NOAUTH|WRONGPASS|NOPERM|ERR invalid password|ERR AUTH)/;
const REFUSED_CODES = /^(ERR_TLS|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|ERR_SSL)/;

/** A server that is too old. */
const UNFIT = /Redis version needs to be/;

export type Fault = 'away' | 'refused' | 'unfit' | 'other';

export function faultOf(error: unknown): Fault {
  if (error instanceof EngineAway) return 'away';
  if (!(error instanceof Error)) return 'other';
  if (error instanceof AggregateError && error.errors.length > 0) return faultOf(error.errors[0]);
  if (UNFIT.test(`${error.name}: ${error.message}`)) return 'unfit';
  const code = codeOf(error);
  if (REFUSED_CODES.test(code) || REFUSED_WORDS.test(error.message)) return 'refused';
  if (SOCKET_CODES.has(code) || WORDS.some((words) => words.test(error.message))) return 'away';
  const before = 'lastNodeError' in error ? error.lastNodeError : error.cause;
  return before instanceof Error ? faultOf(before) : 'other';
}

/** The store's own words, on one line and without the password. */
export function wordsOf(error: unknown, password: string | undefined): string {
  const first = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  const text = first instanceof Error ? first.message || codeOf(first) || first.name : String(first);
  const line = text.split('\n')[0] ?? '';
  return password ? line.replaceAll(password, '***') : line;
}

export function awayFrom(place: string, error: unknown, password: string | undefined): EngineAway {
  return new EngineAway(`the queue at ${place} cannot be reached: ${wordsOf(error, password)}`, {
    cause: error,
  });
}

export function refusedBy(place: string, error: unknown, password: string | undefined): UsageError {
  return new UsageError(
    `the queue at ${place} refuses this user, its password or its certificate: ${wordsOf(error, password)}; see docs/reference/fleet-stores.md`,
  );
}

export function unfitFor(place: string, error: unknown): UsageError {
  return new UsageError(
    `the queue at ${place} does not fit: ${wordsOf(error, undefined).replace(/^BullMQ: /, '')}`,
  );
}

/** Rejects when it takes longer. What was asked may still happen. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new EngineAway(`${what}: no answer within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
