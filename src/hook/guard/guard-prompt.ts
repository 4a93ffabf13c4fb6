import type { PromptRule } from '../../core/contract/contract.ts';
import { type Answer, isPersonsPrompt, type PromptEvent, SILENCE } from '../../core/loop/event.ts';
import { planGates } from '../../core/loop/plan-gates.ts';
import { blocks, type Verdict } from '../../core/loop/verdict.ts';
import {
  isRefusedByText,
  promptRefusal,
  promptSentAnyway,
  toldWithPrompt,
  withoutPrompt,
} from '../../core/words/guards.ts';
import { judgeEvent } from '../../judging/judge-event.ts';
import type { SessionPorts } from '../../judging/ports.ts';
import type { GuardedSession } from '../../ports/guarded-session.ts';
import type { ForeignFiles } from '../../ports/ports.ts';
import { realInside } from '../events/notes.ts';
import { joined, withMessages } from '../stop/answers.ts';
import { standsUncounted } from '../unwritable-journal.ts';
import { GUARDED_BLOCKS } from './guard-work.ts';

interface Outcome {
  refused: boolean;
  answer?: Answer;
}

/** Who is being held, in journals and counts. */
const PROMPT = 'prompt';

/**
 * Guards a prompt that a person sends, and adds what the contract tells with it. A paused loop guards prompts, too: it
 * is the person who is looked after here. An answer that refuses means that nothing begins.
 */
export async function guardPrompt(
  event: PromptEvent,
  session: GuardedSession,
  ports: SessionPorts,
): Promise<Answer> {
  const { contract, frozen } = session.contract;
  const rule = contract.prompt;
  if (!rule || !isPersonsPrompt(event) || !session.rules()) return SILENCE;
  if (rule.gates.length === 0) return told(rule, frozen.project, ports.notes.files);
  const calls = planGates(event, contract);
  const { verdicts } = await judgeEvent(event, calls, session.facts(), { toolRan: true }, ports);
  const before = session.refusals(PROMPT);
  const found = outcomeOf(verdicts, before);
  const kept = { verdicts: verdicts.map(withoutPrompt), refused: found.refused };
  const { written, messages } = session.record({ subject: PROMPT, ...kept });
  const outcome = written ? found : uncounted(event, found, verdicts, before, ports);
  return withMessages(withTold(outcome, rule, frozen.project, ports.notes.files), messages);
}

/**
 * A text gate says what to change, and never gives in: pressing a key often enough must not send a secret. Any other
 * gate may be one that no wording can pass, and gives in after so many refusals in a row.
 */
function outcomeOf(verdicts: readonly Verdict[], before: number): Outcome {
  if (!verdicts.some(blocks)) return { refused: false };
  if (verdicts.some(isRefusedByText) || before < GUARDED_BLOCKS) {
    return { refused: true, answer: { kind: 'refuse', reason: promptRefusal(verdicts) } };
  }
  return { refused: false, answer: { kind: 'tell', message: promptSentAnyway(verdicts, before) } };
}

/** What was found, where the count of refusals cannot be kept: a prompt must not be refused for ever by what no wording passes. */
function uncounted(
  event: PromptEvent,
  found: Outcome,
  verdicts: readonly Verdict[],
  before: number,
  ports: SessionPorts,
): Outcome {
  if (!found.refused || verdicts.some(isRefusedByText)) return found;
  if (standsUncounted(event, PROMPT, GUARDED_BLOCKS - before, ports)) return found;
  return outcomeOf(verdicts, GUARDED_BLOCKS);
}

/** What is sent after all is sent with everything that goes with a prompt. */
function withTold(
  { refused, answer = SILENCE }: Outcome,
  rule: PromptRule,
  project: string,
  files: ForeignFiles,
): Answer {
  return refused ? answer : joined([answer, told(rule, project, files)]);
}

/** What the contract wants to be said beside the prompt. */
function told({ tell, tellFile }: PromptRule, project: string, files: ForeignFiles): Answer {
  const file = tellFile === undefined ? {} : beginningOf(tellFile, project, files);
  const context = toldWithPrompt([tell ?? '', file.text ?? '']);
  if (context !== undefined) {
    return { kind: 'inject', context, message: file.problem };
  }
  return file.problem === undefined ? SILENCE : { kind: 'tell', message: file.problem };
}

function beginningOf(
  path: string,
  project: string,
  files: ForeignFiles,
): { text?: string; problem?: string } {
  const real = realInside(project, path, files);
  if (real === undefined)
    return { problem: `untildone: prompt: ${path} leads out of the project: it is not told` };
  const read = files.read(real);
  if (read.kind === 'none') return { problem: `untildone: prompt: there is no ${path} to be told` };
  if (read.kind === 'unusable') return { problem: `untildone: prompt: ${read.problem}` };
  return { text: read.text };
}
