/** Where a canary is laid among the tests of a tree: where one was found at the start, so that a run now has to find it, too. */
import { isFollowed, loadedBy, treePaths } from '../../core/proof/imports.ts';
import { patternOf } from '../../core/proof/selection.ts';
import { isUsualTest } from '../../core/proof/test-places.ts';
import { Unmeasurable } from '../../core/text/errors.ts';
import type { CanaryOrder, Rooms } from '../../ports/rooms.ts';
import type { GateContext } from '../gate.ts';
import type { TestsToRun } from './compared.ts';
import { keptRun, type Run, runName, runsKept } from './test-run.ts';

const MOST_READ = 200;
const MOST_LOADED = 5;

/** Undefined where nobody knows whether the runner finds it there. */
export async function canaryOrder(
  tree: string,
  tests: TestsToRun,
  context: GateContext & { rooms: Rooms },
  signal: AbortSignal,
): Promise<CanaryOrder | undefined> {
  const base = context.request.base.tree;
  if (base === undefined) return undefined;
  const { rooms } = context;
  const places = (await rooms.files(tree, signal)).filter(
    ({ path }) => isUsualTest(path) && isFollowed(path),
  );
  if (tree === base) return { beside: places.map(({ path }) => path), loads: [] };
  const start = keptRun(runName(base, tests, context), runsKept(context))?.canary;
  if (start?.fate !== 'alive') return undefined;
  const like = places.filter(({ path }) => patternOf(path) === patternOf(start.beside));
  return { beside: like.map(({ path }) => path), loads: await changedModules(tree, base, context, signal) };
}

/** Changed modules that a test loads by itself: these can be loaded without anything else. */
async function changedModules(
  tree: string,
  base: string,
  { workspace, rooms }: GateContext & { rooms: Rooms },
  signal: AbortSignal,
): Promise<string[]> {
  const changes = await workspace.changes(base, tree);
  const changed = new Set(
    changes.map(({ path }) => path).filter((path) => isFollowed(path) && !isUsualTest(path)),
  );
  if (changed.size === 0) return [];
  const files = await rooms.files(tree, signal);
  const paths = treePaths(files.map(({ path }) => path));
  const tests = files.filter(({ path }) => isUsualTest(path) && isFollowed(path)).slice(0, MOST_READ);
  const loaded = new Set<string>();
  for (const [path, text] of await rooms.texts(tests, signal))
    for (const each of loadedBy(path, text, paths)?.paths ?? []) if (changed.has(each)) loaded.add(each);
  return [...loaded].slice(0, MOST_LOADED);
}

/** A run that does not report as failing what has to fail says nothing. */
export function refuseBent({ canary, lines }: Pick<Run, 'canary' | 'lines'>, command: string): void {
  if (!canary || canary.fate === 'alive') return;
  const what =
    canary.fate === 'bent'
      ? 'it reported as passing a test that cannot pass'
      : 'it did not report a test that was among the others';
  throw new Unmeasurable(`the run of \`${command}\` is bent: ${what}`, [
    'untildone lays a test of its own among yours, under another name each time, that has to fail.',
    'Something replaces assertions, the runner or its report: look at what the changed code and tests do when they are loaded.',
    ...lines,
  ]);
}
