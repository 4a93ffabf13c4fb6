const MASK = '[redacted]';

/** Tokens that are known by their prefix, after what each of them holds: compiling a pattern takes longer than not to find that. */
const TOKENS: readonly [signs: readonly string[], pattern: RegExp][] = [
  [['sk-ant-'], /\bsk-ant-[\w-]{8,}/g],
  [['sk-'], /\bsk-(?=[\w-]{0,100}\d)[\w-]{16,}/g],
  [['_live_', '_test_'], /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}/g],
  [['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], /\bgh[pousr]_[A-Za-z0-9]{16,}/g],
  [['github_pat_'], /\bgithub_pat_\w{20,}/g],
  [['glpat-'], /\bglpat-[\w-]{16,}/g],
  [['xox', 'xapp-'], /\b(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,}/g],
  [['hooks.slack.com/'], /\bhooks\.slack\.com\/services\/[\w/]{20,}/g],
  [['/api/webhooks/'], /\bdiscord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{8,}/g],
  [['AKIA', 'ASIA', 'ABIA', 'ACCA'], /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g],
  [['AIza'], /\bAIza[\w-]{30,}/g],
  [['ya29.'], /\bya29\.[\w-]{20,}/g],
  [['GOCSPX-'], /\bGOCSPX-[\w-]{20,}/g],
  [['npm_'], /\bnpm_[A-Za-z0-9]{30,}/g],
  [['pypi-'], /\bpypi-[\w-]{40,}/g],
  [['hf_'], /\bhf_[A-Za-z0-9]{30,}/g],
  [['_v1_'], /\bdo[op]_v1_[a-f0-9]{40,}/g],
  [['shp'], /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g],
  [['SG.'], /\bSG\.[\w-]{16,}\.[\w-]{16,}/g],
  // In the middle of a long run of such characters no token begins: looking there again and again would take long.
  [['eyJ'], /(?<![\w-]{30})\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g],
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

/** Every pattern of a value with a name needs this. */
const NAME_AND_SIGN = new RegExp(`${SECRET_NAME}["']?\\s{0,3}[=:]`, 'i');

/** Every pattern needs one of these: a plain sentence is not searched. */
const MAY_HOLD_SECRET = /[\d_:=-]|\S{16}/;

/** The patterns that may find something in this text, each with what stands in its place. */
function patternsFor(text: string): [RegExp, string][] {
  if (!MAY_HOLD_SECRET.test(text)) return [];
  const found: [RegExp, string][] = [];
  for (const [signs, pattern] of TOKENS)
    if (signs.some((sign) => text.includes(sign))) found.push([pattern, MASK]);
  if (text.includes('://')) found.push([CREDENTIALS_IN_URL, `$1${MASK}@`]);
  if (/bearer|basic/i.test(text)) found.push([AUTHORIZATION, `$1$2${MASK}`]);
  if (NAME_AND_SIGN.test(text))
    found.push([QUOTED, `$1$2${MASK}$2`], [ASSIGNED, `$1${MASK}`], [NAMED, `$1${MASK}`]);
  return found;
}

/** What looks like a secret, with its name. Private keys are not found here: they may span lines. */
export function secretsIn(text: string): string[] {
  return patternsFor(text).flatMap(([pattern]) => text.match(pattern) ?? []);
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
  const plain = text.includes('-----BEGIN ') ? text.replace(KEY_BLOCK, MASK).replace(CUT_KEY, MASK) : text;
  return patternsFor(plain).reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), plain);
}
