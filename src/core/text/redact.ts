const MASK = '[redacted]';

/** Tokens that are known by their prefix. */
const TOKENS: readonly RegExp[] = [
  /\bsk-ant-[\w-]{8,}/g,
  /\bsk-(?=[\w-]{0,100}\d)[\w-]{16,}/g,
  /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\b(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,}/g,
  /\bhooks\.slack\.com\/services\/[\w/]{20,}/g,
  /\bdiscord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{8,}/g,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{20,}/g,
  /\bGOCSPX-[\w-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-[\w-]{40,}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  /\bdo[op]_v1_[a-f0-9]{40,}/g,
  /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  // In the middle of a long run of such characters no token begins: looking there again and again would take long.
  /(?<![\w-]{30})\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g,
];

const KEY_BLOCK =
  /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,20000}?-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
/** A key whose end is missing: its lines of base64. */
const CUT_KEY = /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:\s*(?:\\n)?[\w+/=]{16,})*/g;
const CREDENTIALS_IN_URL = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/:@"'<>]{0,200}:[^\s/@"'<>]{1,500}@/gi;
const AUTHORIZATION = /\b(Bearer|Basic)(\s+)(?=[\w.~+/-]{0,300}[\d=])[\w.~+/=-]{12,}/gi;

const SECRET_NAME =
  '(?:pass(?:word|wd|phrase)|secret|token(?!s|iz)|credentials?|api[_-]?key|access[_-]?key|private[_-]?key)' +
  '(?:[_-]?(?:key|id|value|hash|base64))?';
const QUOTED = new RegExp(
  `(${SECRET_NAME}["']?\\s{0,3}(?:=|:|=>)\\s{0,3})(["'])(?!\\$[\\w{])[^"'\\n]{4,}\\2`,
  'gi',
);
/** `KEY=value` without spaces: an environment, a query, an ini file. */
const ASSIGNED = new RegExp(`(${SECRET_NAME}=)(?!["'$])[^\\s"'&;,(){}<>]{4,}(?![(\\w])`, 'gi');
/** `key: value` may be code or prose: only a value with a digit, or a long one, counts as a secret. */
const NAMED = new RegExp(
  `(?<!unexpected )(${SECRET_NAME}["']?\\s{0,3}[:=]\\s{1,3})(?=\\S{0,60}\\d|\\S{24})[^\\s"'\`;,(){}<>$]{6,}(?![(\\w])`,
  'gi',
);

/** Every pattern above needs one of these: a plain sentence is not searched. */
const MAY_HOLD_SECRET = /[\d_:=-]|\S{16}/;

/** What looks like a secret, with its name. Private keys are not found here: they may span lines. */
export function secretsIn(text: string): string[] {
  if (!MAY_HOLD_SECRET.test(text)) return [];
  return [...TOKENS, CREDENTIALS_IN_URL, AUTHORIZATION, QUOTED, ASSIGNED, NAMED].flatMap(
    (pattern) => text.match(pattern) ?? [],
  );
}

const NAMES_SECRET = new RegExp(`(?:^|[_-])(?:${SECRET_NAME}|auth|pass|key|webhook)$|${SECRET_NAME}`, 'i');

/** Whether a variable or an option of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return NAMES_SECRET.test(name);
}

/**
 * Replaces what looks like a secret, and `known` values wherever they stand, the longest first. A name without a value
 * (`token: string`) stays.
 */
export function redact(given: string, known: readonly string[] = []): string {
  const text = known.reduce((rest, value) => rest.replaceAll(value, MASK), given);
  if (!MAY_HOLD_SECRET.test(text)) return text;
  const withoutKeys = text.replace(KEY_BLOCK, MASK).replace(CUT_KEY, MASK);
  const withoutTokens = TOKENS.reduce((rest, pattern) => rest.replace(pattern, MASK), withoutKeys);
  return withoutTokens
    .replace(CREDENTIALS_IN_URL, `$1${MASK}@`)
    .replace(AUTHORIZATION, `$1$2${MASK}`)
    .replace(QUOTED, `$1$2${MASK}$2`)
    .replace(ASSIGNED, `$1${MASK}`)
    .replace(NAMED, `$1${MASK}`);
}
