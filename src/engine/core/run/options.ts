/**
 * The options of a run, each declared once. Flags and their help, keys of the contract, what a fleet's job carries, what the
 * library takes and what `untildone trust` shows are derived from here.
 */
import { defined } from '../text/defined.ts';
import { LONGEST_TIMER_MS } from '../text/duration.ts';
import {
  ASK_POLICIES,
  DEFAULTS,
  type Limit,
  PERMISSION_MODES,
  RUN_MODES,
  type RunMode,
} from './option-values.ts';

/** What an option may be: its type, and how it is checked wherever it is written. */
export type OptionValue =
  /** `known`: the contract and the library take no other; a flag does, for a newer Claude Code may know more. */
  | { is: 'text' | 'texts'; what: string; known?: readonly string[] }
  | { is: 'one_of'; of: readonly string[] }
  | {
      is: 'count' | 'tokens' | 'usd' | 'share' | 'time';
      /** What the word `unlimited` means. Absent: only a flag takes it, and then means nothing. */
      unlimited?: 'unlimited' | number;
    };

export interface RunOption {
  value: OptionValue;
  /** The part of the options that it belongs to; absent for options of the run itself. */
  in?: 'limits' | 'ask' | 'client';
  /** What counts where neither you nor the contract say anything. */
  default?: string | number;
  flag?: {
    name: string;
    help: string;
    /** How much more a run gets that goes on, for example. Only options with it can be raised like this: `--max-cost +5`. */
    more?: string;
  };
  /** Its key in `untildone.yaml`: where, and what the schema says about it. A text with "(default)" says itself which it is. */
  contract?: { at: 'run' | 'limits' | 'ask'; key: string; says: string; example: string };
}

const RUN = 'run: { model: sonnet, allow: ["Bash(npm test:*)"], max_turns: 200 }';
const ASK = 'ask: { policy: wait, timeout: 12h }';

