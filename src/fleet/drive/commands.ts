/** Carries out what people ask of a run, each command once, also when it is delivered again. */
import { whyPassed } from '../../engine/core/fleet/seen.ts';
import type { LoopState } from '../../engine/core/loop/state.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import type { RunCommand } from '../../engine/ports/fleet.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import { answerAgent, answerIn, questionMeant } from '../../engine/run/person/answer.ts';
import { answerQuestion } from '../../engine/run/person/approve-reject.ts';
import { commandLoop } from '../../engine/run/person/pause-resume-cancel-release.ts';

const REMEMBERED = 200;

export function withApplied(applied: readonly string[], id: string): string[] {
  return [...applied, id].slice(-REMEMBERED);
}

/** Clocks of those who ask may differ by so much. */
const SKEW_MS = 10 * 60_000;

/** Why a command comes too late; undefined for one that still means what it says. `askedAt`: that of the newest one before it. */
export function whyTooLate(command: RunCommand, askedAt: number, state: LoopState): string | undefined {
  const passed =
    command.at < askedAt - SKEW_MS
      ? 'something that was asked later is carried out already'
      : whyPassed(command, state);
  if (passed === undefined) return undefined;
  const named = `${command.command}${command.about === undefined ? '' : ` ${command.about}`}`;
  return `"${named}" comes too late: ${passed}; look at the run, and say it again if you still mean it`;
}

/** Does it, and says in words what came of it. */
export async function applyCommand(
  { command, about, text }: RunCommand,
  ref: LoopRef,
  world: ProjectPorts,
): Promise<string> {
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  try {
    if (command === 'answer') lines.push(...answered(about, text ?? '', ref, world));
    else if (command === 'approve' || command === 'reject') {
      const said = command === 'approve' ? 'approved' : 'rejected';
      await answerQuestion({ said, name: about, note: text }, ref, world, out);
    } else await commandLoop(command, ref, text, world, out);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return `${command} was not carried out: ${error.message}`;
  }
  return lines[0] ?? command;
}

/** `about` names the question: `question 2`, or its number. */
function answered(about: string | undefined, text: string, ref: LoopRef, { store }: ProjectPorts): string[] {
  const number = about === undefined ? undefined : Number(/\d+/.exec(about)?.[0] ?? Number.NaN);
  const question = questionMeant(store.read(ref), number);
  const option = /^\d{1,2}$/.test(text.trim()) ? Number(text.trim()) : undefined;
  const chosen = option !== undefined && question.options?.[option - 1] !== undefined ? option : undefined;
  return answerAgent(ref, question, answerIn(question, chosen === undefined ? text : '', chosen), store);
}

/** Commands with which a run that needs you goes on. */
export const GOES_ON = new Set<RunCommand['command']>(['resume', 'answer', 'approve', 'reject']);
