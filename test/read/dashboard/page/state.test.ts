import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withChanges } from '../../../../src/read/dashboard/page/state/changes.ts';
import {
  missingPages,
  NO_ENTRIES,
  withNews,
  withPage,
} from '../../../../src/read/dashboard/page/state/entries.ts';
import { isShown, needyLoops, ordered, stateOf } from '../../../../src/read/dashboard/page/state/listing.ts';
import {
  addressOf,
  EVERYTHING,
  LOOP_PARTS,
  ONLY,
  type Route,
  routeOf,
  SORTS,
  STATES,
} from '../../../../src/read/dashboard/page/state/route.ts';
import { rowAt, sliceOf, topOf } from '../../../../src/read/dashboard/page/state/window.ts';
import type { Overview, TimelineEntry } from '../../../../src/read/dashboard/view/types.ts';
import { aRow } from './rows.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 12 });

const anyRoute: fc.Arbitrary<Route> = fc.oneof(
  fc.record({
    view: fc.constant('overview' as const),
    filter: fc.record({
      words: anyText,
      state: fc.constantFrom(...STATES),
      project: anyText,
      sort: fc.constantFrom(...SORTS),
    }),
  }),
  fc.record(
    {
      view: fc.constant('loop' as const),
      loop: anyText.filter((text) => text !== ''),
      part: fc.constantFrom(...LOOP_PARTS),
      only: fc.constantFrom(...ONLY),
      at: fc.nat(999_999),
    },
    { requiredKeys: ['view', 'loop', 'part', 'only'] },
  ),
  fc.constant({ view: 'insights' } as const),
);

describe('the address', () => {
  test('leads back to what was shown', () => {
    fc.assert(
      fc.property(anyRoute, (route) => {
        expect(routeOf(addressOf(route))).toEqual(route);
      }),
    );
  });

  test('of any other kind is said to be unknown, or shows the overview; it never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(routeOf(`#${text}`).view).toMatch(/overview|loop|insights|unknown/);
      }),
    );
    expect(routeOf('#/loop/%zz').view).toBe('unknown');
    expect(routeOf('#/nowhere').view).toBe('unknown');
    expect(routeOf('')).toEqual({ view: 'overview', filter: EVERYTHING });
    expect(routeOf('#/loop/x?at=-1')).toEqual({ view: 'loop', loop: 'x', part: 'timeline', only: 'all' });
  });
});

describe('the list of loops', () => {
  const known = { needy: new Set<string>(), projects: new Map([['shop', 'Shop of Ada']]) };

  test('finds every word anywhere: task, project, gate, ending', () => {
    const row = aRow({
      gates: [{ name: 'types', class: 'measured', verdict: 'fail', summary: '', since: 1 }],
    });
    const found = (words: string) => isShown(row, { ...EVERYTHING, words }, known);
    expect(['make', 'ADA work', 'types', 'loop-1', 'session-1', ' '].map(found)).toEqual(Array(6).fill(true));
    expect(found('make nothing')).toBe(false);
  });

  test.each([
    ['thinks', 'open', 'working'],
    ['gate_runs', 'open', 'working'],
    ['waits_limit', 'waiting', 'waiting'],
    ['paused', 'waiting', 'waiting'],
    ['waits_you', 'waiting', 'needs-you'],
    ['not_held', 'bad', 'needs-you'],
    ['unreadable', 'bad', 'needs-you'],
    ['ended', 'done', 'done'],
    ['ended', 'claimed', 'undone'],
    ['ended', 'bad', 'undone'],
    ['ended', 'quiet', 'undone'],
  ] as const)('a loop that is %s and looks %s is found under %s', (doing, tone, state) => {
    expect(stateOf(aRow({ doing, tone }), known)).toEqual(['all', state]);
  });

  test('a loop with an open need is found under what needs you', () => {
    const needs = [
      { id: 'n', kind: 'approval', loop: 'loop-1', project: 'shop', title: '', since: 0, answers: [] },
    ] as const;
    const needy = needyLoops(needs.map((need) => ({ ...need, answers: [] })));
    expect(stateOf(aRow(), { ...known, needy })).toEqual(['all', 'needs-you']);
  });

  test('shows every loop once in every order, whoever names whom as parent', () => {
    const rows = fc.array(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        parent: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'x'), { nil: undefined }),
        doing: fc.constantFrom('thinks' as const, 'ended' as const, 'waits_you' as const),
      }),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(rows, fc.constantFrom(...SORTS), (made, sort) => {
        const unique = [...new Map(made.map((one) => [one.id, one])).values()];
        const list = unique.map(({ id, parent, doing }) =>
          aRow({
            id,
            doing,
            run: { mode: 'fresh', sessions: 1, ...(parent === undefined ? {} : { parent }) },
          }),
        );
        expect(
          ordered(list, sort)
            .map(({ id }) => id)
            .sort(),
        ).toEqual(unique.map(({ id }) => id).sort());
      }),
    );
  });

  test('begins with what waits for you, and keeps pieces below their run', () => {
    const list = [
      aRow({ id: 'piece', run: { mode: 'fresh', sessions: 1, parent: 'run' }, startedAt: 9 }),
      aRow({ id: 'ended', doing: 'ended', endedAt: 8 }),
      aRow({ id: 'run', startedAt: 1 }),
      aRow({ id: 'asks', doing: 'waits_you', startedAt: 1 }),
      aRow({ id: 'works', startedAt: 5 }),
    ];
    expect(ordered(list, 'urgent').map(({ id }) => id)).toEqual(['asks', 'works', 'run', 'piece', 'ended']);
  });
});

