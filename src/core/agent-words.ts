import { keepShort, oneLine } from './clip.ts';
import type { PhaseSituation } from './phases.ts';
import type { GateCall } from './plan-gates.ts';
import { renderPromise } from './promise.ts';
import { redact } from './redact.ts';

const BRIEF_LIMIT = 2000;
const CHECK_LIMIT = 110;
const MOST_CHECKS = 12;
const INSTRUCTION_LIMIT = 400;

/** What a subagent is told at its beginning: what it is judged by before it may stop, and what the loop is at. */
export function agentBrief(calls: readonly GateCall[], phase?: PhaseSituation): string {
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

function checkWords(call: GateCall): string {
  return oneLine(whatPasses(call), CHECK_LIMIT);
}

function whatPasses({ spec, children = [] }: GateCall): string {
  switch (spec.kind) {
    case 'run':
      return `\`${redact(spec.options.command)}\` succeeds${spec.options.cwd ? ` in ${spec.options.cwd}` : ''}`;
    case 'forbid': {
      const { patterns, custom } = spec.options;
      return `no added line has any of ${[...patterns, ...custom.map(({ name }) => name)].join(', ')}`;
    }
    case 'promise':
      return `your final message ends with ${renderPromise(spec.options.text)}`;
    case 'checklist':
      return `no open item is left in ${spec.options.file ?? 'the list of this conversation'}`;
    case 'chunks':
      return `the chunks that your task names, or all: ${spec.options.chunks.map(({ name }) => name).join(', ')}`;
    case 'all':
      return children.map(whatPasses).join('; and ');
    case 'any':
      return children.map(whatPasses).join('; or ');
    default:
      return `a check of the kind ${spec.kind}`;
  }
}
