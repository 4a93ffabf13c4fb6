import { secretsIn } from '../../core/text/redact.ts';
import type { LinePattern } from './patterns.ts';

/** Keys that are known by their first letters. */
const KEYS: readonly (readonly [name: string, expression: RegExp])[] = [
  ['Anthropic key', /\bsk-ant-[A-Za-z0-9_-]{20,}/],
  ['OpenAI key', /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}/],
  ['Stripe key', /\b(?:sk|rk)_live_[A-Za-z0-9]{16,}/],
  ['GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})/],
  ['GitLab token', /\bglpat-[A-Za-z0-9_-]{18,}/],
  ['Slack token', /\b(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{16,}/],
  ['Slack webhook', /\bhooks\.slack\.com\/services\/T[A-Za-z0-9/]{20,}/],
  ['AWS key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['Google key', /\bAIza[A-Za-z0-9_-]{35}/],
  ['npm token', /\bnpm_[A-Za-z0-9]{36}/],
  ['PyPI token', /\bpypi-[A-Za-z0-9_-]{50,}/],
  ['Hugging Face token', /\bhf_[A-Za-z0-9]{30,}/],
  ['SendGrid key', /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}/],
  ['DigitalOcean token', /\bdo[op]_v1_[a-f0-9]{60,}/],
  ['Shopify token', /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/],
];

/** Keys that were made up for a document or a test. */
const MADE_UP = /example|x{4}|0{6}|123456|abcdef|your|dummy|fake|placeholder|redacted|sample/i;

export const SECRETS: readonly LinePattern[] = KEYS.map(([name, expression]) => ({
  name,
  view: 'text',
  expression,
  unless: ({ lines }, line) => !holdsKey(expression, lines[line - 1] ?? ''),
}));

/** Whether a line has a real key. A made-up key beside it does not hide it. */
function holdsKey(expression: RegExp, line: string): boolean {
  return (line.match(new RegExp(expression, 'g')) ?? []).some(looksRandom);
}

/** Code that reads a secret from elsewhere: `token = config.oauth2.token`. */
const FROM_ELSEWHERE = /[:=]\s*[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/;

/** The login of a local database, which is no secret: `postgres://postgres:postgres@`. */
const STOCK_LOGIN =
  /:\/\/(?:(\w+):\1|\w*:(?:pass(?:word)?|postgres|root|secret|test|guest|admin|changeme))@$/i;

/** The name of the first secret in a line: a known key, or a value that is called password, key or token. */
export function secretNamed(line: string): string | undefined {
  const key = KEYS.find(([, expression]) => holdsKey(expression, line));
  if (key) return key[0];
  const real = (found: string) => ![MADE_UP, FROM_ELSEWHERE, STOCK_LOGIN].some((known) => known.test(found));
  return secretsIn(line).some(real) ? 'password, key or token' : undefined;
}

function looksRandom(key: string): boolean {
  const body = key.slice(6);
  return new Set(body).size >= 8 && !MADE_UP.test(body);
}

const HEADER = /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/;

/** A private key: its header and the beginning of the key. Code that only names the header has no key. */
export const PRIVATE_KEYS: readonly LinePattern[] = [
  {
    name: 'private key',
    view: 'text',
    expression: HEADER,
    unless({ lines }, line) {
      const [at = '', ...after] = lines.slice(line - 1, line + 4);
      const rest = at.slice((HEADER.exec(at)?.index ?? 0) + 27);
      return ![rest, ...after].some((part) => /[A-Za-z0-9+/]{24,}/.test(part));
    },
  },
];

/** The line with its keys cut short, for messages. */
export function withoutSecrets(line: string): string {
  return KEYS.reduce(
    (rest, [, expression]) => rest.replace(new RegExp(expression, 'g'), (key) => `${key.slice(0, 6)}…`),
    line,
  );
}
