/** Who may ask: the token of the start link, the cookie that it is exchanged for, the host and the origin of a request. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Problem } from '../view/overview-types.ts';

/** Of a token that you choose yourself. */
export const SHORTEST_TOKEN = 16;
const TICKET_MS = 60_000;
const MOST_COOKIES = 100;

export interface Asked {
  method: string;
  host: string | undefined;
  origin: string | undefined;
  site: string | undefined;
  type: string | undefined;
  cookie: string | undefined;
}

export class Guard {
  readonly token: string;
  readonly cookieName: string;
  private readonly hosts: (host: string) => boolean;
  /** Digests: what a request sends is compared with these. */
  private readonly cookies = new Set<string>();
  private readonly tickets = new Map<string, number>();

  constructor({ token, host, port }: { token?: string; host: string; port: number }) {
    this.token = token ?? randomBytes(32).toString('base64url');
    // Browsers send a cookie to every port of a host, so each dashboard has a name of its own.
    this.cookieName = `untildone_${port}`;
    this.hosts = allowedHosts(host, port);
  }

  /** A link that works once and for a minute: the command line of a browser can be read by every process of yours. */
  ticket(now: number): string {
    const ticket = randomBytes(32).toString('base64url');
    this.tickets.set(digest(ticket), now + TICKET_MS);
    return ticket;
  }

  /** The cookie for a token; undefined for a wrong one. */
  exchange(given: string, now: number): string | undefined {
    const known = digest(given);
    const until = this.tickets.get(known);
    this.tickets.delete(known);
    if (!isSame(known, digest(this.token)) && !(until !== undefined && now <= until)) return undefined;
    const cookie = randomBytes(32).toString('base64url');
    this.cookies.add(digest(cookie));
    const [oldest] = this.cookies;
    if (this.cookies.size > MOST_COOKIES && oldest !== undefined) this.cookies.delete(oldest);
    return cookie;
  }

  /** Why a request is refused, whoever sends it: it was made for another host, or by the page of another site. */
  problemWith({
    method,
    host,
    origin,
    site,
    type,
  }: Asked): { status: 403 | 415 | 421; problem: Problem } | undefined {
    if (host === undefined || !this.hosts(host.toLowerCase()))
      return {
        status: 421,
        problem: {
          code: 'wrong_host',
          message: 'this dashboard is not served under that name',
          fix: 'Open the link that untildone dashboard printed.',
        },
      };
    const own = `http://${host.toLowerCase()}`;
    const isForeign = origin !== undefined && origin.toLowerCase() !== own;
    const writes = method !== 'GET' && method !== 'HEAD';
    if (isForeign || site === 'cross-site' || (writes && origin === undefined))
      return {
        status: 403,
        problem: {
          code: 'wrong_origin',
          message: 'this request does not come from the page of the dashboard',
        },
      };
    if (writes && !/^application\/json\s*(;|$)/i.test(type ?? ''))
      return {
        status: 415,
        problem: { code: 'wrong_type', message: 'send JSON, with the content type application/json' },
      };
    return undefined;
  }

  isKnown({ cookie }: Asked): boolean {
    const given = cookiesIn(cookie ?? '').get(this.cookieName);
    if (given === undefined) return false;
    const known = digest(given);
    return [...this.cookies].some((each) => isSame(each, known));
  }
}

export const NO_TOKEN: Problem = {
  code: 'no_token',
  message: 'this dashboard is for the person who started it',
  fix: 'Open the link that untildone dashboard printed in your terminal.',
};

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** A name from elsewhere may be made to lead here (DNS rebinding); an address and our own names cannot. */
function allowedHosts(host: string, port: number): (given: string) => boolean {
  const names = new Set(['localhost', '127.0.0.1', '[::1]', inUrl(host)]);
  const everywhere = !isLoopback(host);
  return (given) => {
    const match = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d+))?$/.exec(given);
    if (!match?.[1] || Number(match[2] ?? 80) !== port) return false;
    return names.has(match[1]) || (everywhere && isIP(match[1].replace(/^\[|\]$/g, '')) !== 0);
  };
}

/** A host as it stands in an address. */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host.toLowerCase()}]` : host.toLowerCase();
}

function cookiesIn(header: string): Map<string, string> {
  const pairs = header.split(';').map((part) => part.trim().split('='));
  return new Map(pairs.flatMap(([name, value]) => (name && value ? [[name, value] as const] : [])));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
