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

/** The name of a prompt in journals and counts. */
const PROMPT = 'prompt';

/**
 * Judges a prompt of the user, and adds the text that the contract wants beside it. A paused loop judges prompts, too.
 * After a refusal no turn begins.
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
  const { verdicts } = await judgeEvent(event, calls, session.judged(), { toolRan: true }, ports);
  const before = session.refusals(PROMPT);
  const found = outcomeOf(verdicts, before);
  const kept = { verdicts: verdicts.map(withoutPrompt), refused: found.refused };
  const { written, messages } = session.record({ subject: PROMPT, ...kept });
  const outcome = written ? found : uncounted(event, found, verdicts, before, ports);
  return withMessages(withTold(outcome, rule, frozen.project, ports.notes.files), messages);
}

/**
 * A text gate refuses as long as it fails: sending a prompt again must not send a secret. Any other gate may fail whatever
 * the prompt says, so it refuses a bounded number of times in a row.
 */
function outcomeOf(verdicts: readonly Verdict[], before: number): Outcome {
  if (!verdicts.some(blocks)) return { refused: false };
  if (verdicts.some(isRefusedByText) || before < GUARDED_BLOCKS) {
    return { refused: true, answer: { kind: 'refuse', reason: promptRefusal(verdicts) } };
  }
  return { refused: false, answer: { kind: 'tell', message: promptSentAnyway(verdicts, before) } };
}

/** Bounds the refusals of a prompt by the fallback counts, when the journal cannot count them. */
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

/** Adds the text of the contract, unless the prompt is refused. */
function withTold(
  { refused, answer = SILENCE }: Outcome,
  rule: PromptRule,
  project: string,
  files: ForeignFiles,
): Answer {
  return refused ? answer : joined([answer, told(rule, project, files)]);
}

/** The text that the contract wants beside the prompt. */
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
    return { problem: `untildone: prompt: ${path} leads out of the project, so it is not added` };
  const read = files.read(real);
  if (read.kind === 'none')
    return { problem: `untildone: prompt: ${path} is not there, so nothing is added` };
  if (read.kind === 'unusable') return { problem: `untildone: prompt: ${read.problem}` };
  return { text: read.text };
}
