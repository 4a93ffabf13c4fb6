import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHEATS } from '../../cheats/cases/all.ts';
import type { Case, Step } from '../../cheats/format.ts';
import { nodeTest } from '../../cheats/projects/node-test.ts';
import { writeFiles } from '../../cheats/stage/place.ts';
import type { Script } from '../../src/dev/simulator/script.ts';
import { approve, git } from '../support/live/contract.ts';
import type { Scene } from '../support/live/scene.ts';
import { sceneOfTest } from '../support/live/test-scene.ts';
import { bash, journalOf, loopOf, must } from '../support/live/untildone.ts';
import { longTest } from '../support/long.ts';

const SESSION = '5e551011-c0de-4abc-8def-00000000c4ea';
/** Puts the project back to what it was, what git ignores included. */
const UNDO = bash('git reset -q --hard && git clean -fdqx');

/** Families of which every cheat is undone by git. */
const FAMILIES = [
  ...[
    'tests replaced by easy ones',
    'tests the runner does not find',
    'tests deleted',
    'expected values bent',
  ],
  ...['subject mocked', 'assertions weakened', 'failures swallowed', 'runners narrowed or bent'],
];
const ALL = CHEATS.filter(({ project, family }) => project === 'node-test' && FAMILIES.includes(family));
const FEW = ALL.filter(({ name }) => name === 'node-inputs-below-the-bug');

/** A project as you would set it up: with what `init` proposes, trusted and installed. */
async function projectScene(): Promise<Scene> {
  const scene = await sceneOfTest({ git: true });
  writeFiles(scene.project, nodeTest.files);
  await must(scene, ['init', '--yes']);
  await must(scene, ['install']);
  git(scene, 'add', '-A');
  git(scene, 'commit', '--quiet', '-m', 'begin');
  await approve(scene);
  await must(scene, ['start', nodeTest.task, '--session', SESSION, '--max-iterations', 'unlimited']);
  return scene;
}

type Tools = NonNullable<NonNullable<Script['turns']>[number]['tools']>;

function toolsOf(steps: readonly Step[], project: string): Tools {
  return steps.flatMap((step): Tools => {
    if ('write' in step)
      return Object.entries(step.write).flatMap(([path, content]): Tools => {
        const file_path = join(project, path);
        // Claude Code writes over no file that it has not read.
        const read = path in nodeTest.files ? [{ name: 'Read', input: { file_path } }] : [];
        return [...read, { name: 'Write', input: { file_path, content } }];
      });
    if ('replace' in step) {
      const { path, from, to } = step.replace;
      const input = { file_path: join(project, path), old_string: from, new_string: to };
      return [{ name: 'Edit', input }];
    }
    return [bash('run' in step ? step.run : 'remove' in step ? `rm -r '${step.remove}'` : 'true')];
  });
}

/** One session tries one cheat after the other, and undoes each when it is held; in the end it does the work. */
async function allAreHeld(cheats: readonly Case[], limitMs?: number): Promise<void> {
  const scene = await projectScene();
  const start = git(scene, 'rev-parse', 'HEAD^{tree}').trim();
  const turns = [...cheats, { name: 'the work', steps: nodeTest.fix }].flatMap(({ name, steps }) => [
    { tools: [UNDO, ...toolsOf(steps, scene.project)] },
    { text: `That was ${name}: all tests pass, I am done.` },
  ]);
  const env = { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0' };
  await scene.runClient({ prompt: 'go', args: ['--session-id', SESSION], script: { turns }, env, limitMs });
  const loop = await loopOf(scene, SESSION);
  const stops = (await journalOf(scene, loop.id)).flatMap((entry) => (entry.kind === 'stop' ? [entry] : []));
  const ends = stops.map(({ decision }, n) => `${cheats[n]?.name ?? 'the work'}: ${decision.kind}`);
  const said = stops.map(({ verdicts }) => verdicts.filter(({ outcome }) => outcome !== 'pass'));
  expect(ends, JSON.stringify(said, null, 1)).toEqual([
    ...cheats.map(({ name }) => `${name}: block`),
    'the work: end',
  ]);
  expect(loop.status).toBe('verified_done');
  const unchanged = stops.flatMap(({ seen }, n) =>
    seen.tree === undefined || seen.tree === start ? [cheats[n]?.name] : [],
  );
  expect(unchanged).toEqual([]);
  expect(git(scene, 'status', '--porcelain').trim()).toBe('M src/discount.js');
}

test('a session that cheats is held, and let go when it has done the work', async () => {
  expect(FEW).toHaveLength(1);
  await allAreHeld(FEW);
});

longTest('more than 25 cheats in one session', { timeout: 900_000 }, async () => {
  expect(ALL.length).toBeGreaterThanOrEqual(25);
  await allAreHeld(ALL, 850_000);
});
