import { useState } from 'preact/hooks';
import type { Insights } from '../../view/types.ts';
import { axisMarks, plural, sayMoney } from '../words/figures.ts';
import { Bars, Panel } from './panels.tsx';

const HEIGHT = 150;
const WIDTH = 560;
const LEFT = 52;

/** Cost by day as columns, and by project as bars. */
export function CostByDay({
  cost: all,
  names,
}: Pick<Insights, 'cost'> & { names: ReadonlyMap<string, string> }) {
  const cost = all.filter(({ usd }) => usd > 0);
  const [id] = useState('cost-by-day');
  if (cost.length === 0) return null;
  const days = sums(cost, ({ day }) => day).sort(([one], [other]) => one.localeCompare(other));
  const projects = sums(cost, ({ project }) => project).sort(([, one], [, other]) => other - one);
  const sum = projects.reduce((before, [, usd]) => before + usd, 0);
  const marks = axisMarks(Math.max(...days.map(([, usd]) => usd)), 3);
  const most = marks.at(-1) ?? 1;
  const step = (WIDTH - LEFT) / days.length;
  const y = (usd: number) => HEIGHT - 24 - (usd / most) * (HEIGHT - 40);
  const [dearest = ['', 0]] = [...days].sort(([, one], [, other]) => other - one);
  const summary = `${sayMoney(sum)} on ${plural(days.length, 'day')}; the highest was ${sayMoney(dearest[1])} on ${dearest[0]}.`;
  return (
    <Panel title="Cost by day and project, in USD" text={summary}>
      <svg class="columns" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-labelledby={id}>
        <title id={id}>{summary}</title>
        {marks.map((mark) => (
          <g key={mark}>
            <path class="grid" d={`M${LEFT} ${y(mark)}H${WIDTH}`} />
            <text class="tick" x={LEFT - 8} y={y(mark) + 4} text-anchor="end">
              {sayMoney(mark)}
            </text>
          </g>
        ))}
        {days.map(([day, usd], i) => (
          <rect
            key={day}
            class="column"
            x={LEFT + i * step + step * 0.12}
            y={y(usd)}
            width={Math.min(34, step * 0.76)}
            height={Math.max(1, y(0) - y(usd))}
            rx="2"
          >
            <title>{`${day}: ${sayMoney(usd)}`}</title>
          </rect>
        ))}
        <text class="tick" x={LEFT} y={HEIGHT - 6}>
          {days[0]?.[0]}
        </text>
        {days.length > 1 && (
          <text class="tick" x={WIDTH} y={HEIGHT - 6} text-anchor="end">
            {days.at(-1)?.[0]}
          </text>
        )}
      </svg>
      <Bars
        rows={projects.map(([project, usd]) => ({
          key: project,
          name: names.get(project) ?? project,
          share: usd / (projects[0]?.[1] || 1),
          value: sayMoney(usd),
        }))}
      />
    </Panel>
  );
}

function sums(cost: Insights['cost'], nameOf: (row: Insights['cost'][number]) => string): [string, number][] {
  const found = new Map<string, number>();
  for (const row of cost) found.set(nameOf(row), (found.get(nameOf(row)) ?? 0) + row.usd);
  return [...found];
}
