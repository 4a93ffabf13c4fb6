/** Finds tests that pass whatever they expect: the tests that show the work run once more with other expected values. */
import { type SpoiledPlace, withOtherExpectations } from '../../core/proof/expected.ts';
import { passes } from '../../core/proof/test-results.ts';
import { groupBy } from '../../core/text/lists.ts';
import type { Rooms } from '../../ports/rooms.ts';
import type { Comparison } from './compare.ts';
import type { Finding } from './findings.ts';
import type { Runs } from './runs.ts';
import type { Trees } from './trees.ts';

const MOST_TESTS = 60;

/**
 * The tests that went from fail to pass, and the new ones that fail without the work, as far as they still pass when they
 * expect something else. Nothing where tests can only run together: that would cost a run of all.
 */
export async function expectNothing(
  { present, parts, old, fresh }: Comparison,
  trees: Trees,
  runs: Runs,
  rooms: Rooms,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (!parts) return [];
  const { units } = parts;
  const telling = [...new Set([...(old?.mended ?? []), ...(fresh?.biting ?? [])])]
    .filter((name) => passes(present.tests.get(name)))
    .slice(0, MOST_TESTS);
  const byUnit = groupBy(telling, (name) => units.ofTest(name) ?? '');
  const files = units.all.filter(({ name }) => byUnit.has(name)).flatMap((unit) => unit.files);
  const ofTree = (await rooms.files(trees.now, signal)).filter(({ path }) => files.includes(path));
  const texts: Record<string, string> = {};
  const places = new Map<string, SpoiledPlace & { path: string }>();
  for (const [path, text] of await rooms.texts(ofTree, signal)) {
    const names = (byUnit.get(units.ofFile(path) ?? '') ?? []).filter((name) => !places.has(name));
    const other = withOtherExpectations(path, text, names);
    if (!other) continue;
    texts[path] = other.text;
    for (const [name, place] of other.tests) places.set(name, { ...place, path });
  }
  const narrowed = parts.narrowed(new Set([...places.keys()].map((name) => units.ofTest(name) ?? '')));
  if (places.size === 0) return [];
  const spoiled = await rooms.compose(
    { rest: trees.now, from: trees.now, takes: () => false, texts },
    signal,
  );
  const tree = narrowed ? await parts.tree(spoiled, narrowed) : spoiled;
  const { tests } = await runs.of(tree, 'the tests with other expected values');
  return [...places].filter(([name]) => passes(tests.get(name))).map(([name, place]) => finding(name, place));
}

function finding(name: string, { path, line, was, is }: SpoiledPlace & { path: string }): Finding {
  const id = `expects_nothing: ${name}`;
  const summary = 'a test passes whatever is expected';
  return {
    id,
    about: [id, `${path}:${line} ${was}`].join('\n'),
    askable: true,
    lines: [
      `${path}:${line}: ${name} passes whatever is expected: with ${is} in place of ${was}, too [${id}]`,
    ],
    summary,
  };
}
