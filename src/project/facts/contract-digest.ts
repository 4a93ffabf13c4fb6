import { join } from 'node:path';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { sha256 } from '../../files/digest.ts';
import { readSmall } from '../../files/whole-file.ts';

/** SHA-256 of a project's untildone.yaml as it is now. */
export function contractFileDigest(project: string): string | undefined {
  const text = readSmall(join(project, CONTRACT_FILE));
  return text === undefined ? undefined : sha256(text);
}
