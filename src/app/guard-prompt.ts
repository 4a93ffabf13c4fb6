import { type Answer, SILENCE } from '../core/answer.ts';
import type { FrozenContract, PromptRule } from '../core/contract.ts';
import { isPersonsPrompt, type PromptEvent } from '../core/event.ts';
import { guardedAfter } from '../core/guarded.ts';
import type { Entry } from '../core/journal.ts';
import {
  isRefusedByText,
  promptLetThrough,
  promptRefusal,
  toldWithPrompt,
  withoutPrompt,
} from '../core/prompt-words.ts';
import { blocks, type Verdict } from '../core/verdict.ts';
import type { Judged } from '../ports/judging.ts';
import type { SessionLoop } from '../ports/session-loop.ts';
import type { ForeignFiles, StandingState } from '../ports.ts';
import { joined, withMessages } from './answers.ts';
import { GUARDED_BLOCKS } from './guard-work.ts';
import { judgeLoop } from './judge-loop.ts';
import type { SessionPorts } from './judging-ports.ts';
import { realInside } from './memory.ts';
import { rulingContract } from './ruling-contract.ts';
import { KEPT, keepStanding, noteDown, standsUncounted } from './unwritten.ts';

interface Outcome {
  refused: boolean;
  answer?: Answer;
}

/** Who is being held, in journals and counts. */
const PROMPT = 'prompt';

/**
 * A prompt in a session with a loop; paused or not, since it is the person who is looked after here. The prompts of a
 * run are our own, and so are not judged. An answer that refuses means that nothing begins.
 */
export async function promptInLoop(
  event: PromptEvent,
  { ref, state }: SessionLoop,
  ports: SessionPorts,
): Promise<Answer> {
  if (!isPersonsPrompt(event) || state.run) return SILENCE;
  const { contract, frozen } = ports.store.contract(ref);
  const rule = contract.prompt;
  if (!rule || !rulingContract(ref, state, ports)) return SILENCE;
  if (rule.gates.length === 0) return told(rule, frozen.project, ports.notes.files);
  const { verdicts } = await judgeLoop(event, ref, state, { toolRan: true }, ports);
  const before = state.guarded[PROMPT] ?? 0;
  const found = outcomeOf(verdicts, before);
  const kept = { verdicts: verdicts.map(withoutPrompt), refused: found.refused };
  const entry: Entry = { kind: 'guard', event: event.name, subject: PROMPT, ...kept };
  const { written, messages } = noteDown(event, { ref, state }, entry, ports);
  const outcome = written ? found : uncounted(event, found, verdicts, before, ports);
  return withMessages(withTold(outcome, rule, frozen.project, ports.notes.files), messages);
}

/** A prompt in a session without a loop. */
export async function promptInSession(
  event: PromptEvent,
  { contract, frozen }: FrozenContract,
  judgeGates: (names: readonly string[], state: StandingState) => Promise<Judged>,
  ports: SessionPorts,
): Promise<Answer> {
  const rule = contract.prompt;
  if (!rule || !isPersonsPrompt(event)) return SILENCE;
  if (rule.gates.length === 0) return told(rule, frozen.project, ports.notes.files);
  const state = ports.standing.read(event.session);
  const { verdicts } = await judgeGates(rule.gates, state);
  const before = state.guarded[PROMPT] ?? 0;
  const found = outcomeOf(verdicts, before);
  const guarded = guardedAfter(state.guarded, { subject: PROMPT, refused: found.refused, verdicts });
  const isNews = found.refused || PROMPT in state.guarded;
  const { written, messages } = isNews
    ? keepStanding(event, { ...state, guarded }, frozen.project, ports)
    : KEPT;
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
  return { refused: false, answer: { kind: 'tell', message: promptLetThrough(verdicts, before) } };
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
    return { kind: 'inject', context, ...(file.problem === undefined ? {} : { message: file.problem }) };
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