/** In the order in which help and the JSON Schema list them. */
export const RUN_OPTIONS = {
  promise: {
    value: { is: 'text', what: 'a text' },
    flag: { name: '--promise <text>', help: 'the statement that ends the loop, besides the gates' },
  },
  iterations: {
    in: 'limits',
    value: { is: 'count', unlimited: 'unlimited' },
    default: DEFAULTS.limits.iterations,
    flag: {
      name: '--max-iterations <n>',
      help: 'most iterations: a whole number from 1, or "unlimited"',
      more: '+20',
    },
    contract: {
      at: 'limits',
      key: 'iterations',
      says: 'How many iterations the loop may take',
      example: 'iterations: 50',
    },
  },
  durationMs: {
    in: 'limits',
    value: { is: 'time', unlimited: 'unlimited' },
    default: DEFAULTS.limits.durationMs,
    flag: {
      name: '--max-duration <time>',
      help: 'longest working time, like 8h, 90m, 1h30m, or "unlimited"',
      more: '+2h',
    },
    contract: {
      at: 'limits',
      key: 'duration',
      says: 'Working time, waiting excluded',
      example: 'duration: 8h',
    },
  },
  costUsd: {
    in: 'limits',
    value: { is: 'usd', unlimited: 'unlimited' },
    default: DEFAULTS.limits.costUsd,
    flag: {
      name: '--max-cost <usd>',
      help: 'most USD for all sessions together, or "unlimited"',
      more: '+5',
    },
    contract: {
      at: 'limits',
      key: 'cost_usd',
      says: 'What the loop may cost in US dollars',
      example: 'cost_usd: 20',
    },
  },
  /** Input, output and cache creation; cache reads are not counted. */
  tokens: {
    in: 'limits',
    value: { is: 'tokens', unlimited: 'unlimited' },
    default: DEFAULTS.limits.tokens,
    flag: {
      name: '--max-tokens <n>',
      help: 'most tokens for all sessions together, or "unlimited"',
      more: '+1000000',
    },
    contract: {
      at: 'limits',
      key: 'tokens',
      says: 'Input, output and cache creation; cache reads are not counted',
      example: 'tokens: 20M',
    },
  },
  /** Holds with the same failure and an unchanged tree. */
  stall: {
    in: 'limits',
    value: { is: 'count' },
    default: DEFAULTS.limits.stall,
    contract: {
      at: 'limits',
      key: 'stall',
      says: 'After so many holds with the same failure and an unchanged tree the loop ends as stalled',
      example: 'stall: 3',
    },
  },
  /** Share of the context window from which a run hands over. */
  context: {
    in: 'limits',
    value: { is: 'share' },
    default: DEFAULTS.limits.context,
    flag: {
      name: '--context <share>',
      help: 'begin a fresh session when this share of the context window is used',
    },
    contract: {
      at: 'limits',
      key: 'context',
      says: 'Share of the context window from which a run hands over',
      example: 'context: 0.8',
    },
  },
  model: {
    in: 'client',
    value: { is: 'text', what: 'the name of a model' },
    flag: { name: '--model <model>', help: 'the model of the sessions' },
    contract: {
      at: 'run',
      key: 'model',
      says: 'The model of the sessions',
      example: 'run: { model: sonnet }',
    },
  },
  /** A contract never says `bypassPermissions`: only you can choose that. */
  permissionMode: {
    in: 'client',
    value: { is: 'text', what: 'a permission mode', known: PERMISSION_MODES },
    default: 'acceptEdits',
    flag: { name: '--permission-mode <mode>', help: 'what sessions may do without asking' },
    contract: {
      at: 'run',
      key: 'permission_mode',
      says: 'What sessions may do without asking',
      example: 'run: { permission_mode: acceptEdits }',
    },
  },
  /** Permission rules that are allowed without asking; those of the contract count as well. */
  allow: {
    in: 'client',
    value: { is: 'texts', what: 'permission rule' },
    flag: {
      name: '--allow <rule>',
      help: 'a permission rule, such as "Bash(npm test:*)"; may be repeated',
    },
    contract: {
      at: 'run',
      key: 'allow',
      says: 'Permission rules that are allowed without asking, such as Bash(npm test:*)',
      example: RUN,
    },
  },
  /** Of one session. */
  maxTurns: {
    in: 'client',
    value: { is: 'count' },
    flag: { name: '--max-turns <n>', help: 'most turns of one session' },
    contract: {
      at: 'run',
      key: 'max_turns',
      says: 'How many turns one session may take',
      example: 'run: { max_turns: 200 }',
    },
  },
  mode: {
    value: { is: 'one_of', of: RUN_MODES },
    default: 'hybrid',
    flag: { name: '--mode <mode>', help: 'when a fresh session begins' },
    contract: {
      at: 'run',
      key: 'mode',
      says: 'When a fresh session begins. hybrid (default): when the context fills. session: never. fresh: with every iteration',
      example: 'run: { mode: hybrid }',
    },
  },
  /** Hand over after so many iterations. */
  freshEvery: {
    value: { is: 'count' },
    flag: { name: '--fresh-every <n>', help: 'begin a fresh session after this many iterations' },
    contract: {
      at: 'run',
      key: 'fresh_every',
      says: 'After so many iterations a fresh session begins',
      example: 'run: { fresh_every: 10 }',
    },
  },
  /** How long Claude Code may be silent before it counts as hung. */
  idleMs: {
    in: 'client',
    value: { is: 'time', unlimited: LONGEST_TIMER_MS },
    default: 15 * 60_000,
    flag: {
      name: '--idle-timeout <time>',
      help: 'end a session in which Claude Code was silent for this long',
    },
    contract: {
      at: 'run',
      key: 'idle_timeout',
      says: 'How long Claude Code may be silent before it counts as hanging',
      example: 'run: { idle_timeout: 15m }',
    },
  },
  /** The longest that one session may take. */
  sessionMs: {
    in: 'client',
    value: { is: 'time' },
    flag: { name: '--max-iteration-duration <time>', help: 'longest time of one session, like 2h' },
    contract: {
      at: 'run',
      key: 'session_duration',
      says: 'How long one session may take',
      example: 'run: { session_duration: 2h }',
    },
  },
  /** Added to Claude Code's own system prompt. */
  systemPrompt: {
    in: 'client',
    value: { is: 'text', what: 'a text' },
    contract: {
      at: 'run',
      key: 'system_prompt',
      says: 'Added to the system prompt of the sessions',
      example: 'run: { system_prompt: Answer in English. }',
    },
  },
  policy: {
    in: 'ask',
    value: { is: 'one_of', of: ASK_POLICIES },
    default: DEFAULTS.ask.policy,
    flag: {
      name: '--ask <policy>',
      help: 'when the agent asks something: wait for you, let it decide, or end the run',
    },
    contract: { at: 'ask', key: 'policy', says: 'wait (default), decide or end', example: 'ask: wait' },
  },
  /** The longest that a run waits for one answer; then it pauses. */
  waitMs: {
    in: 'ask',
    value: { is: 'time', unlimited: 'unlimited' },
    default: DEFAULTS.ask.waitMs,
    flag: {
      name: '--ask-timeout <time>',
      help: 'longest wait for one answer, like 12h, or "unlimited"; then the run pauses',
    },
    contract: {
      at: 'ask',
      key: 'timeout',
      says: 'How long a run waits for one answer before it pauses',
      example: ASK,
    },
  },
} as const satisfies Record<string, RunOption>;

