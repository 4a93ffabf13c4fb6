import { useState } from 'preact/hooks';
import type { ActionRequest, Problem } from '../../view/types.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Trouble } from '../parts/state.tsx';

export const GRAVE: Partial<Record<ActionRequest['action'], { title: string; text: string; yes: string }>> = {
  cancel: {
    title: 'Cancel this loop?',
    text: 'It ends as cancelled, and its session is held no longer. Its work stays in the project. A cancelled loop does not go on.',
    yes: 'Cancel the loop',
  },
  release: {
    title: 'Let this loop go without proof?',
    text: 'It ends as released: not done, and its session may stop. Its work stays in the project.',
    yes: 'Let it go',
  },
};

interface ConfirmProps {
  request: ActionRequest;
  problem?: Problem;
  close(): void;
  send(request: ActionRequest): Promise<boolean>;
}

/** Asks once before something that cannot be taken back. */
export function Confirm({ request, problem, close, send }: ConfirmProps) {
  const [note, setNote] = useState('');
  const [isSending, setSending] = useState(false);
  const words = GRAVE[request.action];
  if (!words) return null;
  const submit = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    const accepted = await send({
      ...request,
      ...(note.trim() === '' ? {} : { note: note.trim() }),
    } as ActionRequest);
    setSending(false);
    if (accepted) close();
  };
  return (
    <Dialog title={words.title} close={close}>
      <form onSubmit={submit}>
        <p>{words.text}</p>
        <label class="labelled">
          Why, for the journal (optional)
          <input
            class="field"
            value={note}
            onInput={(event) => setNote(event.currentTarget.value)}
            maxLength={500}
          />
        </label>
        {problem && <Trouble problem={problem} />}
        <div class="row-of end">
          <button type="button" class="button" onClick={close}>
            Keep it
          </button>
          <button type="submit" class="button grave first" disabled={isSending}>
            {words.yes}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
