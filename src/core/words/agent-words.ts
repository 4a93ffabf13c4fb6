import type { TraitsOf } from '../contract/gate-traits.ts';
import type { PhaseSituation } from '../loop/phases.ts';
import type { GateCall } from '../loop/plan-gates.ts';
import { keepShort, oneLine } from '../text/clip.ts';
import { redact } from '../text/redact.ts';

const BRIEF_LIMIT = 2000;
const CHECK_LIMIT = 110;
const MOST_CHECKS = 12;
const INSTRUCTION_LIMIT = 400;

/** What a subagent is told at its beginning: what it is judged by before it may stop, and what the loop is at. */
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
