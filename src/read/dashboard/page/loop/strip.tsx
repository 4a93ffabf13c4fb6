/** Gates over iterations: one row a gate, one column a judged Stop. A fail is high, a pass is low: no colour is needed. */
import type { Outcome, HeatStrip as Strip } from '../../view/types.ts';
import { Scrolled } from '../parts/scrolled.tsx';
import { Empty, OutcomeShape } from '../parts/state.tsx';
import { Line } from '../parts/text.tsx';
import { addressOf } from '../state/route.ts';
import { plural } from '../words/figures.ts';
import { OUTCOMES } from '../words/states.ts';

const ROW = 26;
const HEIGHTS: Record<Outcome, number> = { fail: 22, unproven: 15, pass: 8, skip: 3 };

export function HeatStrip({ strip, loop }: { strip: Strip; loop: string }) {
  const { columns, gates } = strip;
  if (columns.length === 0 || gates.length === 0)
    return (
      <div class="card">
        <Empty title="No Stop has been judged yet" />
      </div>
    );
  const width = Math.max(3, Math.min(22, Math.floor(640 / columns.length)));
  return (
    <div class="card panel">
      <p class="legend small">
        {(['fail', 'unproven', 'pass', 'skip'] as const).map((outcome) => (
          <span key={outcome}>
            <OutcomeShape outcome={outcome} /> {OUTCOMES[outcome].words}
          </span>
        ))}
        <span class="soft">{spanWords(columns)}</span>
      </p>
      <Scrolled label="Gates over iterations">
        <table class="heat">
          <thead class="hidden">
            <tr>
              <th scope="col">Gate</th>
              <th scope="col">Held</th>
              <th scope="col">Over time</th>
            </tr>
          </thead>
          <tbody>
            {gates.map((gate) => (
              <tr key={gate.name}>
                <th scope="row">
                  <Line text={gate.name} />
                </th>
                <td class="soft small">{gate.held === 0 ? 'never held' : `held ${gate.held} ×`}</td>
                <td>
                  <Cells name={gate.name} cells={gate.cells} strip={strip} width={width} loop={loop} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </div>
  );
}

interface CellsProps {
  name: string;
  cells: readonly (Outcome | null)[];
  strip: Strip;
  width: number;
  loop: string;
}

function Cells({ name, cells, strip, width, loop }: CellsProps) {
  const full = strip.columns.length * width;
  const said = (['fail', 'unproven', 'pass', 'skip'] as const)
    .map((outcome) => ({ outcome, count: cells.filter((cell) => cell === outcome).length }))
    .filter(({ count }) => count > 0)
    .map(({ outcome, count }) => `${OUTCOMES[outcome].words} ${count} times`);
  const open = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const column = strip.columns[Math.floor((event.clientX - box.left) / width)];
    if (column)
      location.hash = addressOf({ view: 'loop', loop, part: 'timeline', only: 'all', at: column.place });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the timeline has the same lines for the keyboard.
    <svg
      class="cells"
      width={full}
      height={ROW}
      viewBox={`0 0 ${full} ${ROW}`}
      role="img"
      aria-label={`${name}: ${said.join(', ') || 'not judged'}`}
      onClick={open}
    >
      {cells.map((cell, i) => {
        if (!cell) return null;
        const column = strip.columns[i];
        return (
          <rect
            key={column?.place ?? i}
            class={`cell tone-${OUTCOMES[cell].tone}`}
            x={i * width}
            y={ROW - 2 - HEIGHTS[cell]}
            width={Math.max(2, width - (width > 5 ? 2 : 1))}
            height={HEIGHTS[cell]}
            rx={width > 8 ? 2 : 0}
          >
            <title>{`${spanOf(column)}: ${OUTCOMES[cell].words}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

function spanOf(column: Strip['columns'][number] | undefined): string {
  if (!column) return '';
  return column.from === column.to ? `iteration ${column.from}` : `iterations ${column.from} to ${column.to}`;
}

function spanWords(columns: Strip['columns']): string {
  const [first, last] = [columns[0]?.from ?? 1, columns.at(-1)?.to ?? 1];
  return `${plural(columns.length, 'column')}, iterations ${first} to ${last}, left to right`;
}
