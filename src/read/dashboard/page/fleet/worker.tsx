import type { FleetRequest, FleetWorker } from '../../view/types.ts';
import { Shape } from '../parts/shape.tsx';
import { Line } from '../parts/text.tsx';
import { Age } from '../parts/time.tsx';
import { plural } from '../words/figures.ts';

export function WorkerLine({ worker, order }: { worker: FleetWorker; order(request: FleetRequest): void }) {
  const { name, lost, draining, requested, diskFree } = worker;
  const [tone, shape, words] = lost
    ? (['undone', 'undone', 'Lost'] as const)
    : draining
      ? (['calm', 'paused', 'Draining'] as const)
      : (['done', 'live', 'There'] as const);
  const facts = [
    worker.host,
    worker.version,
    ...worker.labels,
    diskFree === undefined ? '' : `${(diskFree / 1e9).toFixed(1)} GB free`,
  ];
  return (
    <li>
      <div class="fleet-line">
        <h3>
          <Line text={name} />
        </h3>
        <p class="loop-state">
          <span class={`state tone-${tone}`}>
            <Shape name={shape} />
            {words}
          </span>
          <span class="soft">
            {worker.runs} of {plural(worker.concurrency, 'run')}, beat <Age at={worker.at} />
          </span>
          {requested && <span class="chip tone-you">{requested} requested</span>}
        </p>
        <p class="small soft">
          <Line text={facts.filter(Boolean).join(' · ')} />
        </p>
      </div>
      {!lost && (
        <button
          type="button"
          class="button"
          onClick={() => order({ action: draining ? 'undrain' : 'drain', worker: name })}
        >
          {draining ? 'Take runs again' : 'Drain'}
          <span class="hidden"> {name}</span>
        </button>
      )}
    </li>
  );
}
