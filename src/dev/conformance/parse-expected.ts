import type { Check } from './scenario.ts';

/** What a line of a scenario may look like, and what it means. */
export type Pattern<T> = [form: RegExp, meaning: (parts: Parts) => T];

/** The groups of a matched line; `block` holds what followed it. */
export interface Parts {
  word(name: string): string;
  optional(name: string): string | undefined;
  /** A quoted text, or a bare path. */
  text(name: string): string;
  block(): Buffer;
  /** The block as something said: no newline at its end. */
  blockText(): string;
}

export const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
export const PATH = `(?<path>${QUOTED}|\\S+?)`;

const said = new RegExp(
  `^(?<where>reason|message|stderr|stdout) (?<verb>contains|lacks) (?<text>${QUOTED})$`,
);
const fileSays = new RegExp(`^file ${PATH} (?<verb>contains|lacks) (?<text>${QUOTED})$`);
const fileIs = new RegExp(`^(?:file ${PATH}|(?<state>state)) (?<is>unchanged|absent|exists)$`);
const fileBytes = new RegExp(`^file ${PATH} is(?: \\([a-z, ]+\\))?:$`);

export const CHECKS: Pattern<Check>[] = [
  [/^held$/, () => ({ kind: 'held' })],
  [/^let go$/, () => ({ kind: 'let-go' })],
  [
    said,
    (p) => ({
      kind: 'says',
      where: p.word('where') as 'reason' | 'message' | 'stderr' | 'stdout',
      text: p.text('text'),
      contains: p.word('verb') === 'contains',
    }),
  ],
  [/^exit (?<code>\d+)$/, (p) => ({ kind: 'exit', code: Number(p.word('code')) })],
  [
    fileSays,
    (p) => ({
      kind: 'file-says',
      path: p.text('path'),
      text: p.text('text'),
      contains: p.word('verb') === 'contains',
    }),
  ],
  [
    fileIs,
    (p) => ({
      kind: 'file',
      path: p.optional('state') ?? p.text('path'),
      is: p.word('is') as 'unchanged' | 'absent' | 'exists',
    }),
  ],
  [fileBytes, (p) => ({ kind: 'bytes', path: p.text('path'), content: p.block() })],
  [/^counter (?<value>\S+)$/, (p) => ({ kind: 'counter', value: p.word('value') })],
  [
    /^loop (?<session>S\d) status (?<status>[a-z_]+)(?: iteration (?<iteration>\d+))?$/,
    (p) => {
      const iteration = p.optional('iteration');
      return {
        kind: 'loop',
        session: p.word('session'),
        status: p.word('status'),
        ...(iteration === undefined ? {} : { iteration: Number(iteration) }),
      };
    },
  ],
  [/^no loop of (?<session>S\d)$/, (p) => ({ kind: 'no-loop', session: p.word('session') })],
  [/^within (?<seconds>\d+)s$/, (p) => ({ kind: 'within', ms: Number(p.word('seconds')) * 1000 })],
];
