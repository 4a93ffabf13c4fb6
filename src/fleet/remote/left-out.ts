/** What stays out of a published workspace: files that look like secrets, or that no remote would take. */
import { basename } from 'node:path';
import type { SourceFile } from '../../engine/gates/forbid/patterns.ts';
import { PRIVATE_KEYS, SECRETS } from '../../engine/gates/forbid/secrets.ts';

export const MOST_BYTES = 100 * 1024 * 1024;
/** Larger files are not searched for secrets: nobody types that much. */
export const SEARCHED_BYTES = 2 * 1024 * 1024;

const NAMES: readonly RegExp[] = [
  /^\.env(?:\..+)?$/i,
  /^.+\.env$/i,
  /^\.(?:netrc|git-credentials|pgpass|my\.cnf|mylogin\.cnf|pypirc|vault-token|htpasswd)$/i,
  /^_netrc$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i,
  /^.+\.(?:p12|pfx|jks|keystore|kdbx|ppk|p8)$/i,
  /^\.credentials\.json$/i,
  /^(?:application_default_)?credentials(?:\.json)?$/i,
];
const FOLDERS = /(?:^|\/)\.(?:ssh|gnupg|aws|azure|kube|password-store)\//i;
const SHOWS_HOW = /(?:example|sample|template|dist|defaults?|schema)(?:\.[a-z]+)?$/i;

/** Whether a new file is a secret by its name. `.env.example` only shows what is needed. */
export function isSecretName(path: string): boolean {
  const name = basename(path);
  if (FOLDERS.test(path)) return true;
  return NAMES.some((pattern) => pattern.test(name)) && !SHOWS_HOW.test(name);
}

/** The keys in a text, each as the line that holds it. */
export function keysIn(text: string): Set<string> {
  const patterns = [...SECRETS, ...PRIVATE_KEYS].filter(({ expression }) => expression.test(text));
  if (patterns.length === 0) return new Set();
  const lines = text.split('\n');
  const file: SourceFile = { path: '', language: undefined, text, lines };
  const holdsKey = (line: string, i: number) =>
    patterns.some(({ expression, unless }) => expression.test(line) && !unless?.(file, i + 1));
  return new Set(lines.filter(holdsKey).map((line) => line.trim()));
}
