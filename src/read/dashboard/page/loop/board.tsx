import type { LoopPage, Outcome } from '../../view/types.ts';
import { LoopLine } from '../overview/row.tsx';
import { Empty, Meter, OutcomeShape } from '../parts/state.tsx';
import { Line } from '../parts/text.tsx';
import { OUTCOMES } from '../words/states.ts';

type Card = NonNullable<LoopPage['board']>['cards'][number];

const COLUMNS: [string, (card: Card) => boolean][] = [
  ['Now', (card) => card.current === true && card.verdict !== 'pass'],
  ['Open', (card) => card.current !== true && card.verdict !== 'pass'],
  ['Passed', (card) => card.verdict === 'pass'],
];

/** Features or chunks by where they stand, and the pieces of a run that divides its work. */
export function Board({ view }: { view: LoopPage }) {
  const { board, children } = view;
  if (!board && children.length === 0)
    return (
      <div class="card">
        <Empty title="This loop has no features, chunks or pieces" />
      </div>
    );
  return (
    <>
      {board && (
        <>
          <p class="board-sum">
            {board.passed} of {board.total} {board.kind} passed
          </p>
          <Meter
            share={board.total === 0 ? 0 : board.passed / board.total}
            tone="done"
            label={`${board.passed} of ${board.total} passed`}
          />
          <div class="board">
            {COLUMNS.map(([title, belongs]) => (
              <BoardColumn key={title} title={title} cards={board.cards.filter(belongs)} />
            ))}
          </div>
        </>
      )}
      {children.length > 0 && (
        <section>
          <h2 class="spaced">Pieces of this run</h2>
          <div class="card loops narrow">
            <ul>
              {children.map((row) => (
                <LoopLine key={row.id} row={row} project="" />
              ))}
            </ul>
          </div>
        </section>
      )}
    </>
  );
}

function BoardColumn({ title, cards }: { title: string; cards: readonly Card[] }) {
  return (
    <section class="board-column">
      <h3>
        {title} <span class="soft">{cards.length}</span>
      </h3>
      <ul>
        {cards.map((card) => (
          <li key={card.name} class="card board-card">
            <p>
              <OutcomeShape outcome={card.verdict} label={OUTCOMES[card.verdict satisfies Outcome].words} />{' '}
              <strong>
                <Line text={card.name} />
              </strong>
            </p>
            {card.summary !== '' && (
              <p class="small soft">
                <Line text={card.summary} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
