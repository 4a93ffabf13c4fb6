import { useMemo } from 'preact/hooks';
import type { Overview } from '../../view/types.ts';
import { Empty } from '../parts/state.tsx';
import { isShown, needyLoops, ordered, stateOf } from '../state/listing.ts';
import { EVERYTHING, type Filter } from '../state/route.ts';
import { go } from '../state/use.ts';
import { plural } from '../words/figures.ts';
import { Filters } from './filters.tsx';
import { Older, useOlder } from './older.tsx';
import { LoopLine } from './row.tsx';

interface LoopListProps {
  overview: Overview;
  filter: Filter;
  projects: ReadonlyMap<string, string>;
}

export function LoopList({ overview, filter, projects }: LoopListProps) {
  const older = useOlder(filter, overview.loops);
  const all = useMemo(() => [...overview.loops, ...older.loops], [overview.loops, older.loops]);
  const known = useMemo(() => ({ needy: needyLoops(overview.needs), projects }), [overview.needs, projects]);
  const shown = useMemo(
    () =>
      ordered(
        all.filter((row) => isShown(row, filter, known)),
        filter.sort,
      ),
    [all, known, filter.words, filter.state, filter.project, filter.sort],
  );
  const counts = useMemo(() => {
    const found = all.filter((row) => isShown(row, { ...filter, state: 'all' }, known));
    const states = found.flatMap((row) => stateOf(row, known));
    return (state: string) => states.filter((one) => one === state).length;
  }, [all, known, filter.words, filter.project]);
  if (overview.loops.length === 0) return null;
  return (
    <section aria-labelledby="loops">
      <div class="section-head">
        <h2 id="loops">Loops and runs</h2>
        <p class="soft small" role="status">
          {plural(shown.length, 'loop')} shown
        </p>
      </div>
      <Filters filter={filter} overview={overview} counts={counts} />
      {shown.length === 0 ? (
        <div class="card">
          <Empty title="No loop matches">
            <button type="button" class="button" onClick={() => go({ view: 'overview', filter: EVERYTHING })}>
              Show all
            </button>
          </Empty>
        </div>
      ) : (
        <div class="card loops">
          <div class="loop-head small soft" aria-hidden="true">
            <span>Loop</span>
            <span>Iteration</span>
            <span>Gates</span>
            <span>Context</span>
            <span>Cost</span>
            <span>Time</span>
            <span>Ends next by</span>
          </div>
          <ul>
            {shown.map((row) => (
              <LoopLine key={row.id} row={row} project={projects.get(row.project) ?? row.project} />
            ))}
          </ul>
        </div>
      )}
      <Older
        older={older}
        ended={overview.ended - overview.loops.filter(({ doing }) => doing === 'ended').length}
      />
    </section>
  );
}
