/** What you read about the program that the hooks run, and what to type. `line`: the command that chooses the running program. */
import { quoteForShell } from '../shell/words.ts';

/** A program, as it is shown. Versions up to 0.1.0 did not name themselves in `hook.sh`. */
export interface ShownProgram {
  readonly hookEntry: string;
  readonly version: string | undefined;
}

/** What is wrong with the program of the hooks, and what you can do about it. */
export interface ProgramTrouble {
  readonly what: string;
  readonly todo: string;
}

/** The trouble as a text of whole sentences. */
export function troubleWords({ what, todo }: ProgramTrouble): string {
  return `${what}. ${todo}.`;
}

/** Other bytes in the recorded place, or an older version. */
export function changedProgram(recorded: ShownProgram, version: string, line: string): ProgramTrouble {
  const what =
    version === recorded.version
      ? `the program that the hooks run was changed, and still calls itself version ${version} (${shown(recorded)})`
      : `the program that the hooks run went back from version ${recorded.version} to ${version} (${shown(recorded)})`;
  return {
    what,
    todo: `If you did that, type in a terminal: ${line}. If you did not, install untildone again first`,
  };
}

const STATES = {
  there: '',
  altered: '. Its files are not those that were recorded',
  gone: '. That program is gone',
};

/** The hooks run another program than the running one. */
export function otherProgram(
  theirs: ShownProgram & { readonly state: keyof typeof STATES },
  ours: ShownProgram,
  line: string,
): ProgramTrouble {
  const version = theirs.version === undefined ? 'an older version' : `version ${theirs.version}`;
  return {
    what: `the hooks run ${version} of untildone (${shown(theirs)}), not this one, ${ours.version} (${shown(ours)})${STATES[theirs.state]}`,
    todo: `To let them run this one, type in a terminal: ${line}`,
  };
}

export function unknownProgram(problem: string, ours: ShownProgram, line: string): ProgramTrouble {
  return {
    what: `it is not known which program the hooks may run: ${problem}`,
    todo: `To let them run this one (${shown(ours)}), type in a terminal: ${line}`,
  };
}

/** A person has chosen the running program. `before`: what the hooks ran, where that is known. */
export function chosenProgramWords(ours: ShownProgram, before?: ShownProgram): string {
  const now = `From now on the hooks of all projects run untildone ${ours.version} (${shown(ours)})`;
  if (before === undefined) return `${now}.`;
  if (before.hookEntry === ours.hookEntry) return `${now}, as it is there now.`;
  return `${now}, no longer ${before.version ?? 'an older version'} (${shown(before)}).`;
}

export function upgradedWords(from: string, to: string, when: string): string {
  return `untildone was upgraded from ${from} to ${to} ${when}.`;
}

export function editedScriptsWords(paths: readonly string[]): string {
  return `${paths.join(' and ')} ${paths.length === 1 ? 'was' : 'were'} not as untildone had written it, and written again`;
}

function shown({ hookEntry }: ShownProgram): string {
  return quoteForShell(hookEntry);
}
