import type { Action, Check, Shape, StopGiven } from './scenario.ts';

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
        iteration: iteration === undefined ? undefined : Number(iteration),
      };
    },
  ],
  [/^no loop of (?<session>S\d)$/, (p) => ({ kind: 'no-loop', session: p.word('session') })],
  [/^within (?<seconds>\d+)s$/, (p) => ({ kind: 'within', ms: Number(p.word('seconds')) * 1000 })],
];

export const ORDINARY: StopGiven = {
  background: [],
  wakeUps: [],
  withoutMessage: false,
  throughLink: false,
  env: {},
  fullDisk: false,
  installed: false,
};

const stop = new RegExp(
  `^stop (?<session>S\\d)(?: (?:says (?<says>nothing|${QUOTED})|(?<finished>finished)))?` +
    '(?:, up to (?<times>\\d+) times until let go)?$',
);
const write = new RegExp(`^write ${PATH}(?: \\([a-z, ]+\\))?:$`);
const make = new RegExp(`^make ${PATH} (?<what>[a-z\\d].*)$`);

export const ACTIONS: Pattern<Action>[] = [
  [
    stop,
    (p) => {
      const times = p.optional('times');
      const says = p.optional('says') ?? '"Still at work: step {n}."';
      return {
        kind: 'stop',
        session: p.word('session'),
        says: p.optional('finished')
          ? { kind: 'finished' }
          : says === 'nothing'
            ? { kind: 'nothing' }
            : { kind: 'text', text: JSON.parse(says) as string },
        upTo: times === undefined ? undefined : Number(times),
        given: ORDINARY,
      };
    },
  ],
  [
    /^stop (?<session>S\d) says:$/,
    (p) => ({
      kind: 'stop',
      session: p.word('session'),
      says: { kind: 'text', text: p.blockText() },
      given: ORDINARY,
    }),
  ],
  [
    /^(?<name>session-start|session-end|stop-failure) (?<session>S\d)(?: (?<detail>\S+))?$/,
    (p) => ({
      kind: 'event',
      name: p.word('name') as 'session-start' | 'session-end' | 'stop-failure',
      session: p.word('session'),
      detail: p.optional('detail') ?? '',
    }),
  ],
  [
    new RegExp(`^prompt (?<session>S\\d) (?<text>${QUOTED})$`),
    (p) => ({ kind: 'prompt', session: p.word('session'), text: p.text('text') }),
  ],
  [/^tool (?<session>S\d)$/, (p) => ({ kind: 'tool', session: p.word('session') })],
  [
    /^the client of (?<session>S\d) is killed$/,
    (p) => ({ kind: 'client-killed', session: p.word('session') }),
  ],
  [write, (p) => ({ kind: 'write', path: p.text('path'), content: p.block() })],
  [new RegExp(`^remove ${PATH}$`), (p) => ({ kind: 'remove', path: p.text('path') })],
  [/^restore state$/, () => ({ kind: 'restore' })],
  [make, (p) => ({ kind: 'make', path: p.text('path'), what: shapeOf(p.word('what')) })],
  [/^git (?<line>.+)$/, (p) => ({ kind: 'git', line: p.word('line') })],
  [/^run (?<line>untildone\b.*)$/, (p) => ({ kind: 'run', line: p.word('line') })],
  [/^run:$/, (p) => ({ kind: 'run', line: p.blockText() })],
  [
    /^(?<session>S\d) runs (?<line>untildone\b.*)$/,
    (p) => ({ kind: 'run', line: p.word('line'), by: p.word('session') }),
  ],
  [/^(?<session>S\d) runs:$/, (p) => ({ kind: 'run', line: p.blockText(), by: p.word('session') })],
];

const SHAPES: Record<string, Shape> = {
  'a folder': { kind: 'folder' },
  'a fifo': { kind: 'fifo' },
  'a link to itself': { kind: 'link-to-itself' },
  unreadable: { kind: 'unreadable' },
  'read-only': { kind: 'read-only' },
  'not executable': { kind: 'not-executable' },
};
const LARGE = /^(\d+) MiB large$/;
const OLDER = /^(\d+)h older$/;
const LINK = /^a link to (\S+)$/;

function shapeOf(what: string): Shape {
  const large = LARGE.exec(what)?.[1];
  if (large) return { kind: 'large', bytes: Number(large) * 1024 * 1024 };
  const older = OLDER.exec(what)?.[1];
  if (older) return { kind: 'older', ms: Number(older) * 3_600_000 };
  const shape = SHAPES[what];
  const to = shape ? undefined : LINK.exec(what)?.[1];
  if (to) return { kind: 'link', to };
  if (!shape) throw new Error(`a file cannot be made "${what}"`);
  return shape;
}

/** What stands behind `with`, and what it changes of an ordinary Stop. */
export const STOP_GIVEN: Pattern<(given: StopGiven) => StopGiven>[] = [
  [/^stop_hook_active$/, () => (g) => ({ ...g, stopHookActive: true })],
  [/^no stop_hook_active$/, () => (g) => ({ ...g, stopHookActive: false })],
  [
    /^background (?<type>shell|subagent) (?<id>\S+)(?: (?<status>[a-z]+))?$/,
    (p) => (g) => {
      const task = { id: p.word('id'), type: p.word('type'), status: p.optional('status') ?? 'running' };
      return { ...g, background: [...g.background, task] };
    },
  ],
  [
    /^(?<kind>recurring )?wake-up (?<id>\S+)$/,
    (p) => (g) => {
      const wakeUp = { id: p.word('id'), recurring: p.optional('kind') !== undefined };
      return { ...g, wakeUps: [...g.wakeUps, wakeUp] };
    },
  ],
  [/^context (?<n>\d+)%$/, (p) => (g) => ({ ...g, contextPercent: Number(p.word('n')) })],
  [/^no last_assistant_message$/, () => (g) => ({ ...g, withoutMessage: true })],
  [
    /^transcript (?<kind>missing|stale|torn|folder)$/,
    (p) => (g) => {
      const kind = p.word('kind') as 'missing' | 'stale' | 'torn' | 'folder';
      return { ...g, transcript: { kind } };
    },
  ],
  [
    /^transcript(?: \([a-z, ]+\))?:$/,
    (p) => {
      const content = p.block();
      return (g) => ({ ...g, transcript: { kind: 'lines', content } });
    },
  ],
  [new RegExp(`^cwd ${PATH}$`), (p) => (g) => ({ ...g, cwd: p.text('path') })],
  [new RegExp(`^project ${PATH}$`), (p) => (g) => ({ ...g, project: p.text('path') })],
  [/^the project through a link$/, () => (g) => ({ ...g, throughLink: true })],
  [
    /^env (?<name>[A-Z_]+)=(?<value>.*)$/,
    (p) => (g) => ({ ...g, env: { ...g.env, [p.word('name')]: p.word('value') } }),
  ],
  [/^(?<which>torn|no) input$/, (p) => (g) => ({ ...g, input: p.word('which') as 'torn' | 'no' })],
  [/^a full disk$/, () => (g) => ({ ...g, fullDisk: true })],
  [/^the installed hook$/, () => (g) => ({ ...g, installed: true })],
];