test('changes keep loops at their places, add new ones, and leave out those that are gone', () => {
  const overview = {
    now: 1,
    loops: [aRow({ id: 'a' }), aRow({ id: 'b' }), aRow({ id: 'c' })],
    needs: [],
    totals: {},
    ended: 3,
  } as unknown as Overview;
  const [a, , c] = overview.loops;
  const b = aRow({ id: 'b', iteration: 2 });
  const changed = withChanges(overview, {
    type: 'changes',
    now: 2,
    loops: [b, aRow({ id: 'new' })],
    gone: ['c'],
  });
  expect(changed.loops.map(({ id }) => id)).toEqual(['new', 'a', 'b']);
  expect(changed.loops[1]).toBe(a);
  expect(changed.loops[2]).toBe(b);
  expect(changed.loops).not.toContain(c);
  expect(changed.needs).toBe(overview.needs);
});

describe('a list of 10,000 rows', () => {
  const layouts = fc
    .record({
      count: fc.integer({ min: 1, max: 10_000 }),
      rowHeight: fc.integer({ min: 20, max: 100 }),
      opened: fc.uniqueArray(fc.record({ index: fc.nat(9_999), extra: fc.integer({ min: 0, max: 2000 }) }), {
        selector: ({ index }) => index,
        maxLength: 5,
      }),
    })
    .map(({ count, rowHeight, opened }) => ({
      count,
      rowHeight,
      opened: opened.filter(({ index }) => index < count).sort((one, other) => one.index - other.index),
    }));

  test('has every row where it is looked for', () => {
    fc.assert(
      fc.property(layouts, fc.nat(), (layout, seed) => {
        const index = seed % layout.count;
        expect(rowAt(layout, topOf(layout, index))).toBe(index);
        expect(rowAt(layout, topOf(layout, index + 1) - 1)).toBe(index);
      }),
    );
  });

  test('keeps only those in view, and all of them', () => {
    const layout = { count: 10_000, rowHeight: 56, opened: [{ index: 5000, extra: 700 }] };
    const slice = sliceOf(layout, 5000 * 56, 900);
    expect(slice.last - slice.first).toBeLessThan(40);
    expect(topOf(layout, slice.first)).toBeLessThanOrEqual(5000 * 56);
    expect(topOf(layout, slice.last)).toBeGreaterThanOrEqual(5000 * 56 + 900);
    expect(sliceOf({ ...layout, count: 0, opened: [] }, 0, 900)).toEqual({ first: 0, last: 0 });
  });
});

describe('lines of a journal', () => {
  const entry = (place: number, kind: TimelineEntry['kind'] = 'hold'): TimelineEntry => ({
    place,
    kind,
    words: `line ${place}`,
    tone: 'open' as const,
  });

  test('that are just written come after those that are known, and none comes twice', () => {
    const known = withPage(NO_ENTRIES, 0, 3, [entry(0), entry(1), entry(2)]);
    const grown = withNews(withNews(known, [entry(2), entry(3)], 'all'), [entry(3)], 'all');
    expect(grown.total).toBe(4);
    expect([...grown.known.values()].map(({ place }) => place)).toEqual([0, 1, 2, 3]);
  });

  test('are counted only where the filter shows them', () => {
    const stops = withPage(NO_ENTRIES, 0, 1, [entry(4)]);
    expect(withNews(stops, [entry(5, 'tool'), entry(6)], 'stops').total).toBe(2);
    expect(withNews(stops, [entry(5, 'tool')], 'stops')).toBe(stops);
  });

  test('are fetched by the page that holds what is missing', () => {
    const known = withPage(NO_ENTRIES, 100, 250, [entry(100), entry(101)]);
    expect(missingPages(known, 99, 103)).toEqual([0, 1]);
    expect(missingPages(known, 100, 102)).toEqual([]);
    expect(missingPages(known, 240, 999)).toEqual([2]);
  });
});
