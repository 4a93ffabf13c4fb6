/** The files of a room that commands changed, and what they are to a verdict. */
import { devNull } from 'node:os';
import { sources } from '../../core/chains/all.ts';
import { isUsualTest } from '../../core/proof/test-places.ts';
import type { WrittenFiles } from '../../core/words/written.ts';
import { asArguments, filtersOff, gitOutput } from '../git.ts';

const QUIET = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };
const ENDING = /\.(\w+)$/;
/** Files in which runners keep what tests expect. */
const EXPECTED = /\.(?:snap|golden)$|(?:^|\/)[\w.-]*snapshots?[\w.-]*\//i;

/** Those whose content is no longer what it was when the room was opened. */
export async function changedFiles(dir: string, tree: string): Promise<WrittenFiles> {
  const place = { cwd: dir, env: QUIET };
  const off = await filtersOff(place);
  // Unlike `diff-files` it looks into files that were written anew.
  const args = ['diff', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', '--name-only', '-z'];
  const output = await gitOutput({ args: [...asArguments(off), ...args, tree, '--'], ...place });
  const paths = output.toString('utf8').split('\0').filter(Boolean);
  const isExpected = (path: string) => EXPECTED.test(path) || (isSource(path) && isUsualTest(path));
  return {
    expected: paths.filter(isExpected),
    code: paths.filter((path) => isSource(path) && !isExpected(path)),
  };
}

function isSource(path: string): boolean {
  const ending = ENDING.exec(path)?.[1] ?? '';
  return sources.some((source) => source.test(ending));
}
