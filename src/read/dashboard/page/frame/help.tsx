import { Dialog } from '../parts/dialog.tsx';
import { KEYS } from './keys.ts';

export function Help({ close }: { close(): void }) {
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {KEYS.map(([keys, words]) => (
          <div key={words}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="row-of end">
        <button type="submit" class="button first">
          Close
        </button>
      </form>
    </Dialog>
  );
}
