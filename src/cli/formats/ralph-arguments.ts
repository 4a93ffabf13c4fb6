import { UsageError } from '../../core/text/errors.ts';

export interface RalphArguments {
  prompt: string;
  /** 0 is the plugin's "unlimited". */
  maxIterations: number;
  promise?: string;
  session?: string;
  /** False: `max_iterations: 0` means for ever. */
  safetyStop: boolean;
}

const USAGE =
  'untildone ralph-loop "what is to be done" [--max-iterations N] [--completion-promise TEXT] [--no-safety-stop]';

/** Flags that take a value, as `/ralph-loop` knows them, and who owns the loop. */
const WITH_VALUE = ['--max-iterations', '--completion-promise', '--session'];

/**
 * The arguments of `/ralph-loop`, quoted or not. A promise of several words without quotes is taken whole when the prompt
 * stands before it; before the prompt nobody could tell where it ends, and it is one word.
 */
export function parseRalphArguments(args: readonly string[]): RalphArguments {
  const words: string[] = [];
  const values = new Map<string, string>();
  let safetyStop = true;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const [flag = '', inline] = splitFlag(arg);
    if (arg === '--') {
      words.push(...args.slice(i + 1));
      break;
    }
    if (flag === '--no-safety-stop' && inline !== undefined) {
      throw new UsageError('--no-safety-stop takes no value; leave it out to keep the safety stop');
    }
    if (flag === '--no-safety-stop') safetyStop = false;
    else if (WITH_VALUE.includes(flag)) {
      const taken = inline === undefined ? takenBy(flag, args, i + 1, words.length > 0) : [];
      values.set(flag, inline ?? taken.join(' '));
      i += taken.length;
    } else if (/^--[a-z]/.test(arg) && !/\s/.test(arg)) {
      throw new UsageError(
        `unknown flag ${flag}; type: ${USAGE} (a prompt that begins with -- stands behind --)`,
      );
    } else words.push(arg);
  }
  const prompt = words.join(' ').trim();
  if (prompt === '') throw new UsageError(`the prompt is missing; type: ${USAGE}`);
  const promise = values.get('--completion-promise');
  const session = values.get('--session');
  return {
    prompt,
    maxIterations: countOf(values.get('--max-iterations') ?? '0'),
    safetyStop,
    ...(promise === undefined ? {} : { promise }),
    ...(session === undefined ? {} : { session }),
  };
}

function splitFlag(arg: string): [string, string?] {
  const at = arg.indexOf('=');
  return arg.startsWith('--') && at > 0 ? [arg.slice(0, at), arg.slice(at + 1)] : [arg];
}

function takenBy(flag: string, args: readonly string[], from: number, promptBefore: boolean): string[] {
  const rest = args.slice(from);
  const end = rest.findIndex((arg) => /^--([a-z]|$)/.test(arg));
  const free = end < 0 ? rest : rest.slice(0, end);
  if (free.length === 0) throw new UsageError(`${flag} needs a value; type: ${USAGE}`);
  return flag === '--completion-promise' && promptBefore ? free : free.slice(0, 1);
}

function countOf(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new UsageError(
    `--max-iterations is a whole number, 0 for no limit, not "${text.slice(0, 40)}"; type for example: --max-iterations 20`,
  );
}
