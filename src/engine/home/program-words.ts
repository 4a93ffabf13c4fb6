/** What is wrong with the program that the hooks of a home run, for a person. */
import { whenOf } from '../core/text/moment.ts';
import {
  changedProgram,
  editedScriptsWords,
  otherProgram,
  type ProgramTrouble,
  troubleWords,
  unknownProgram,
  upgradedWords,
} from '../core/words/hook-program.ts';
import { installLine, isFilled, type Program } from './program.ts';
import { planScripts, type ScriptsPlan } from './scripts.ts';

/** Undefined: the hooks run this program, as it was recorded, or there are none. */
export function programTrouble(
  plan: ScriptsPlan,
  program: Program,
  env: NodeJS.ProcessEnv,
): ProgramTrouble | undefined {
  switch (plan.kind) {
    case 'changed':
      return changedProgram(plan.record, program.version, installLine(program, env));
    case 'other':
      return otherProgram(plan, program, installLine(program, env));
    case 'unreadable':
      return unknownProgram(plan.problem, program, installLine(program, env));
    case 'none':
    case 'current':
    case 'stale':
      return undefined;
  }
}

/** Why the hooks can run nothing at all, and what to type; undefined when they can. */
export function lostProgram(home: string, program: Program, env: NodeJS.ProcessEnv): string | undefined {
  const plan = planFor(home, program);
  // Whatever needs the key says itself that it cannot be read.
  const isLost =
    (plan?.kind === 'unreadable' && plan.cause === 'record') ||
    (plan?.kind === 'other' && plan.state === 'gone');
  const trouble = isLost ? programTrouble(plan, program, env) : undefined;
  return trouble && troubleWords(trouble);
}

/** So long `status` says that there was an upgrade. */
const NEWS_MS = 7 * 24 * 60 * 60_000;

/** What `status` says of the program. */
export function programNews(home: string, program: Program, env: NodeJS.ProcessEnv, now: number): string[] {
  const plan = planFor(home, program);
  const trouble = plan && programTrouble(plan, program, env);
  if (trouble !== undefined) return [`Note: ${troubleWords(trouble)}`];
  const record = plan?.kind === 'current' ? plan.record : undefined;
  if (record?.upgraded === undefined || now - record.upgraded.at > NEWS_MS) return [];
  return [upgradedWords(record.upgraded.from, record.version, whenOf(record.upgraded.at, now))];
}

/** What is told beside the answer to a Stop, and whether the scripts of the home are as this program writes them. */
export function programAtStop(
  home: string,
  program: Program,
  env: NodeJS.ProcessEnv,
): { messages: string[]; isCurrent: boolean } {
  const plan = planFor(home, program);
  const isCurrent = plan?.kind === 'current';
  const trouble = plan && programTrouble(plan, program, env);
  if (trouble !== undefined) return { messages: [`untildone: ${troubleWords(trouble)}`], isCurrent };
  const files = plan?.kind === 'stale' ? plan.files : [];
  const edited = files.flatMap(({ path, why }) => (why === 'edited' ? [path] : []));
  return {
    messages: edited.length === 0 ? [] : [`untildone: ${editedScriptsWords(edited)}.`],
    isCurrent,
  };
}

/** Undefined for a program that is not installed, and where the home cannot be read: whatever reads it next says why. */
function planFor(home: string, program: Program): ScriptsPlan | undefined {
  try {
    return isFilled(program.hookEntry) ? planScripts(home, program) : undefined;
  } catch {
    return undefined;
  }
}
