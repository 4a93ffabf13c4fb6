/** Something that only you can do, with its answers. */
import { useState } from 'preact/hooks';
import type { ActionRequest, Need, NeedAnswer } from '../../view/types.ts';
import { Shape } from '../parts/shape.tsx';
import { Chip, Trouble } from '../parts/state.tsx';
import { Block, Line } from '../parts/text.tsx';
import { Age } from '../parts/time.tsx';
import { addressOf } from '../state/route.ts';
import { capital } from '../words/figures.ts';
import { Asked } from './asked.tsx';
import { Confirm, GRAVE } from './confirm.tsx';
import { useAct } from './use-act.ts';

const KINDS: Record<Need['kind'], string> = {
  approval: 'Approval',
  question: 'Question',
  trust: 'Not trusted',
  not_held: 'Not held',
  needs_person: 'Needs you',
  missed_stop: 'Missed a stop',
  unreadable: 'Cannot be read',
  ended_asking: 'Ended with a question',
  dead_letter: 'Dead letter',
};

interface NeedCardProps {
  need: Need;
  /** Where the loop itself is not what is shown: its project and its task. */
  project?: string;
  task?: string;
}

export function NeedCard({ need, project, task }: NeedCardProps) {
  // Below the heading of a section, or right below that of the loop.
  const Title = task === undefined ? 'h2' : 'h3';
  const text = need.text !== undefined && !need.title.includes(need.text) ? need.text : undefined;
  return (
    <li class="need card">
      <div class="need-head">
        <Chip tone="you">
          <Shape name="you" /> {KINDS[need.kind]}
        </Chip>
        <span class="soft small">
          {project !== undefined && (
            <>
              <Line text={project} />
              {' · '}
            </>
          )}
          <Age at={need.since} />
        </span>
      </div>
      <Title class="need-title">
        <Line text={capital(need.title)} />
      </Title>
      {task && need.loop !== undefined && (
        <p class="small need-task">
          <a data-row href={addressOf({ view: 'loop', loop: need.loop, part: 'timeline', only: 'all' })}>
            <Line text={task} />
          </a>
        </p>
      )}
      {text !== undefined && <Block text={text} class="need-text" />}
      {need.loop !== undefined && need.answers.length > 0 && <Answers loop={need.loop} need={need} />}
      {need.command !== undefined && <Command text={need.command} />}
    </li>
  );
}

function Command({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <p class="command">
      <span class="soft small">In a terminal:</span> <code class="code outside">{text}</code>
      {'clipboard' in navigator && (
        <button type="button" class="button plain small" onClick={copy}>
          {copied ? 'Copied' : 'Copy'}
        </button>
      )}
    </p>
  );
}

function Answers({ loop, need }: { loop: string; need: Need }) {
  const actor = useAct(loop);
  const [writing, setWriting] = useState<NeedAnswer>();
  const [grave, setGrave] = useState<ActionRequest>();
  if (actor.answer && !grave) return <Asked request={actor.answer.request} />;
  const tap = (answer: NeedAnswer) => {
    if (GRAVE[answer.action.action]) setGrave(answer.action);
    else if (answer.note === 'required') setWriting(writing === answer ? undefined : answer);
    else void actor.send(answer.action);
  };
  const notable = need.answers.find(({ note, action }) => note === 'optional' && action.action !== 'answer');
  return (
    <>
      <div class="row-of">
        {need.answers.map((answer) => (
          <button
            type="button"
            key={answer.label}
            class={`button ${CLASSES[answer.tone]}`}
            disabled={actor.sending !== undefined}
            aria-expanded={answer.note === 'required' ? writing?.label === answer.label : undefined}
            onClick={() => tap(answer)}
          >
            <Line text={answer.label} />
            {answer.note === 'required' && ' …'}
          </button>
        ))}
        {notable && !writing && (
          <button type="button" class="button plain" onClick={() => setWriting(notable)}>
            <Line text={`${notable.label} with a note …`} />
          </button>
        )}
      </div>
      {writing && (
        <OwnWords
          answer={writing}
          isSending={actor.sending !== undefined}
          send={actor.send}
          close={() => setWriting(undefined)}
        />
      )}
      {actor.sending && (
        <p class="soft small" role="status">
          Sending …
        </p>
      )}
      {actor.problem && !grave && <Trouble problem={actor.problem} />}
      {grave && (
        <Confirm
          request={grave}
          send={actor.send}
          close={() => setGrave(undefined)}
          {...(actor.problem ? { problem: actor.problem } : {})}
        />
      )}
    </>
  );
}

const CLASSES: Record<NeedAnswer['tone'], string> = { good: 'first', bad: 'grave', quiet: '' };

interface OwnWordsProps {
  answer: NeedAnswer;
  isSending: boolean;
  send(request: ActionRequest): Promise<boolean>;
  close(): void;
}

function OwnWords({ answer, isSending, send, close }: OwnWordsProps) {
  const [text, setText] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    void send(withWords(answer.action, text.trim()));
  };
  return (
    <form class="own-words" onSubmit={submit}>
      <label class="labelled">
        <span>
          <Line text={answer.label} />:{' '}
          {answer.action.action === 'answer' ? 'your words' : 'a note for the agent'}
        </span>
        <textarea
          class="field"
          value={text}
          maxLength={4000}
          ref={(element) => element?.focus()}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div class="row-of">
        <button type="submit" class="button first" disabled={isSending || text.trim() === ''}>
          Send
        </button>
        <button type="button" class="button plain" onClick={close}>
          Not now
        </button>
      </div>
    </form>
  );
}

function withWords(action: ActionRequest, words: string): ActionRequest {
  return (
    action.action === 'answer' ? { ...action, text: words } : { ...action, note: words }
  ) as ActionRequest;
}
