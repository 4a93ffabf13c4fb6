import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { blocksOf, type DocBlock, docPages, ROOT } from '../support/docs/blocks.ts';
import { shows } from '../support/docs/compare.ts';
import { closePlace, openPlace, PLACE_NAMES, type Place, type } from '../support/docs/places.ts';

const BLOCKS = docPages()
  .flatMap((page) => blocksOf(page))
  .filter(({ commands }) => commands.length > 0);
const RUN = BLOCKS.filter(({ marks }) => marks.run !== undefined);

/** A page is a story: its blocks are run from top to bottom, those with the same place in the same folder. */
const STORIES = new Map<string, DocBlock[]>();
for (const block of RUN) {
  const story = `${block.page}, in the place "${block.marks.run}"`;
  STORIES.set(story, [...(STORIES.get(story) ?? []), block]);
}

describe('every command of a page that can be run is run', () => {
  test.each([...STORIES.entries()])('%s', async (_, blocks) => {
    const place = await openPlace(blocks[0]?.marks.run ?? '');
    try {
      for (const block of blocks) await play(block, place);
    } finally {
      closePlace(place);
    }
  });
});

async function play({ commands, marks }: DocBlock, place: Place): Promise<void> {
  for (const [at, { page, line, text, output }] of commands.entries()) {
    const expected = at === commands.length - 1 ? Number(marks.exit ?? 0) : 0;
    const printed = await type(place, text);
    const where = `${page}:${line}: ${text}`;
    expect(printed.code, `${where}\n${printed.output}`).toBe(expected);
    if (output.some((shown) => shown.trim() !== ''))
      expect(shows(output, printed.output, place) || printed.output, where).toBe(true);
  }
}

test('a place that is named exists', () => {
  expect(RUN.map(({ marks }) => marks.run).filter((name) => !PLACE_NAMES.includes(name ?? ''))).toEqual([]);
});

/** Run by another test, with the real Claude Code: `sh live=demo` by test/live/demo.test.ts. */
const LIVE = BLOCKS.filter(({ marks }) => marks.live !== undefined);

test('a live test that is named exists', () => {
  const named = LIVE.map(({ marks }) => join(ROOT, `test/live/${marks.live}.test.ts`));
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

const count = (blocks: readonly DocBlock[]) => blocks.flatMap(({ commands }) => commands).length;

afterAll(() => {
  const [all, run, live] = [count(BLOCKS), count(RUN), count(LIVE)];
  process.stdout.write(
    `docs: ${run} commands run here, ${live} by live tests, ${all - run - live} only checked\n`,
  );
});
