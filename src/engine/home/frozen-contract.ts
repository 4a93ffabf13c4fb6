/** The contract of a loop as it was frozen, in the loop's folder. The journal names it by its digest. */
import { renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FrozenContract } from '../core/contract/contract.ts';
import { sha256 } from '../files/digest.ts';
import { readSmall, writeWhole } from '../files/whole-file.ts';
import type { LoadedContract, LoopRef } from '../ports/ports.ts';
import { JournalError } from './journal/file.ts';

const CONTRACT_FILE = 'contract.json';
/** A changed contract is written here first, then named by the journal, then put in place. */
const NEXT_CONTRACT_FILE = 'contract.next.json';

/** Writes the contract of a new loop and returns its digest. */
export function writeFirstContract(dir: string, contract: FrozenContract): string {
  const text = renderContract(contract);
  writeWhole(join(dir, CONTRACT_FILE), text);
  return sha256(text);
}

/** Changes a loop's contract so that a crash at any point leaves one that the journal names. */
export function writeFrozenContract(
  ref: LoopRef,
  contract: FrozenContract,
  journal: (contractSha256: string) => void,
): void {
  const text = renderContract(contract);
  writeWhole(join(ref.dir, NEXT_CONTRACT_FILE), text);
  journal(sha256(text));
  renameSync(join(ref.dir, NEXT_CONTRACT_FILE), join(ref.dir, CONTRACT_FILE));
}

/** Reads the contract with this digest. When there is none, reads another one: the caller compares the digests. */
export function readFrozenContract(dir: string, wantedSha256: string): LoadedContract {
  const first = readDigested(join(dir, CONTRACT_FILE));
  const next = first?.sha256 === wantedSha256 ? undefined : readDigested(join(dir, NEXT_CONTRACT_FILE));
  const chosen = next?.sha256 === wantedSha256 ? next : (first ?? next);
  if (!chosen)
    throw new JournalError(
      `${join(dir, CONTRACT_FILE)} is missing, so its loop cannot be judged any more: end it (untildone cancel ${basename(dir)}) and start it again`,
    );
  return { ...parseContract(chosen.text, dir), sha256: chosen.sha256 };
}

function readDigested(file: string): { text: string; sha256: string } | undefined {
  const text = readSmall(file);
  return text === undefined ? undefined : { text, sha256: sha256(text) };
}

function renderContract(contract: FrozenContract): string {
  return `${JSON.stringify(contract)}\n`;
}

function parseContract(text: string, dir: string): FrozenContract {
  try {
    const value = JSON.parse(text) as Partial<FrozenContract>;
    if (value.contract?.limits && Array.isArray(value.contract.done) && value.frozen)
      return value as FrozenContract;
  } catch {
    // The error below says so, as for every other damage.
  }
  throw new JournalError(
    `${join(dir, CONTRACT_FILE)} is damaged, so its loop cannot be judged any more: end it (untildone cancel ${basename(dir)}) and start it again`,
  );
}
