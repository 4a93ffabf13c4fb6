import type { LoopPage } from '../../view/types.ts';
import { Actions } from '../act/actions.tsx';
import { Asked } from '../act/asked.tsx';
import { NeedCard } from '../act/need.tsx';
import { Empty, Trouble } from '../parts/state.tsx';
import { addressOf, LOOP_PARTS, type LoopPart, type Route } from '../state/route.ts';
import { Board } from './board.tsx';
import { Charts } from './charts.tsx';
import { LoopHead } from './head.tsx';
import { ReceiptPart } from './receipt.tsx';
import { Side } from './side.tsx';
import { HeatStrip } from './strip.tsx';
import { Tail } from './tail.tsx';
import { Timeline } from './timeline.tsx';
import { useLoop } from './use-loop.ts';

type LoopRoute = Extract<Route, { view: 'loop' }>;

export function Loop({ route }: { route: LoopRoute }) {
  const { answer, problem } = useLoop(route.loop);
  if (!answer)
    return (
      <main id="main" class="loop-page">
        {problem ? (
          <>
            <h1>This loop cannot be shown</h1>
            <Trouble problem={problem} />
          </>
        ) : (
          <Empty title="Opening the loop …" />
        )}
      </main>
    );
  return (
    <main id="main" class="loop-page">
      <LoopHead view={answer} />
      {problem && <Trouble problem={problem} tone="you" />}
      {answer.problems.map((one) => (
        <Trouble key={one.code + one.message} problem={one} tone="you" />
      ))}
      {answer.needs.length > 0 && (
        <ul class="needs" aria-label="What needs you">
          {answer.needs.map((need) => (
            <NeedCard key={need.id} need={need} />
          ))}
        </ul>
      )}
      <Actions view={answer} />
      {answer.requests.slice(0, 3).map((request) => (
        <Asked key={request.place} request={request} />
      ))}
      <div class="loop-columns">
        <Side view={answer} />
        <div class="loop-main">
          <Tabs route={route} view={answer} />
          <Part route={route} view={answer} />
        </div>
      </div>
    </main>
  );
}

const PART_WORDS: Record<LoopPart, string> = {
  timeline: 'Timeline',
  board: 'Board',
  gates: 'Gates',
  charts: 'Charts',
  receipt: 'Receipt',
  tail: 'Live tail',
};

/** Parts that have something to show. */
export function partsOf(view: LoopPage): LoopPart[] {
  return LOOP_PARTS.filter((part) => {
    if (part === 'board') return view.board !== undefined || view.children.length > 0;
    return part !== 'receipt' || view.hasReceipt;
  });
}

function Tabs({ route, view }: { route: LoopRoute; view: LoopPage }) {
  return (
    <nav class="tabs" aria-label="Parts of this loop">
      {partsOf(view).map((part) => (
        <a
          key={part}
          data-part={part}
          href={addressOf({ view: 'loop', loop: route.loop, part, only: 'all' })}
          aria-current={part === route.part ? 'page' : undefined}
        >
          {PART_WORDS[part]}
        </a>
      ))}
    </nav>
  );
}

function Part({ route, view }: { route: LoopRoute; view: LoopPage }) {
  switch (route.part) {
    case 'board':
      return <Board view={view} />;
    case 'gates':
      return <HeatStrip strip={view.strip} loop={view.row.id} />;
    case 'charts':
      return <Charts series={view.series} />;
    case 'receipt':
      return <ReceiptPart view={view} />;
    case 'tail':
      return <Tail view={view} />;
    default:
      return <Timeline view={view} only={route.only} {...(route.at === undefined ? {} : { at: route.at })} />;
  }
}
