/** Processes that commands of this process left running. */
import { sha256 } from '../../files/digest.ts';
import { renderProcessId, thisProcess } from '../../files/process-id.ts';
import { endMarked } from '../../files/process-tree.ts';

/** Names this process in the environment of everything that its commands start: twelve digits of a hash. */
export function ownMark(): string {
  return sha256(renderProcessId(thisProcess())).slice(0, 12);
}

/** Ends what is left of all commands of this process. Where the system shows no environments, nothing is ended. */
export function endLeftOver(): Promise<void> {
  return endMarked(ownMark());
}
