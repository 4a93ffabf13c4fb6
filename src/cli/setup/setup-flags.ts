/** What `untildone setup` is asked to do, and how it reaches you. */
import type { Scope } from '../../engine/client/settings/files.ts';

export interface SetupFlags {
  yes: boolean;
  accept?: string;
  json: boolean;
  /** False: the gates are not run now. */
  gates: boolean;
  /** False: nothing is proven. */
  proof: boolean;
  /** Shows the whole contract, and everything that it runs. */
  show: boolean;
  /** What becomes of commands that fail before any work. Absent: you are asked, where that is possible. */
  failing?: 'known' | 'work';
  scope: Scope;
  claude?: string;
}

/** How setup reaches you. */
export interface SetupTerminal {
  /** You can be asked. */
  isThere: boolean;
  ask(question: string): Promise<boolean>;
  out(line: string): void;
  /** Shows a line that the next one takes the place of. */
  live?(line: string): void;
}

/** Whether you are there to be asked. */
export function canAsk({ yes, json }: SetupFlags, { isThere }: SetupTerminal): boolean {
  return isThere && !yes && !json;
}
