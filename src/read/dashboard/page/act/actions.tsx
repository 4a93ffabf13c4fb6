/** The buttons of a loop. Each is a request that the loop takes at its next step. */
import { useState } from 'preact/hooks';
import type { ActionName, ActionRequest, LoopPage } from '../../view/types.ts';
import { Trouble } from '../parts/state.tsx';
import { Asked } from './asked.tsx';
import { Confirm } from './confirm.tsx';
import { LimitsDialog } from './limits.tsx';
import { useAct } from './use-act.ts';

type Plain = 'pause' | 'resume' | 'cancel' | 'release' | 'limits' | 'retry';

const LABELS: [Plain, string, string][] = [
  ['pause', 'Pause', ''],
  ['resume', 'Resume', 'first'],
  ['retry', 'Try again', 'first'],
  ['limits', 'Change limits', ''],
  ['release', 'Let go', ''],
  ['cancel', 'Cancel', 'grave'],
];

export function Actions({ view }: { view: LoopPage }) {
  const actor = useAct(view.row.id);
  const [asking, setAsking] = useState<'cancel' | 'release' | 'limits'>();
  const can = (name: ActionName) => view.actions.includes(name);
  const shown = LABELS.filter(([name]) => can(name) && (name !== 'limits' || view.limits));
  const tap = (name: Plain) => {
    if (name === 'pause' || name === 'resume' || name === 'retry') void actor.send({ action: name });
    else setAsking(name);
  };
  const close = () => setAsking(undefined);
  const problem = actor.problem ? { problem: actor.problem } : {};
  const listed = actor.answer && view.requests.some(({ place }) => place === actor.answer?.request.place);
  if (shown.length === 0) return null;
  return (
    <div class="actions">
      <div class="row-of">
        {shown.map(([name, label, look]) => (
          <button
            type="button"
            key={name}
            class={`button ${look}`}
            data-action={name}
            disabled={actor.sending !== undefined}
            onClick={() => tap(name)}
          >
            {label}
          </button>
        ))}
      </div>
      {actor.problem && !asking && <Trouble problem={actor.problem} />}
      {actor.answer && !listed && <Asked request={actor.answer.request} />}
      {(asking === 'cancel' || asking === 'release') && (
        <Confirm request={{ action: asking } as ActionRequest} send={actor.send} close={close} {...problem} />
      )}
      {asking === 'limits' && view.limits && (
        <LimitsDialog limits={view.limits} send={actor.send} close={close} {...problem} />
      )}
    </div>
  );
}
