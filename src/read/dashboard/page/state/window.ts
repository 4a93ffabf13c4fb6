/** Where rows of a long list lie: all have one height, and opened ones are higher. Pure. */

export interface Layout {
  count: number;
  rowHeight: number;
  /** Opened rows in ascending order, with the height that each adds. */
  opened: readonly { index: number; extra: number }[];
}

/** Rows from `first` up to, and without, `last`. */
export interface Slice {
  first: number;
  last: number;
}

/** The upper edge of a row; of `count`: the height of the whole list. */
export function topOf({ rowHeight, opened }: Layout, index: number): number {
  let top = index * rowHeight;
  for (const row of opened) if (row.index < index) top += row.extra;
  return top;
}

/** The row at this height; the first or last one beyond the ends. */
export function rowAt(layout: Layout, height: number): number {
  const { count, rowHeight, opened } = layout;
  let before = 0;
  for (const row of opened) {
    const top = row.index * rowHeight + before;
    if (height < top + rowHeight) break;
    if (height < top + rowHeight + row.extra) return row.index;
    before += row.extra;
  }
  return Math.max(0, Math.min(count - 1, Math.floor((height - before) / rowHeight)));
}

/** Rows above and below the view are kept, too: scrolling shows them before the next frame is made. */
const BEYOND = 8;

export function sliceOf(layout: Layout, from: number, height: number): Slice {
  if (layout.count === 0) return { first: 0, last: 0 };
  const first = Math.max(0, rowAt(layout, from) - BEYOND);
  return { first, last: Math.min(layout.count, rowAt(layout, from + height) + BEYOND + 1) };
}
