import { momentOf } from '../../../../engine/core/text/moment.ts';
import type { Series } from '../../view/types.ts';
import { Chart } from '../parts/chart.tsx';
import { Empty } from '../parts/state.tsx';
import { useNow } from '../state/use.ts';
import { sayCount, sayMoney, sayShare } from '../words/figures.ts';

const MARKS: Record<Series['marks'][number]['kind'], string> = {
  session: 'a session began',
  compaction: 'the context was compacted',
  hand_over: 'a session handed over',
};

export function Charts({ series }: { series: Series }) {
  const now = useNow();
  const { points, marks } = series;
  const sayX = (at: number) => momentOf(at, now);
  const cost = points.flatMap(({ at, costUsd }) => (costUsd === undefined ? [] : { x: at, y: costUsd }));
  const context = points.flatMap(({ at, context: full }) => (full === undefined ? [] : { x: at, y: full }));
  const tokens = points.map((point) => ({ x: point.at, y: point.tokens }));
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const moments = marks
    .filter(({ at }) => at >= first && at <= last)
    .map(({ at, kind }) => ({ x: at, words: MARKS[kind] }));
  if (points.length < 2)
    return (
      <div class="card">
        <Empty title="Charts begin at the second judged Stop" />
      </div>
    );
  const lastOf = (list: readonly { y: number }[]) => list.at(-1)?.y ?? 0;
  return (
    <div class="charts">
      {cost.length > 1 && (
        <Chart
          title="Cost, in USD"
          summary={`${sayMoney(lastOf(cost))} so far, ${sayMoney(lastOf(cost) / cost.length)} a Stop on average.`}
          points={cost}
          marks={moments}
          sayX={sayX}
          sayY={sayMoney}
        />
      )}
      {context.length > 1 && (
        <Chart
          title="Context window, full by"
          summary={`${sayShare(lastOf(context))} at the last Stop, at most ${sayShare(Math.max(...context.map(({ y }) => y)))}. ${marksWords(series)}`}
          points={context}
          marks={moments}
          most={1}
          sayX={sayX}
          sayY={sayShare}
        />
      )}
      <Chart
        title="Tokens"
        summary={`${sayCount(lastOf(tokens))} so far.`}
        points={tokens}
        marks={moments}
        sayX={sayX}
        sayY={sayCount}
      />
    </div>
  );
}

function marksWords({ marks }: Series): string {
  const count = (kind: string) => marks.filter((mark) => mark.kind === kind).length;
  const said = [
    count('session') > 0 ? `${count('session')} sessions` : '',
    count('compaction') > 0 ? `${count('compaction')} compactions` : '',
    count('hand_over') > 0 ? `${count('hand_over')} hand-overs` : '',
  ].filter(Boolean);
  return said.length === 0 ? '' : `Dotted lines: ${said.join(', ')}.`;
}