type Declared = typeof RUN_OPTIONS;
export type OptionName = keyof Declared;

type TypeOf<Value> = Value extends { is: 'one_of'; of: readonly (infer Word)[] }
  ? Word
  : Value extends { is: 'text' }
    ? string
    : Value extends { is: 'texts' }
      ? string[]
      : Value extends { unlimited: 'unlimited' }
        ? Limit
        : number;

/** The names of the options that are declared like this. */
type Named<Like> = { [Name in OptionName]: Declared[Name] extends Like ? Name : never }[OptionName];
type Values<Names extends OptionName> = { [Name in Names]?: TypeOf<Declared[Name]['value']> };
type In<Part> = Named<{ in: Part }>;

/** The limits that you can set. */
export type SetLimits = Required<Values<In<'limits'>>>;

/** What happens when the agent asks you something. */
export type AskRule = Required<Values<In<'ask'>>>;

/** How the sessions of a run are started, as far as options say it. */
export type SessionRules = Values<In<'client'>>;

/** What the contract says about runs. */
export type WrittenRules = Values<Named<{ contract: { at: 'run' } }>>;

/** Limits that a run which goes on can be given more of. */
export type RaisedLimit = Named<{ flag: { more: string } }>;

/** What you choose for a run, by flags or in a program. An option that is absent is left to the contract. */
export type RunChoices = Values<Exclude<Named<{ flag: object }>, In<'limits' | 'ask' | 'client'>>> & {
  limits: Values<In<'limits'> & Named<{ flag: object }>>;
  ask?: Values<In<'ask'>>;
  client: Values<In<'client'> & Named<{ flag: object }>>;
};

/** When fresh sessions begin. The journal keeps it, because each step of the run depends on it. */
export type Pace = { mode: RunMode } & Pick<RunChoices, 'freshEvery'>;

/** What you choose wins over the contract. */
export function paceFor(chosen: Partial<Pace>, written: Partial<Pace> = {}): Pace {
  const { mode = RUN_OPTIONS.mode.default, freshEvery } = { ...defined(written), ...defined(chosen) };
  return { mode, freshEvery };
}

/** Every option, for whoever derives something from all of them. */
export const runOptions = Object.entries(RUN_OPTIONS) as [OptionName, RunOption][];

/** Those of a part that a record holds, without the ones that have no value. */
export function onlyIn<Part extends 'limits' | 'ask' | 'client'>(
  part: Part,
  record: { [Name in In<Part>]?: unknown },
): Values<In<Part>> {
  const values = record as Record<string, unknown>;
  const names = runOptions.filter(([name, option]) => option.in === part && values[name] !== undefined);
  return Object.fromEntries(names.map(([name]) => [name, values[name]])) as Values<In<Part>>;
}

/** The choices that a record holds among other things, such as the job of a fleet. */
export function choicesOf(record: RunChoices): RunChoices {
  const { limits, ask, client } = record;
  const values = record as unknown as Record<string, unknown>;
  const own = runOptions.filter(([name, option]) => !option.in && option.flag && values[name] !== undefined);
  const chosen = Object.fromEntries(own.map(([name]) => [name, values[name]]));
  return { ...chosen, limits, client, ...(ask === undefined ? {} : { ask }) };
}

/** What counts for sessions where nobody says anything. */
export function sessionDefaults(): Required<Values<In<'client'> & Named<{ default: string | number }>>> {
  const { permissionMode, idleMs } = RUN_OPTIONS;
  return { permissionMode: permissionMode.default, idleMs: idleMs.default };
}

const SHORTEST: [unit: string, ms: number][] = [
  ['h', 3_600_000],
  ['m', 60_000],
];

/** The default of an option as one would type it at a flag; undefined for an option without one. */
export function defaultWords({ value, default: given }: RunOption): string | undefined {
  if (given === undefined || value.is !== 'time') return given === undefined ? undefined : String(given);
  const [unit, ms] = SHORTEST.find(([, each]) => Number(given) % each === 0) ?? ['ms', 1];
  return `${Number(given) / ms}${unit}`;
}
