import type { Overview } from '../../view/types.ts';
import { type Filter, SORTS, type Sort, STATES, type StateFilter } from '../state/route.ts';
import { go } from '../state/use.ts';

const STATE_WORDS: Record<StateFilter, string> = {
  all: 'All',
  'needs-you': 'Needs you',
  working: 'Works',
  waiting: 'Waits',
  done: 'Done',
  undone: 'Ended otherwise',
};

const SORT_WORDS: Record<Sort, string> = {
  urgent: 'Urgent first',
  newest: 'Newest first',
  cost: 'Highest cost',
  time: 'Longest time',
  iteration: 'Most iterations',
  name: 'By task',
};

interface FiltersProps {
  filter: Filter;
  overview: Overview;
  counts(state: StateFilter): number;
}

export function Filters({ filter, overview, counts }: FiltersProps) {
  const set = (change: Partial<Filter>, replace = false) =>
    go({ view: 'overview', filter: { ...filter, ...change } }, { replace });
  return (
    <div class="filters">
      <input
        type="search"
        id="search"
        class="field search"
        placeholder="Search tasks, projects, gates …  ( / )"
        aria-label="Search loops"
        value={filter.words}
        onInput={(event) => set({ words: event.currentTarget.value }, true)}
      />
      <fieldset class="choices">
        <legend class="hidden">Show</legend>
        {STATES.map((state) => (
          <button
            type="button"
            key={state}
            class="choice"
            aria-pressed={filter.state === state}
            onClick={() => set({ state })}
          >
            {STATE_WORDS[state]} <span class="count">{counts(state)}</span>
          </button>
        ))}
      </fieldset>
      <div class="selects">
        {overview.projects.length > 1 && (
          <select
            class="field"
            aria-label="Project"
            value={filter.project}
            onChange={(event) => set({ project: event.currentTarget.value })}
          >
            <option value="">All projects</option>
            {overview.projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
        <select
          class="field"
          aria-label="Order"
          value={filter.sort}
          onChange={(event) => set({ sort: event.currentTarget.value as Sort })}
        >
          {SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {SORT_WORDS[sort]}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}
