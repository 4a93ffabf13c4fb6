/** The agent asks you something: by `untildone ask` in its shell, or by a line that says exactly that. */
import { DEFAULT_ASK } from '../../core/contract/contract.ts';
import {
  type Asking,
  ask,
  cleanAnswer,
  cleanQuestion,
  MOST_OPTIONS,
  questionsForYou,
  questionsToDecide,
} from '../../core/loop/asked.ts';
import type { Entry } from '../../core/loop/entry.ts';
import { type Answer, isPersonsPrompt, type PromptEvent, SILENCE } from '../../core/loop/event.ts';
import { type AskedQuestion, hasEnded, type LoopState } from '../../core/loop/state.ts';
import type { AskRule } from '../../core/run/options.ts';
import { UsageError } from '../../core/text/errors.ts';
import type { AskRequest } from '../../core/tools/ask-command.ts';
import { askingWords } from '../../core/words/asking.ts';
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';

/** Writes a question, or a decision of the agent, into the journal. Returns what the agent is told, or throws it. */
export function askPerson(ref: LoopRef, request: AskRequest, { store }: Pick<Ports, 'store'>): string {
  const question = cleanQuestion(request.text, request.options);
  const rule = store.contract(ref).contract.ask ?? DEFAULT_ASK;
  refuseUnclear(question, request, rule);
  const asking = question.text === '' ? undefined : recordQuestion(ref, question, rule, store);
  if (asking?.kind === 'too_many') throw new UsageError(askingWords(asking));
  if (request.decided !== undefined && asking?.kind !== 'answered')
    return recordDecision(ref, cleanAnswer(request.decided), asking, store);
  return asking ? askingWords(asking) : '';
}

type Question = ReturnType<typeof cleanQuestion>;

function refuseUnclear({ text, options }: Question, { decided }: AskRequest, { policy }: AskRule): void {
  if (text === '' && decided === undefined)
    throw new UsageError('the question is empty; type what you want to know: untildone ask "which one?"');
  if (options.length > MOST_OPTIONS)
    throw new UsageError(`a question has at most ${MOST_OPTIONS} options; ask for less at once`);
  if (decided === undefined) return;
  if (policy !== 'decide')
    throw new UsageError(
      'not written down: only a person answers the questions of this loop; untildone ask without --decided asks them',
    );
  if (cleanAnswer(decided) === '')
    throw new UsageError('the decision is empty; type what you decided, and why');
}

function recordQuestion(ref: LoopRef, question: Question, rule: AskRule, store: Ports['store']): Asking {
  let asking: Asking = { kind: 'too_many' };
  store.append(ref, (state) => {
    if (hasEnded(state)) throw new UsageError(`loop ${ref.loop} has ended: nobody is asked any more`);
    asking = ask(state, question, rule);
    return asking.kind === 'asks' ? asking.entry : undefined;
  });
  return asking;
}

/** Writes down what the agent decided about the question that it names, else about the newest. */
function recordDecision(
  ref: LoopRef,
  note: string,
  asking: Asking | undefined,
  store: Ports['store'],
): string {
  let meant: AskedQuestion | undefined;
  const asked =
    asking?.kind === 'asks' ? asking.entry : asking?.kind === 'open' ? asking.question : undefined;
  store.append(ref, (state) => {
    meant = questionsToDecide(state).findLast(({ name }) => asked === undefined || name === asked.name);
    return meant && { kind: 'answered', gate: meant.name, said: 'decided', note };
  });
  if (meant)
    return `Written down for ${meant.name}: you decided it yourself. It stands in the receipt as an assumption. Go on.`;
  throw new UsageError(
    'no question is open that you could decide; name it: untildone ask "..." --decided "..."',
  );
}

/** A prompt for untildone itself is no answer. */
const OWN_COMMAND = /^\s*\/untildone\b/i;

/** Takes the prompt that you send in the session for your answer to what the agent asked there. */
export function answerByPrompt(
  event: PromptEvent,
  { ref, state }: { ref: LoopRef; state: LoopState },
  { store }: Pick<Ports, 'store'>,
): Answer {
  if (state.run || state.status !== 'active' || !isPersonsPrompt(event) || OWN_COMMAND.test(event.prompt))
    return SILENCE;
  const taken: AskedQuestion[] = [];
  for (const question of questionsForYou(state)) {
    const entry: Entry = { kind: 'answered', gate: question.name, said: 'prompted' };
    try {
      store.append(ref, (fresh) => {
        if (!questionsForYou(fresh).some(({ name }) => name === question.name)) return undefined;
        taken.push(question);
        return entry;
      });
    } catch {
      // The question stays open: the session may stop for it once more.
    }
  }
  if (taken.length === 0) return SILENCE;
  const asked = taken.map(({ name, text }) => `"${text}" (${name})`).join(', ');
  const context = `untildone: you asked ${asked}. The person read that and sends this prompt: it is their answer. Where it says nothing about it, decide yourself.`;
  return { kind: 'inject', context };
}
