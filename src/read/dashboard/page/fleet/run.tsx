import { useState } from 'preact/hooks';
import type { FleetRun } from '../../view/types.ts';
import { Confirm } from '../act/confirm.tsx';
import { useAct } from '../act/use-act.ts';
import { Shape } from '../parts/shape.tsx';
import { Trouble } from '../parts/state.tsx';
import { Line } from '../parts/text.tsx';
import { Since } from '../parts/time.tsx';
import { addressOf } from '../state/route.ts';
import { capital, sayMoney } from '../words/figures.ts';
import type { Look } from '../words/states.ts';

const STATES: Record<FleetRun['state'], Look> = {
  dead: { words: 'Dead letter', shape: 'undone', tone: 'undone' },
  active: { words: 'At work', shape: 'busy', tone: 'busy' },
  delayed: { words: 'Delayed', shape: 'paused', tone: 'calm' },
  waiting: { words: 'Waits', shape: 'wait', tone: 'calm' },
};

export function RunLine({ run }: { run: FleetRun }) {
  const actor = useAct(run.run);
  const [isAsking, setAsking] = useState(false);
  const look = STATES[run.state];
  const title = <Line text={run.title || run.run} />;
  const { problem } = actor;
  const facts = [
    run.repo,
    run.worker && `on ${run.worker}`,
    run.iteration && `iteration ${run.iteration}`,
    run.costUsd && sayMoney(run.costUsd),
    ...run.labels,
  ];
  return (
    <li data-run={run.run}>
      <div class="fleet-line">
        <h3>
          {run.hasLoop ? (
            <a data-row href={addressOf({ view: 'loop', loop: run.run, part: 'timeline', only: 'all' })}>
              {title}
            </a>
          ) : (
            title
          )}
        </h3>
        <p class="loop-state">
          <span class={`state tone-${look.tone}`}>
            <Shape name={look.shape} />
            {look.words}
          </span>
          <span class="soft">
            for <Since at={run.since} />
          </span>
          {run.requested?.map((name) => (
            <span key={name} class="chip tone-you">
              {name} requested
            </span>
          ))}
        </p>
        <p class="small">
          <Line text={capital(run.words)} />
        </p>
        <p class="small soft">
          <Line text={facts.filter(Boolean).join(' · ')} />
        </p>
        {problem && !isAsking && <Trouble problem={problem} />}
      </div>
      {run.actions.includes('retry') && (
        <button type="button" class="button first" onClick={() => actor.send({ action: 'retry' })}>
          Try again
        </button>
      )}
      <button type="button" class="button grave" onClick={() => setAsking(true)}>
        Cancel
      </button>
      {isAsking && (
        <Confirm
          request={{ action: 'cancel' }}
          send={actor.send}
          close={() => setAsking(false)}
          {...(problem ? { problem } : {})}
        />
      )}
    </li>
  );
}
