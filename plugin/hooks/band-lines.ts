/** What the band says of a loop. Its facts are those of `untildone status --json`. */

export interface Loop {
  readonly id: string;
  readonly session: string;
  readonly status: string;
  readonly iteration: number;
  readonly max_iterations: number | null;
  readonly cost_usd: number;
  readonly waiting: { readonly text: string } | null;
  readonly not_held?: string | null;
  readonly ending: unknown;
  readonly gates: readonly { readonly name: string; readonly verdict: string; readonly summary: string }[];
}

/** The loop of a session that has not ended; undefined when there is none, or the text is not the state. */
export function loopIn(json: string, session: string): Loop | undefined {
  try {
    const { loops } = JSON.parse(json) as { loops: Loop[] };
    return loops.find((loop) => loop.session === session && loop.ending === null);
  } catch {
    return undefined;
  }
}

const MARKS: Readonly<Record<string, string>> = { pass: '✓', fail: '✗', skip: '–' };
const LINE = 100;
const SHOWN_GATES = 8;

export function linesOf(loop: Loop | undefined): string[] {
  if (!loop) return [];
  const of = loop.max_iterations === null ? '' : ` of ${loop.max_iterations}`;
  const facts = [stateOf(loop), `iteration ${loop.iteration}${of}`, `$${loop.cost_usd.toFixed(2)}`];
  return [`untildone: ${facts.join(' · ')}`, gatesOf(loop), `Ends: ${endOf(loop)}`]
    .filter((line) => line !== '')
    .map(short);
}

/** Why the session is held, or why it is not. */
function stateOf(loop: Loop): string {
  if (loop.status === 'paused') return 'paused, the session may stop';
  if (loop.waiting) return loop.waiting.text;
  const open = loop.gates.find(({ verdict }) => verdict !== 'pass' && verdict !== 'skip');
  return open ? `held: ${open.name} ${open.summary}` : 'held until the gates pass';
}

function gatesOf({ gates }: Loop): string {
  const shown = gates.slice(0, SHOWN_GATES).map(({ name, verdict }) => `${MARKS[verdict] ?? '?'} ${name}`);
  const more = gates.length > SHOWN_GATES ? [`and ${gates.length - SHOWN_GATES} more`] : [];
  return shown.length === 0 ? '' : `Gates: ${[...shown, ...more].join('  ')}`;
}

function endOf(loop: Loop): string {
  const limit = loop.max_iterations === null ? '' : `, at the latest after iteration ${loop.max_iterations}`;
  return loop.status === 'paused'
    ? 'it goes on with /untildone:resume, or ends with /untildone:cancel'
    : `when all gates pass${limit}; or with /untildone:cancel`;
}

/** One row each: no line break, nothing that would steer a terminal. */
function short(line: string): string {
  const plain = line.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return plain.length > LINE ? `${plain.slice(0, LINE - 1)}…` : plain;
}
