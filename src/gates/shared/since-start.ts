import type { GateContext } from '../gate.ts';

/** Two trees between which the work was done. */
export interface Span {
  from: string;
  to: string;
  /** `commit`: there is no loop, so what is not committed counts as the work. */
  since: 'start' | 'commit';
}

/** Undefined when there is nothing that the work could be compared with. */
export async function workSinceStart(context: GateContext): Promise<Span | undefined> {
  const { baseTree, workspace } = context;
  const to = context.tree ?? (await workspace.tree());
  if (baseTree !== undefined) return { from: baseTree, to, since: 'start' };
  const { exitCode, stdout } = await workspace.git(['rev-parse', '--verify', '--quiet', 'HEAD:./']);
  return exitCode === 0 ? { from: stdout.trim(), to, since: 'commit' } : undefined;
}

export const NOTHING_TO_COMPARE = 'there is neither a start of the loop nor a commit to compare with';
