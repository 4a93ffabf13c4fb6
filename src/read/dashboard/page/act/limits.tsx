import { useState } from 'preact/hooks';
import { parseDuration } from '../../../../engine/core/text/duration.ts';
import type { ActionRequest, LimitsView, Problem } from '../../view/types.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Trouble } from '../parts/state.tsx';
import { type LimitFields, limitsChanged, spelledLimits } from '../words/limits.ts';

interface LimitsProps {
  limits: LimitsView;
  problem?: Problem;
  close(): void;
  send(request: ActionRequest): Promise<boolean>;
}

const FIELDS: [keyof LimitFields, string, string][] = [
  ['iterations', 'Iterations', '20'],
  ['duration', 'Working time', '8h, 90m, 1h30m'],
  ['cost', 'Cost in USD', '12.50'],
  ['tokens', 'Tokens', '2000000'],
];

export function LimitsDialog({ limits, problem, close, send }: LimitsProps) {
  const [before] = useState(() => spelledLimits(limits));
  const [fields, setFields] = useState(before);
  const [wrong, setWrong] = useState<Problem>();
  const submit = async (event: Event) => {
    event.preventDefault();
    const changed = limitsChanged(before, fields, parseDuration);
    if ('wrong' in changed) return setWrong({ code: 'limits', message: changed.wrong });
    setWrong(undefined);
    if (await send(changed.request)) close();
  };
  const shown = wrong ?? problem;
  return (
    <Dialog title="Change limits" close={close}>
      <form onSubmit={submit}>
        <p class="soft">An empty field means unlimited. Only what you change is sent.</p>
        <div class="limits">
          {FIELDS.map(([name, label, example]) => (
            <label class="labelled" key={name}>
              {label}
              <input
                class="field"
                name={name}
                value={fields[name]}
                placeholder={`unlimited (such as ${example})`}
                onInput={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
              />
            </label>
          ))}
        </div>
        {shown && <Trouble problem={shown} />}
        <div class="row-of end">
          <button type="button" class="button" onClick={close}>
            Leave them
          </button>
          <button type="submit" class="button first">
            Change
          </button>
        </div>
      </form>
    </Dialog>
  );
}
