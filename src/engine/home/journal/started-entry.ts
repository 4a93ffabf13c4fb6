import type { StartedEntry } from '../../core/loop/entry.ts';
import { oneLine } from '../../core/text/clip.ts';
import { redact } from '../../core/text/redact.ts';
import { sha256 } from '../../files/digest.ts';
import type { NewLoop } from '../../ports/ports.ts';
import { realPath } from '../layout.ts';

/** So much of a task is shown in lists. */
export const PREVIEW = 120;

/** The first entry of a journal. */
export function startedEntry(loop: NewLoop, contractSha256: string): StartedEntry {
  return {
    kind: 'started',
    loop: loop.loop,
    session: loop.session,
    project: realPath(loop.project),
    dialect: loop.dialect,
    task: {
      preview: oneLine(redact(loop.task.slice(0, 1000)), PREVIEW),
      bytes: Buffer.byteLength(loop.task),
      sha256: sha256(loop.task),
    },
    contractSha256,
    maxIterations: loop.contract.contract.limits.iterations,
    transcriptOffset: loop.transcriptOffset,
    baseTree: loop.baseTree,
    baseCommit: loop.baseCommit,
    basePassing: loop.basePassing ? (true as const) : undefined,
    baseGates: loop.baseGates,
    startedWith: loop.startedWith,
    changeGate: loop.changeGate,
    costTotalUsd: loop.costTotalUsd,
    run: loop.run,
  };
}
