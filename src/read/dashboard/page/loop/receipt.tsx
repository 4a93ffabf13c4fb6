import { sayDuration } from '../../../../engine/core/text/duration.ts';
import { dateOf } from '../../../../engine/core/text/moment.ts';
import type { LoopPage, ReceiptView } from '../../view/types.ts';
import { Shape } from '../parts/shape.tsx';
import { Empty, ToneChip, Trouble } from '../parts/state.tsx';
import { Line } from '../parts/text.tsx';
import { useAnswer } from '../state/use.ts';
import { plural, sayCount, sayMoney } from '../words/figures.ts';
import { endingWords } from '../words/states.ts';
import { Verdicts } from './verdicts.tsx';

export function ReceiptPart({ view }: { view: LoopPage }) {
  const loop = view.row.id;
  const { answer, problem } = useAnswer<ReceiptView>(
    view.hasReceipt ? `api/loops/${encodeURIComponent(loop)}/receipt` : undefined,
  );
  if (!view.hasReceipt)
    return (
      <div class="card">
        <Empty title="No receipt">
          <p>A receipt is made when a loop ends as done, proven or claimed.</p>
        </Empty>
      </div>
    );
  if (problem) return <Trouble problem={problem} />;
  return (
    <div class="card receipt">
      {answer ? <Receipt receipt={answer} /> : <Empty title="Checking the receipt …" />}
    </div>
  );
}

function Receipt({ receipt }: { receipt: ReceiptView }) {
  const { effort, work } = { ...receipt, work: [receipt.commit, receipt.tree] };
  return (
    <article>
      <header class="receipt-head">
        <div>
          <p class="small soft">Receipt of loop {receipt.loop}</p>
          <h2>
            <Line text={receipt.task} />
          </h2>
        </div>
        <button type="button" class="button no-print" onClick={() => print()}>
          Print
        </button>
      </header>
      <p>
        <ToneChip tone={receipt.tone} words={endingWords(receipt.status)} />
      </p>
      <p class="statement">
        <Line text={receipt.statement} />
      </p>
      <Verification receipt={receipt} />
      <Ladder receipt={receipt} />
      <section>
        <h3>Verdicts</h3>
        <Verdicts verdicts={receipt.verdicts} />
      </section>
      <Answers receipt={receipt} />
      <dl class="facts small">
        <Fact name="Effort" value={effortWords(effort)} />
        {receipt.madeAt !== undefined && <Fact name="Made" value={dateOf(receipt.madeAt, 0)} />}
        {work[0] !== undefined && <Fact name="Commit" value={work[0]} />}
        {work[1] !== undefined && <Fact name="Tree" value={work[1]} />}
        <Fact name="Contract" value={receipt.contract} />
        {receipt.allowed.length > 0 && (
          <Fact name="Exceptions you allowed" value={receipt.allowed.join(', ')} />
        )}
      </dl>
    </article>
  );
}

function effortWords(effort: ReceiptView['effort']): string {
  const said = [
    plural(effort.iterations, 'iteration'),
    sayDuration(effort.workingMs),
    `${sayCount(effort.tokens)} tokens`,
    effort.costUsd === undefined ? 'cost not known' : sayMoney(effort.costUsd),
    effort.estimatedUsd ? `${sayMoney(effort.estimatedUsd)} of it estimated` : '',
    effort.sessions === undefined ? '' : plural(effort.sessions, 'session'),
  ];
  return said.filter(Boolean).join(', ');
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt class="soft">{name}</dt>
      <dd>
        <Line text={value} />
      </dd>
    </div>
  );
}

function Verification({ receipt: { verification } }: { receipt: ReceiptView }) {
  const { ok, problems, key, ownKey } = verification;
  const by = `${ownKey ? "this machine's key" : 'another key'}${key === undefined ? '' : ` (${key})`}`;
  return (
    <div class={`note tone-${ok ? 'done' : 'undone'}`}>
      <Shape name={ok ? 'done' : 'undone'} />
      <div>
        <strong>{ok ? 'The signature holds' : 'This receipt does not verify'}</strong>
        <p>{ok ? `Signed by ${by}; nothing was changed since.` : 'Do not rely on it.'}</p>
        {problems.map((problem) => (
          <p key={problem}>
            <Line text={problem} />
          </p>
        ))}
      </div>
    </div>
  );
}

/** Rungs from the strongest to the weakest, as one climbs. */
function Ladder({ receipt: { ladder } }: { receipt: ReceiptView }) {
  return (
    <section>
      <h3>What it rests on{ladder.rests === undefined ? '' : `: ${ladder.rests}`}</h3>
      <ol class="ladder" aria-label="Ladder, strongest first">
        {[...ladder.rungs].reverse().map((rung) => (
          <li key={rung.name} class={rung.reached ? 'reached' : ''}>
            <Shape name={rung.reached ? 'done' : 'skip'} label={rung.reached ? 'reached' : 'not reached'} />
            <span>
              <Line text={rung.words} />
              <span class="soft small">
                {' '}
                <Line text={[...rung.gates, rung.by].filter(Boolean).join(', ')} />
              </span>
            </span>
          </li>
        ))}
      </ol>
      {ladder.weak.length > 0 && (
        <>
          <h3>What is weak about it</h3>
          <ul class="weak">
            {ladder.weak.map((link) => (
              <li key={link.what + link.gate + link.text}>
                <Shape name="unproven" />{' '}
                <Line text={link.gate === undefined ? link.text : `${link.gate}: ${link.text}`} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Answers({ receipt: { answers, questions } }: { receipt: ReceiptView }) {
  if (answers.length + questions.length === 0) return null;
  return (
    <section>
      <h3>What you said</h3>
      <ul class="weak">
        {answers.map(({ gate, said, note, at }) => (
          <li key={gate + at}>
            <Shape name="person" />{' '}
            <Line text={`${gate}: ${said}${note === undefined ? '' : ` (${note})`}`} />
          </li>
        ))}
        {questions.map(({ text, said, answer, at }) => (
          <li key={text + at}>
            <Shape name="you" />{' '}
            <Line text={`${text} – ${said}${answer === undefined ? '' : `: ${answer}`}`} />
          </li>
        ))}
      </ul>
    </section>
  );
}
