import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACT_FILE, type PresetName } from '../../engine/core/contract/contract.ts';
import {
  type MissingCondition,
  type ProposedPreset,
  proposePreset,
} from '../../engine/core/contract/presets.ts';
import { proposeContract } from '../../engine/core/contract/propose.ts';
import type { RoomChoices } from '../../engine/core/contract/propose-room.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { writeNew } from '../../engine/files/whole-file.ts';
import { machineOf } from '../../engine/project/facts/machine.ts';
import { projectFacts } from '../../engine/project/facts/project-facts.ts';

const OTHER_SPELLING = 'untildone.yml';

export interface InitOptions {
  project: string;
  /** Write without asking. */
  yes: boolean;
  /** You can be asked on a terminal. */
  terminal: boolean;
  /** Ready-made phases instead of gates alone. */
  preset?: PresetName;
}

export interface InitResult {
  exitCode: number;
  /** The text that you saw on a terminal and agreed to: you can be asked to trust it. Absent with `yes`. */
  agreed?: string;
}

/**
 * Proposes a contract, shows it, and writes it. Exit code: 0 written or declined, 1 written, but something has to be added
 * before it can be used, 2 refused.
 */
export async function init(
  options: InitOptions,
  ask: (question: string) => Promise<boolean>,
  out: (line: string) => void,
): Promise<InitResult> {
  const present = [CONTRACT_FILE, OTHER_SPELLING].find((name) => isThere(join(options.project, name)));
  if (present !== undefined) return refuse(present, out);
  if (!options.yes && !options.terminal) {
    const preset = options.preset === undefined ? '' : ` --preset ${options.preset}`;
    out(
      `There is no terminal to ask you on. To write the proposed contract unasked: untildone init${preset} --yes`,
    );
    return { exitCode: EXIT.refused };
  }
  const { text, missing } = proposalFor(options);
  for (const line of text.trimEnd().split('\n')) out(line);
  out('');
  if (!options.yes && !(await ask(`Write this to ${CONTRACT_FILE}?`))) {
    out('Nothing was written.');
    return { exitCode: EXIT.ok };
  }
  if (!writeNew(join(options.project, CONTRACT_FILE), text, 0o644)) return refuse(CONTRACT_FILE, out);
  if (missing.length > 0) return sayMissing(missing, options, out);
  out(`Wrote ${CONTRACT_FILE}. Edit it as you like, and commit it.`);
  return options.yes ? { exitCode: EXIT.ok } : { exitCode: EXIT.ok, agreed: text };
}

/** The contract that is proposed for a project; `asFound`: with the dependencies that lie there, because installing fails. */
export function proposalFor({
  project,
  preset,
  asFound,
}: Pick<InitOptions, 'project' | 'preset'> & RoomChoices): ProposedPreset {
  const facts = projectFacts(project, machineOf(process.env, project));
  return preset === undefined
    ? { text: proposeContract(facts, { asFound }), missing: [] }
    : proposePreset(preset, facts);
}

/** Lists the gates that are missing. The contract cannot be trusted before they are there. */
function sayMissing(
  missing: readonly MissingCondition[],
  { preset }: InitOptions,
  out: (line: string) => void,
): InitResult {
  out(`Wrote ${CONTRACT_FILE}, but it is NOT complete: without these gates the preset ${preset} is refused.`);
  for (const { name, what, example } of missing) {
    out(`  ${name}: ${what} was found. Add to "gates": ${name}: ${example}`);
  }
  out('Their lines are there, behind a "#": name your commands, take away the "#", then: untildone trust');
  return { exitCode: EXIT.no };
}

function refuse(present: string, out: (line: string) => void): InitResult {
  out(
    present === CONTRACT_FILE
      ? `${CONTRACT_FILE} is already there and is left as it is. Edit it, or move it away and run this again.`
      : `${present} is there, but a contract is called ${CONTRACT_FILE}. Rename it: mv ${present} ${CONTRACT_FILE}`,
  );
  return { exitCode: EXIT.refused };
}

/** Finds a link that leads nowhere, too. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
