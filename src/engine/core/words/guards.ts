import type { TraitsOf } from '../contract/gate-traits.ts';
import type { HookEvent } from '../loop/event.ts';
import type { PhaseSituation } from '../loop/phases.ts';
import type { GateCall } from '../loop/plan-gates.ts';
import { blocks, type Verdict } from '../loop/verdict.ts';
import { keepShort, oneLine } from '../text/clip.ts';
import { redact } from '../text/redact.ts';
import { failuresOf, REASON_LIMIT, standingReason } from './reason.ts';

const FAILURES_LIMIT = 6000;
const NEXT_LIMIT = 1500;
const NAME_LIMIT = 150;

/** The reason for a held task, teammate or subagent: what is held, what fails, what to do, when it is judged again. */
export function guardReason(event: HookEvent, verdicts: readonly Verdict[]): string {
  const words = wordsFor(event, verdicts);
  if (!words) return standingReason(verdicts, 'first');
  const next = verdicts.find((verdict) => blocks(verdict) && verdict.next)?.next;
  const parts = [
    `untildone: ${words.held}`,
    keepShort(failuresOf(verdicts), FAILURES_LIMIT),
    ...(next === undefined ? [] : [keepShort(/^next/i.test(next) ? next : `Next: ${next}`, NEXT_LIMIT)]),
    words.again,
  ];
  return keepShort(parts.join('\n\n'), REASON_LIMIT);
}

function wordsFor(
  event: HookEvent,
  verdicts: readonly Verdict[],
): { held: string; again: string } | undefined {
  switch (event.name) {
    case 'TaskCompleted':
      return {
        held: `task ${named(event.taskId, event.subject, verdicts)} is not completed yet. Fix this first.`,
        again: 'Then mark it as completed again: it is checked each time.',
      };
    case 'TaskCreated':
      // The reason does not repeat the text of the task: that text is what is refused.
      return { held: 'this task was not created.', again: 'Then create it again: it is checked each time.' };
    case 'TeammateIdle':
      return {
        held: `${short(event.teammate) || 'teammate'}, your work is not finished yet. Fix this first.`,
        again: 'Then stop: it is checked each time.',
      };
    default:
      return undefined;
  }
}

/** Names a task; its subject is left out when a text gate refuses it. */
function named(id: string, subject: string, verdicts: readonly Verdict[]): string {
  const isWrong = verdicts.some((verdict) => verdict.kind === 'text' && blocks(verdict));
  const quoted = subject.trim() === '' || isWrong ? '' : ` "${short(subject)}"`;
  return `${short(id)}${quoted}`;
}

function short(text: string): string {
  return oneLine(redact(text), NAME_LIMIT);
}

/** The most that is told with a prompt: it costs its tokens with every one. */
export const TELL_LIMIT = 4000;

/** The message for a prompt that was refused. The model sees neither. */
export function promptRefusal(verdicts: readonly Verdict[]): string {
  const next = verdicts.filter(blocks).flatMap((verdict) => (verdict.next ? [verdict.next] : []));
  const parts = [
    'untildone: this prompt was not sent to the model.',
    keepShort(failuresOf(verdicts), FAILURES_LIMIT),
    ...(next.length > 0 ? [keepShort(`What to do: ${next.join('; ')}.`, NEXT_LIMIT)] : []),
    'Change it and send it again: every prompt is checked by itself. The rules for prompts are in untildone.yaml, under "prompt".',
  ];
  return keepShort(parts.join('\n\n'), REASON_LIMIT);
}

/** The message for a prompt that is sent although it fails: a broken gate must not lock you out of your session. */
export function promptSentAnyway(verdicts: readonly Verdict[], refusals: number): string {
  const failing = verdicts.filter(blocks).map(({ gate }) => gate);
  return `untildone: this prompt was sent after ${refusals} refusals in a row, although ${oneLine(failing.join(', '), 300)} still refuses it.`;
}

/** The texts of the contract that go with a prompt; undefined when there are none. */
export function toldWithPrompt(texts: readonly string[]): string | undefined {
  const told = texts.map((text) => keepShort(text.trim(), TELL_LIMIT)).filter((text) => text !== '');
  if (told.length === 0) return undefined;
  return ['untildone: this project tells you with every prompt:', ...told].join('\n\n');
}

const WORDS_LEFT_OUT = 'what it said is not kept: it may repeat the prompt';

/** A verdict without words of the prompt: the journal holds no prompts, and only a text gate never repeats them. */
export function withoutPrompt(verdict: Verdict): Verdict {
  if (verdict.kind === 'text') return verdict;
  const { gate, kind, class: evidence, outcome, onUnproven, children } = verdict;
  return {
    gate,
    kind,
    class: evidence,
    outcome,
    summary: WORDS_LEFT_OUT,
    onUnproven,
    children: children === undefined ? undefined : children.map(withoutPrompt),
  };
}

/** Whether a text gate refuses it. Such a refusal is repeated without limit, because it says what to change. */
export function isRefusedByText(verdict: Verdict): boolean {
  if (!blocks(verdict)) return false;
  if (verdict.children) return verdict.children.some(isRefusedByText);
  return verdict.kind === 'text' && verdict.outcome === 'fail';
}

const BRIEF_LIMIT = 2000;
const CHECK_LIMIT = 110;
const MOST_CHECKS = 12;
const INSTRUCTION_LIMIT = 400;

/** Tells a subagent at its start which gates judge it, and which phase the loop is in. */
export function agentBrief(calls: readonly GateCall[], traitsOf: TraitsOf, phase?: PhaseSituation): string {
  const checkWords = (call: GateCall) => oneLine(whatPasses(call, traitsOf), CHECK_LIMIT);
  const checks = calls.slice(0, MOST_CHECKS).map((call) => `- ${call.name}: ${checkWords(call)}`);
  const rest = calls.length - checks.length;
  const before = `${BEGINNING}\n\nThe checks:\n`;
  const after = [...(phase ? [phaseWords(phase)] : []), 'Check it yourself before you end.'].join('\n\n');
  const list = [...checks, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
  return `${before}${keepShort(list, BRIEF_LIMIT - before.length - after.length - 2)}\n\n${after}`;
}

const BEGINNING =
  'untildone: your work is checked when you stop. As long as a check fails, you are sent back with what fails.';

function phaseWords({ name, number, of, instruction }: PhaseSituation): string {
  const asks = instruction === undefined ? '' : `: ${oneLine(redact(instruction), INSTRUCTION_LIMIT)}`;
  return `The whole work is in phase ${number} of ${of}, "${name}"${asks}`;
}

function whatPasses({ spec, children = [] }: GateCall, traitsOf: TraitsOf): string {
  const parts = children.map((child) => whatPasses(child, traitsOf));
  return traitsOf(spec.kind).passesWhen?.(spec.options, parts) ?? `a check of the kind ${spec.kind}`;
}
