import { useMemo } from 'preact/hooks';
import type { Overview as OverviewData } from '../../view/types.ts';
import { NeedCard } from '../act/need.tsx';
import { Shape } from '../parts/shape.tsx';
import { Empty, Trouble } from '../parts/state.tsx';
import type { Filter } from '../state/route.ts';
import { plural, sayMoney } from '../words/figures.ts';
import { LoopList } from './list.tsx';
import { OtherSessions } from './sessions.tsx';

export function Overview({ overview, filter }: { overview: OverviewData; filter: Filter }) {
  const projects = useMemo(
    () => new Map(overview.projects.map(({ id, name }) => [id, name])),
    [overview.projects],
  );
  return (
    <main class="overview" id="main">
      <h1 class="hidden">Overview</h1>
      {overview.problems.map((problem) => (
        <Trouble key={problem.code + problem.message} problem={problem} tone="you" />
      ))}
      {overview.reading && (
        <p class="note soft" role="status">
          Reading journals: {overview.reading.read} of {plural(overview.reading.of, 'loop')} …
        </p>
      )}
      <Needs overview={overview} projects={projects} />
      <LoopList overview={overview} filter={filter} projects={projects} />
      {overview.sessions && overview.sessions.length > 0 && <OtherSessions sessions={overview.sessions} />}
    </main>
  );
}

function Needs({ overview, projects }: { overview: OverviewData; projects: ReadonlyMap<string, string> }) {
  const { needs, loops } = overview;
  const tasks = new Map(loops.map(({ id, task }): [string | undefined, string] => [id, task || id]));
  if (loops.length === 0 && needs.length === 0 && !overview.reading)
    return overview.fleet ? <NoRuns /> : <NothingYet home={overview.home} />;
  return (
    <section aria-labelledby="needs">
      <div class="section-head">
        <h2 id="needs">
          {needs.length === 0
            ? overview.reading
              ? 'Looking for what needs you'
              : 'Nothing needs you'
            : `${plural(needs.length, 'thing')} ${needs.length === 1 ? 'needs' : 'need'} you`}
        </h2>
        <Today overview={overview} />
      </div>
      {needs.length === 0 ? (
        overview.reading ? null : (
          <p class="note tone-calm calm-line">
            <Shape name="done" /> No approval, no question, and every active loop is held.
          </p>
        )
      ) : (
        <ul class="needs">
          {needs.map((need) => (
            <NeedCard
              key={need.id}
              need={need}
              project={projects.get(need.project) ?? need.project}
              task={tasks.get(need.loop) ?? ''}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function Today({ overview: { totals } }: { overview: OverviewData }) {
  const said = [
    `${totals.active} active`,
    totals.paused > 0 ? `${totals.paused} paused` : '',
    `today ${totals.doneToday} done`,
    totals.otherEndingsToday > 0 ? `${totals.otherEndingsToday} ended otherwise` : '',
    totals.costTodayUsd > 0 ? sayMoney(totals.costTodayUsd) : '',
  ];
  return <p class="soft small">{said.filter(Boolean).join(' · ')}</p>;
}

function NoRuns() {
  return (
    <div class="card">
      <Empty title="No run has begun">
        <p>
          A run appears here when a worker begins it: <code class="code">untildone submit "your task"</code>
        </p>
        <a href="#/fleet">To the fleet</a>
      </Empty>
    </div>
  );
}

function NothingYet({ home }: { home: string }) {
  return (
    <div class="card">
      <Empty title="No loops yet">
        <p>A loop appears here when a session is held, or when a run begins.</p>
        <p>
          Begin in a project: <code class="code">untildone setup</code>, then{' '}
          <code class="code">untildone start "your task"</code>
        </p>
        <p class="small">
          This page reads <code class="code outside">{home}</code>
        </p>
      </Empty>
    </div>
  );
}
