import { type Answer, SILENCE } from '../core/answer.ts';
import type { FrozenContract, PromptRule } from '../core/contract.ts';
import { isPersonsPrompt, type PromptEvent } from '../core/event.ts';
import { guardedAfter } from '../core/guarded.ts';
import {
  isRefusedByText,
  promptLetThrough,
  promptRefusal,
  toldWithPrompt,
  withoutPrompt,
} from '../core/prompt-words.ts';
import { blocks, type Verdict } from '../core/verdict.ts';
import type { ForeignFiles, StandingState } from '../ports.ts';
import { joined } from './answers.ts';
import { GUARDED_BLOCKS } from './guard-work.ts';
import type { OwnLoop } from './handle-stop.ts';
import type { Judged } from './judge.ts';
import { judgeLoop } from './judge-loop.ts';
import { realInside } from './memory.ts';
import { rulingContract } from './ruling-contract.ts';
import type { SessionPorts } from './session-care.ts';

/** Who is being held, in journals and counts. */
const PROMPT = 'prompt';

/**
 * A prompt in a session with a loop; paused or not, since it is the person who is looked after here. The prompts of a
 * run are our own, and so are not judged. An answer that refuses means that nothing begins.
 */
export async function promptInLoop(
  event: PromptEvent,
  { ref, state }: OwnLoop,
  ports: SessionPorts,
): Promise<Answer> {
  if (!isPersonsPrompt(event) || state.run) return SILENCE;
  const { contract, frozen } = ports.store.contract(ref);
  const rule = contract.prompt;
  if (!rule || !rulingContract(ref, state, ports)) return SILENCE;
  if (rule.gates.length === 0) return told(rule, frozen.project, ports.notes.files);
  const { verdicts } = await judgeLoop(event, ref, state, { toolRan: true }, ports);
  const found = outcomeOf(verdicts, state.guarded[PROMPT] ?? 0);
  ports.store.append(ref, () => ({
    kind: 'guard',
    event: event.name,
    subject: PROMPT,
    verdicts: verdicts.map(withoutPrompt),
    refused: found.refused,
  }));
  return withTold(found, rule, frozen.project, ports.notes.files);
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
  const found = outcomeOf(verdicts, state.guarded[PROMPT] ?? 0);
  const guarded = guardedAfter(state.guarded, { subject: PROMPT, refused: found.refused, verdicts });
  if (found.refused || PROMPT in state.guarded) ports.standing.write(event.session, { ...state, guarded });
  return withTold(found, rule, frozen.project, ports.notes.files);
}

/**
 * A text gate says what to change, and never gives in: pressing a key often enough must not send a secret. Any other
 * gate may be one that no wording can pass, and gives in after so many refusals in a row.
 */
function outcomeOf(verdicts: readonly Verdict[], before: number): { refused: boolean; answer?: Answer } {
  if (!verdicts.some(blocks)) return { refused: false };
  if (verdicts.some(isRefusedByText) || before < GUARDED_BLOCKS) {
    return { refused: true, answer: { kind: 'refuse', reason: promptRefusal(verdicts) } };
  }
  return { refused: false, answer: { kind: 'tell', message: promptLetThrough(verdicts, before) } };
}

/** What is sent after all is sent with everything that goes with a prompt. */
function withTold(
  { refused, answer = SILENCE }: ReturnType<typeof outcomeOf>,
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
