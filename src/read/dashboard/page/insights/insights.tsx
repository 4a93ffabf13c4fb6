import { useState } from 'preact/hooks';
import type { Insights as InsightsData, ProjectRow } from '../../view/types.ts';
import { Empty, Trouble } from '../parts/state.tsx';
import { useAnswer } from '../state/use.ts';
import { plural } from '../words/figures.ts';
import { Audit } from './audit.tsx';
import { CostByDay } from './cost.tsx';
import { Cheats, Endings, Gates, Latency, Lessons, Reasons, UntilDone } from './panels.tsx';

const DAYS = [7, 30, 90];

export function Insights({ projects }: { projects: readonly ProjectRow[] }) {
  const [days, setDays] = useState(30);
  const [project, setProject] = useState('');
  const asked = new URLSearchParams({ days: String(days), project });
  const { answer, problem } = useAnswer<InsightsData>(`api/insights?${asked}`);
  return (
    <main id="main" class="insights">
      <div class="section-head">
        <h1>Insights</h1>
        <div class="selects">
          {projects.length > 1 && (
            <select
              class="field"
              aria-label="Project"
              value={project}
              onChange={(event) => setProject(event.currentTarget.value)}
            >
              <option value="">All projects</option>
              {projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
          <select
            class="field"
            aria-label="Time"
            value={String(days)}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
          >
            {DAYS.map((count) => (
              <option key={count} value={String(count)}>
                {count} days
              </option>
            ))}
          </select>
        </div>
      </div>
      {problem && <Trouble problem={problem} />}
      {!answer && !problem && <Empty title="Reading journals …" />}
      {answer && (
        <Panels
          key={`${days} ${project}`}
          insights={answer}
          projects={projects}
          days={days}
          project={project}
        />
      )}
    </main>
  );
}

function Panels({
  insights,
  projects,
  days,
  project,
}: {
  insights: InsightsData;
  projects: readonly ProjectRow[];
  days: number;
  project: string;
}) {
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  return (
    <>
      {insights.loops === 0 && (
        <div class="card">
          <Empty title="No loops in this time" />
        </div>
      )}
      <p class="soft">
        {plural(insights.loops, 'loop')}
        {insights.cut && '; there are more than could be read in time, these are the newest'}
      </p>
      <div class="panels">
        <Endings endings={insights.endings} />
        <Gates gates={insights.gates} names={names} />
        <Reasons reasons={insights.reasons} />
        <UntilDone untilDone={insights.untilDone} />
        <CostByDay cost={insights.cost} names={names} />
        <Latency latency={insights.latency} />
        <Cheats cheats={insights.cheats} />
        <Lessons lessons={insights.lessons} names={names} />
        <Audit audit={insights.audit} canAudit={insights.canAudit} days={days} project={project} />
      </div>
    </>
  );
}
