/** A list of any length of which only the rows in view are in the page. Rows have one height; opened ones add theirs. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { rowAt, type Slice, sliceOf, topOf } from '../state/window.ts';

export interface WindowedProps {
  count: number;
  rowHeight: number;
  /** Row numbers that are open, in ascending order. */
  open: readonly number[];
  label: string;
  row(index: number, measured: (element: HTMLElement | null) => void): ComponentChildren;
  /** The row to bring into view when the list appears, or when another one is named. */
  show?: number;
  /** Told which rows are in view, so that they can be fetched. */
  seen?(first: number, last: number): void;
}

export function Windowed({ count, rowHeight, open, label, row, show, seen }: WindowedProps) {
  const box = useRef<HTMLOListElement>(null);
  const extra = useRef(new Map<number, number>());
  const [slice, setSlice] = useState<Slice>({ first: 0, last: Math.min(count, 30) });
  const [, measureAgain] = useState(0);
  const opened = open.map((index) => ({ index, extra: extra.current.get(index) ?? 0 }));
  const layout = { count, rowHeight, opened };

  const look = () => {
    const element = box.current;
    if (!element) return;
    const { top } = element.getBoundingClientRect();
    const next = sliceOf(layout, -top, window.innerHeight);
    setSlice((now) => (now.first === next.first && now.last === next.last ? now : next));
  };
  const latest = useRef(look);
  latest.current = look;

  useEffect(() => {
    let asked = 0;
    const later = () => {
      asked ||= requestAnimationFrame(() => {
        asked = 0;
        latest.current();
      });
    };
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later);
    return () => {
      removeEventListener('scroll', later);
      removeEventListener('resize', later);
      cancelAnimationFrame(asked);
    };
  }, []);
  useLayoutEffect(() => latest.current(), [count, rowHeight, open.join()]);
  useEffect(() => seen?.(slice.first, slice.last), [slice.first, slice.last, count]);
  useEffect(() => {
    const element = box.current;
    if (show === undefined || !element || show >= count) return;
    const top = element.getBoundingClientRect().top + window.scrollY + topOf(layout, show);
    if (rowAt(layout, window.scrollY + innerHeight / 2) !== show) scrollTo({ top: top - innerHeight / 4 });
  }, [show, count > 0]);

  const measured = (index: number) => (element: HTMLElement | null) => {
    if (!element || !open.includes(index)) return;
    const more = Math.max(0, element.offsetHeight - rowHeight);
    if (extra.current.get(index) === more) return;
    extra.current.set(index, more);
    measureAgain((n) => n + 1);
  };
  const rows = [];
  for (let index = slice.first; index < Math.min(slice.last, count); index++)
    rows.push(row(index, measured(index)));
  const space = { height: `${topOf(layout, count)}px`, paddingTop: `${topOf(layout, slice.first)}px` };
  return (
    <ol class="windowed" ref={box} aria-label={label} style={space}>
      {rows}
    </ol>
  );
}
