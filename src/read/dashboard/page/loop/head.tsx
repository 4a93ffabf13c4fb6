import { useState } from 'preact/hooks';
import type { LoopPage } from '../../view/types.ts';
import { currentWords, ownerWords, saysMore } from '../overview/row.tsx';
import { StateSince } from '../parts/state.tsx';
import { Block, Line } from '../parts/text.tsx';
import { Elapsed, Moment } from '../parts/time.tsx';
import { capital, sayCount, sayMoney, sayShare } from '../words/figures.ts';

export function LoopHead({ view }: { view: LoopPage }) {
  const { row, project } = view;
  const [first = '', ...others] = view.task.split('\n');
  return (
    <header class="loop-title">
      <p class="small soft">
        <a href="#/">Overview</a> / <Line text={project.name} />
      </p>
      <h1>
        <Line text={row.task || first || row.id} />
      </h1>
      <p class="loop-situation">
        <StateSince row={row} />
      </p>
      {saysMore(row) && (
        <p>
          <Line text={capital(row.words)} />
        </p>
      )}
      {(others.length > 0 || first !== row.task) && <Task text={view.task} isCut={view.taskCut === true} />}
      <dl class="tiles">
        <Tile name="Iteration">
          {row.iteration ?? '–'}
          {row.maxIterations !== undefined && <small> of {row.maxIterations}</small>}
        </Tile>
        <Tile name="Working time">
          <Elapsed row={row} />
        </Tile>
        <Tile name="Cost">
          {row.costUsd === undefined ? '–' : sayMoney(row.costUsd)}
          {row.estimatedUsd ? <small> {sayMoney(row.estimatedUsd)} estimated</small> : null}
        </Tile>
        <Tile name="Tokens">{sayCount(row.tokens)}</Tile>
        <Tile name="Context">{row.context === undefined ? '–' : sayShare(row.context)}</Tile>
        <Tile name="Began">
          <Moment at={row.startedAt} />
        </Tile>
      </dl>
      <p class="small soft">
        <Line text={[ownerWords(row), currentWords(row), `loop ${row.id}`].filter(Boolean).join(' · ')} />
      </p>
    </header>
  );
}

export function Tile({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Task({ text, isCut }: { text: string; isCut: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="button plain small"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Hide the task' : 'Show the whole task'}
      </button>
      {isOpen && <Block text={isCut ? `${text}\n…` : text} />}
    </>
  );
}
