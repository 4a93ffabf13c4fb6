/** The fleet: its queue, its workers, its runs, what it may spend. */
import { useEffect, useState } from 'preact/hooks';
import type { FleetAnswer, FleetRequest, FleetView, Problem } from '../../view/types.ts';
import { Tile } from '../loop/head.tsx';
import { Empty, Meter, Trouble } from '../parts/state.tsx';
import { Line } from '../parts/text.tsx';
import { Since } from '../parts/time.tsx';
import { problemOf, send } from '../state/api.ts';
import { live } from '../state/live.ts';
import { useStore } from '../state/store.ts';
import { useAnswer } from '../state/use.ts';
import { capital, plural, sayMoney, sayShare } from '../words/figures.ts';
import { RunLine } from './run.tsx';
import { WorkerLine } from './worker.tsx';

export type Order = (request: FleetRequest) => void;

export function Fleet() {
  const { answer, problem, again } = useAnswer<FleetView>('api/fleet');
  const times = useStore(live, (state) => state.fleetTimes);
  const [refused, setRefused] = useState<Problem>();
  useEffect(again, [times]);
  const order: Order = (request) => {
    setRefused(undefined);
    send<FleetAnswer>('api/fleet', request).then(again, (error) => setRefused(problemOf(error)));
  };
  const trouble = refused ?? problem;
  return (
    <main class="overview" id="main">
      <h1 class="hidden">Fleet</h1>
      {trouble && <Trouble problem={trouble} />}
      {answer ? <Parts fleet={answer} order={order} /> : <Empty title="Looking at the fleet …" />}
    </main>
  );
}

function Parts({ fleet, order }: { fleet: FleetView; order: Order }) {
  const { counts, workers, runs, limits, paused } = fleet;
  return (
    <>
      <section aria-labelledby="queue">
        <div class="section-head">
          <h2 id="queue">{paused ? 'The fleet is paused: nothing new is taken' : 'Queue'}</h2>
          <button
            type="button"
            class={`button ${paused ? 'first' : ''}`}
            onClick={() => order({ action: paused ? 'resume' : 'pause' })}
          >
            {paused ? 'Resume the fleet' : 'Pause the fleet'}
          </button>
        </div>
        <dl class="tiles">
          <Tile name="Waiting">
            {counts.waiting}
            {fleet.oldestWaiting !== undefined && (
              <small>
                {' '}
                for up to <Since at={fleet.oldestWaiting} />
              </small>
            )}
          </Tile>
          <Tile name="Delayed">{counts.delayed}</Tile>
          <Tile name="At work">{counts.active}</Tile>
          <Tile name="Dead letters">{counts.dead}</Tile>
          <Tile name="Ended">
            {counts.ended}
            <small>
              {' '}
              {fleet.endedLastHour} in the last hour, {fleet.endedLastDay} in a day
            </small>
          </Tile>
          <Tile name="Spent today, UTC">{sayMoney(fleet.spentUsd)}</Tile>
        </dl>
        {limits.length > 0 && (
          <ul class="budgets fleet-limits">
            {limits.map(({ words, share }) => (
              <li key={words}>
                <p class="small">
                  <Line text={capital(words)} />
                </p>
                {share !== undefined && <Meter share={share} label={`${sayShare(share)} used`} />}
              </li>
            ))}
          </ul>
        )}
      </section>
      <section aria-labelledby="workers">
        <div class="section-head">
          <h2 id="workers">{plural(fleet.workerCount, 'worker')}</h2>
          <p class="soft small">
            <Line text={fleet.place} />
          </p>
        </div>
        {workers.length === 0 ? (
          <div class="card">
            <Empty title="No worker is there">
              <p>
                Start one: <code class="code">untildone worker</code>
              </p>
            </Empty>
          </div>
        ) : (
          <ul class="card plain-list">
            {workers.map((worker) => (
              <WorkerLine key={worker.name} worker={worker} order={order} />
            ))}
          </ul>
        )}
      </section>
      <section aria-labelledby="runs">
        <div class="section-head">
          <h2 id="runs">Runs that have not ended</h2>
          <p class="soft small" role="status">
            {plural(runs.length, 'run')} shown{fleet.more > 0 && `, ${fleet.more} more`}
          </p>
        </div>
        {runs.length === 0 ? (
          <div class="card">
            <Empty title="Nothing waits, nothing is at work" />
          </div>
        ) : (
          <ul class="card plain-list">
            {runs.map((run) => (
              <RunLine key={run.run} run={run} />
            ))}
          </ul>
        )}
      </section>
    </>
  );
}
