/** A line over time as plain SVG: axes with units, marks of moments, and the same in words for those who do not see it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { axisMarks } from '../words/figures.ts';

export interface ChartPoint {
  x: number;
  y: number;
}

export interface ChartProps {
  title: string;
  /** What the line says, in a sentence. */
  summary: string;
  points: readonly ChartPoint[];
  marks?: readonly { x: number; words: string }[];
  sayX(x: number): string;
  sayY(y: number): string;
  /** The highest value of the axis; that of the line when absent. */
  most?: number;
  /** Each value holds until the next. */
  steps?: boolean;
}

const HEIGHT = 190;
const SPACE = { left: 54, right: 14, top: 12, bottom: 28 };

export function Chart(props: ChartProps) {
  const { title, summary, points, marks = [], sayX, sayY, steps = false } = props;
  const [figure, width] = useWidth();
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const values = axisMarks(props.most ?? Math.max(...ys, 0));
  const most = props.most ?? values.at(-1) ?? 1;
  const x = (value: number) =>
    SPACE.left + ((value - first) / (last - first || 1)) * (width - SPACE.left - SPACE.right);
  const y = (value: number) => HEIGHT - SPACE.bottom - (value / most) * (HEIGHT - SPACE.top - SPACE.bottom);
  const line = points.map((point, i) => at(point, points[i - 1])).join('');
  function at(point: ChartPoint, before?: ChartPoint): string {
    const corner = steps && before ? `L${x(point.x).toFixed(1)} ${y(before.y).toFixed(1)}` : '';
    return `${corner}${before ? 'L' : 'M'}${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`;
  }
  const end = points.at(-1);
  const times = width < 420 ? [first, last] : [first, (first + last) / 2, last];
  return (
    <figure class="chart card" ref={figure}>
      <figcaption>
        <h3>{title}</h3>
        <p class="soft small">{summary}</p>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`${title}. ${summary}`}
      >
        {values.map((value) => (
          <g key={value}>
            <path class="grid" d={`M${SPACE.left} ${y(value)}H${width - SPACE.right}`} />
            <text class="tick" x={SPACE.left - 8} y={y(value) + 4} text-anchor="end">
              {sayY(value)}
            </text>
          </g>
        ))}
        {marks.map((mark) => (
          <path key={mark.x} class="moment" d={`M${x(mark.x)} ${SPACE.top}V${HEIGHT - SPACE.bottom}`}>
            <title>{mark.words}</title>
          </path>
        ))}
        {end && <path class="area" d={`${line}L${x(end.x)} ${y(0)}L${x(first)} ${y(0)}Z`} />}
        <path class="curve" d={line} />
        {end && <circle class="tip" cx={x(end.x)} cy={y(end.y)} r="4" />}
        {times.map((time, i) => (
          <text key={time} class="tick" x={x(time)} y={HEIGHT - 8} text-anchor={anchorOf(i, times.length)}>
            {sayX(time)}
          </text>
        ))}
      </svg>
    </figure>
  );
}

function anchorOf(index: number, count: number): 'start' | 'middle' | 'end' {
  if (index === 0) return 'start';
  return index === count - 1 ? 'end' : 'middle';
}

/** Charts are drawn in the pixels that there are, so that their letters stay readable on a phone. */
function useWidth(): [preact.RefObject<HTMLElement | null>, number] {
  const figure = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(320);
  useEffect(() => {
    const element = figure.current;
    if (!element) return;
    const look = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(240, Math.floor(entry.contentRect.width)));
    });
    look.observe(element);
    return () => look.disconnect();
  }, []);
  return [figure, width];
}
