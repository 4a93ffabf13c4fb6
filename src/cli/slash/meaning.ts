import { LOOP_FLAGS, splitRalph, splitTask, splitWords } from './arguments.ts';

/** What a slash command does: a command line of untildone, as words that no shell reads. */
export interface Meaning {
  readonly words: readonly string[];
  /** What the agent is to work on afterwards, word for word. Absent: the command says something, and nothing goes on. */
  readonly task?: string;
  /** Goes on when this session has an active loop after the command, because what it waited for has come. */
  readonly goesOn?: boolean;
}

type Reader = (args: string) => Meaning;

/** The slash commands by name, without the plugin that brings them. */
const COMMANDS: Readonly<Record<string, Reader>> = {
  loop: (args) => {
    const { flags, task } = splitTask(args, LOOP_FLAGS);
    return { words: ['start', ...flags, '--', ...textWords(task)], task };
  },
  orchestrate: (args) => {
    const { flags, task } = splitTask(args, [{ name: '--complexity', value: /^\d+$/ }]);
    return { words: ['state', 'init', 'orchestrator', ...flags, '--', task], task };
  },
  'ralph-loop': (args) => {
    const { flags, task } = splitRalph(args);
    return { words: ['ralph-loop', ...flags, '--', ...textWords(task)], task };
  },
  'cancel-ralph': () => ({ words: ['cancel-ralph'] }),
  status: plain('status'),
  log: plain('log'),
  verify: plain('verify'),
  setup: plain('setup'),
  pause: withNote('pause'),
  cancel: withNote('cancel'),
  release: withNote('release'),
  resume: (args) => ({ ...withNote('resume')(args), goesOn: true }),
  approve: answer('approve'),
  reject: answer('reject'),
  answer: (args) => ({
    words: ['answer', ...(/^--[a-z]/.test(args) ? splitWords(args) : ['--', ...textWords(args)])],
    goesOn: true,
  }),
  lock: (args) => {
    if (['off', 'status'].includes(args)) return { words: ['lock', args] };
    if (/^--[a-z]/.test(args)) return { words: ['lock', 'on', ...splitWords(args)] };
    return args === '' ? { words: ['lock', 'on'] } : { words: ['lock', 'on', `--goal=${args}`], task: args };
  },
  trust: (args) =>
    /^[0-9a-f]+$/.test(args)
      ? { words: ['trust', `--fingerprint=${args}`] }
      : { words: args === '' ? ['trust', '--show'] : ['trust', ...splitWords(args)] },
};

export const COMMAND_NAMES = Object.keys(COMMANDS);

/** What a command with these arguments does; undefined for a command that is not ours. */
export function meaningOf(name: string, args: string): Meaning | undefined {
  const own = name.slice(name.lastIndexOf(':') + 1);
  return Object.hasOwn(COMMANDS, own) ? COMMANDS[own]?.(args.trim()) : undefined;
}

function textWords(text: string): string[] {
  return text === '' ? [] : [text];
}

function plain(command: string): Reader {
  return (args) => ({ words: [command, ...splitWords(args)] });
}

const LOOP_ID = /^\d{8}(?:-\w+)*$/;

/** A loop by its id, or words for the journal. */
function withNote(command: string): Reader {
  return (args) => {
    if (args === '' || /^--[a-z]/.test(args) || LOOP_ID.test(args))
      return { words: [command, ...splitWords(args)] };
    const [id = '', ...rest] = splitWords(args);
    if (LOOP_ID.test(id) && rest[0]?.startsWith('--')) return { words: [command, id, ...rest] };
    return LOOP_ID.test(id)
      ? { words: [command, id, `--note=${args.slice(args.indexOf(id) + id.length).trim()}`] }
      : { words: [command, `--note=${args}`] };
  };
}

/** One word is the name of what is answered; more words are a note for the agent. */
function answer(command: string): Reader {
  return (args) => {
    const words = splitWords(args);
    const isLine = words.length < 2 || words.some((word) => /^--(?:note|loop)(?:=|$)/.test(word));
    return { words: isLine ? [command, ...words] : [command, `--note=${args}`], goesOn: true };
  };
}
