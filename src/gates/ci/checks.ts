/** The checks of one commit, as GitHub tells them. Pure. */

export interface Check {
  name: string;
  state: 'passed' | 'failed' | 'pending';
  /** The provider's own word for it. */
  said: string;
  url?: string;
}

/** What `gh api --jq` prints: one JSON object a line. Undefined when it is anything else. */
export function parseChecks(output: string): Check[] | undefined {
  const checks: Check[] = [];
  for (const line of output.split('\n').filter((text) => text.trim() !== '')) {
    const check = parseCheck(line);
    if (!check) return undefined;
    checks.push(check);
  }
  return checks;
}

function parseCheck(line: string): Check | undefined {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const { name, status, conclusion, url } = fields;
  if (typeof name !== 'string' || typeof status !== 'string') return undefined;
  const said = status === 'completed' && typeof conclusion === 'string' ? conclusion : status;
  return { name, said, state: stateOf(said), ...(typeof url === 'string' ? { url } : {}) };
}

const PASSED = new Set(['success', 'neutral', 'skipped']);
const PENDING = new Set(['queued', 'in_progress', 'waiting', 'requested', 'pending', 'expected']);

/** A word that is not known is no success: new ones come. */
function stateOf(said: string): Check['state'] {
  if (PASSED.has(said)) return 'passed';
  return PENDING.has(said) ? 'pending' : 'failed';
}

export type Standing =
  | { is: 'failed'; failed: Check[] }
  | { is: 'pending'; waitingFor: string[] }
  | { is: 'passed'; passed: Check[] };

/** With `required`, only those count, and each must be there; without, all of them do, and there must be one. */
export function standingOf(checks: readonly Check[], required: readonly string[] | undefined): Standing {
  const counted = required ? checks.filter(({ name }) => required.includes(name)) : [...checks];
  const failed = counted.filter(({ state }) => state === 'failed');
  if (failed.length > 0) return { is: 'failed', failed };
  const absent = (required ?? []).filter((name) => !counted.some((check) => check.name === name));
  const open = counted
    .filter(({ state }) => state === 'pending')
    .map(({ name, said }) => `${name} (${said})`);
  const waitingFor = [...open, ...absent.map((name) => `${name} (not reported)`)];
  if (counted.length === 0 && waitingFor.length === 0) waitingFor.push('any check (none is reported)');
  return waitingFor.length > 0 ? { is: 'pending', waitingFor } : { is: 'passed', passed: counted };
}
