import type { LoopState } from '../../core/loop/state.ts';
import { hasEnded } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import type { ForeignFiles, StateChange } from '../../ports/ports.ts';
import { parseFeatures } from './features.ts';
import { parseProgress, withEnding, withIteration } from './progress.ts';
import { logLine, statusWord } from './words.ts';

/** A `progress.txt` beside the feature list of a run: the run goes by its limit, and writes down where it stands. */

/** The limit of iterations that a progress.txt beside the list names; undefined without one. */
export function iterationsBeside(listFile: string, files: ForeignFiles): number | undefined {
  const read = files.read(progressBeside(listFile));
  return read.kind === 'text' ? parseProgress(read.text).namedMax || undefined : undefined;
}

/** The changes to a progress.txt beside the list, after a Stop of a run or at its end. It is never made. */
export function progressOfRun(
  listFile: string,
  state: LoopState,
  verdicts: readonly Verdict[],
  files: ForeignFiles,
): StateChange[] {
  const path = progressBeside(listFile);
  if (files.look(path)?.kind !== 'file') return [];
  if (!hasEnded(state)) return [{ kind: 'edit', path, edit: (text) => withIteration(text, state.iteration) }];
  const list = files.read(listFile);
  const features = list.kind === 'text' ? parseFeatures(list.text) : undefined;
  if (!features || 'problem' in features) return [];
  const folder = path.slice(0, path.lastIndexOf('/'));
  const about = { folder, list: features, progress: parseProgress(undefined), hasPrompt: false };
  const measured = verdicts.find(({ kind }) => kind === 'features')?.measured;
  return [
    {
      kind: 'edit',
      path,
      edit: (text) => withEnding(text, statusWord(state), logLine(about, state, measured)),
    },
  ];
}

function progressBeside(listFile: string): string {
  return `${listFile.slice(0, listFile.lastIndexOf('/'))}/progress.txt`;
}
