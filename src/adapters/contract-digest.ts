import { join } from 'node:path';
import { CONTRACT_FILE } from '../core/contract.ts';
import { readSmall } from './atomic-file.ts';
import { sha256 } from './digest.ts';

/** SHA-256 of a project's untildone.yaml as it is now. */
export function contractFileDigest(project: string): string | undefined {
  const text = readSmall(join(project, CONTRACT_FILE));
  return text === undefined ? undefined : sha256(text);
}
