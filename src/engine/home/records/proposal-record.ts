/** The contract that `setup` proposed last in a project, so that agreeing to its fingerprint is agreeing to what was shown. */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import { type Home, projectFolder, readKey, realPath, sealedJson, unsealedJson } from '../layout.ts';

export interface ProposalRecord<Seen> {
  v: 1;
  /** SHA-256 of what was proposed before anything was run. */
  base: string;
  text: string;
  /** What its gates showed. */
  seen: Seen;
}

const LARGEST = 64 * 1024 * 1024;

/** Undefined where there is none, or where it was damaged. */
export function readProposal<Seen>(home: Home, project: string): ProposalRecord<Seen> | undefined {
  const text = readSmall(fileOf(home, project), LARGEST);
  return text === undefined
    ? undefined
    : unsealedJson<ProposalRecord<Seen>>(text, purpose(project), readKey(home));
}

export function keepProposal<Seen>(home: Home, project: string, record: ProposalRecord<Seen>): void {
  const file = fileOf(home, project);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(file, sealedJson(record, purpose(project), readKey(home)));
}

export function forgetProposal(home: Home, project: string): void {
  rmSync(fileOf(home, project), { force: true });
}

function fileOf(home: Home, project: string): string {
  return join(projectFolder(home, project), 'proposal.json');
}

function purpose(project: string): string {
  return `proposal for ${realPath(project)}`;
}
