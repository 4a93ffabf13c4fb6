/** What a person saw of a run when they answered it. An answer counts for that, and for nothing that came later. */
import { openQuestions } from '../loop/asked.ts';
import type { AskedQuestion, LoopState } from '../loop/state.ts';

interface Seen {
  iteration: number;
  questions: string[];
}

interface Said {
  command: string;
  about?: string;
  seen?: Seen;
}

type Asking = Pick<LoopState, 'iteration' | 'questions' | 'answers'>;

/** Every run begins so. */
const FIRST: Seen = { iteration: 1, questions: [] };

/** `state`: undefined for a run that nobody has begun. */
export function seenIn(state: Asking | undefined): Seen {
  return state ? { iteration: state.iteration, questions: openQuestions(state).map(marked) } : FIRST;
}

function marked({ name, text, options = [], at }: AskedQuestion): string {
  return JSON.stringify([name, text, options, at]);
}

/** Why a command is about something that has passed; undefined for one that still means what it says. */
export function whyPassed({ command, about, seen }: Said, state: Asking): string | undefined {
  if (!seen || !ANSWERS.has(command)) return undefined;
  const open = openQuestions(state);
  const named = open.filter(
    ({ name }) => about === undefined || name === about || name === `question ${about}`,
  );
  const meant = command === 'answer' && named.length === 0 ? open : named;
  if (meant.length > 0)
    return meant.every((question) => seen.questions.includes(marked(question)))
      ? undefined
      : 'its agent asks something else by now';
  if (command === 'answer' || seen.iteration === state.iteration) return undefined;
  return `it was said about iteration ${seen.iteration}, and the run is in iteration ${state.iteration} by now`;
}

const ANSWERS = new Set(['answer', 'approve', 'reject']);
