import type { VerdictView } from '../../view/types.ts';
import { OutcomeShape } from '../parts/state.tsx';
import { Block, Line } from '../parts/text.tsx';
import { plural, sayMoney, sayMs } from '../words/figures.ts';
import { OUTCOMES } from '../words/states.ts';

/** What each gate found, and what that rests on. */
export function Verdicts({ verdicts }: { verdicts: readonly VerdictView[] }) {
  return (
    <ul class="verdicts">
      {verdicts.map((verdict) => (
        <li key={verdict.gate} class="verdict">
          <p class="verdict-head">
            <OutcomeShape outcome={verdict.outcome} />
            <strong>
              <Line text={verdict.gate} />
            </strong>
            <span>{verdict.waits ? 'waits for other gates' : OUTCOMES[verdict.outcome].words}</span>
            <span class="soft small">
              <Line text={restsOn(verdict)} />
            </span>
          </p>
          <p>
            <Line text={verdict.summary} />
          </p>
          {verdict.asks !== undefined && (
            <p>
              Asks you: <Line text={verdict.asks} />
            </p>
          )}
          {verdict.evidence.length > 0 && <Block text={verdict.evidence.join('\n')} />}
          {verdict.next !== undefined && (
            <p>
              <span class="soft">Next: </span>
              <Line text={verdict.next} />
            </p>
          )}
          {verdict.command !== undefined && (
            <p class="small soft">
              <Line text={verdict.command} class="code" />
              {verdict.exitCode !== undefined && ` exit ${verdict.exitCode}`}
            </p>
          )}
          {[...verdict.notes, ...verdict.exceptions].map((note) => (
            <p key={note} class="small soft">
              <Line text={note} />
            </p>
          ))}
          {verdict.children.length > 0 && <Verdicts verdicts={verdict.children} />}
        </li>
      ))}
    </ul>
  );
}

function restsOn(verdict: VerdictView): string {
  const { tests, durationMs, costUsd } = verdict;
  const said = [
    verdict.class,
    verdict.room === undefined ? '' : `in ${verdict.room}`,
    verdict.walls === undefined ? '' : `walls: ${verdict.walls}`,
    tests ? `${plural(tests.passed, 'test')} passed, ${tests.failed} failed, ${tests.skipped} skipped` : '',
    verdict.reused ? 'used again' : '',
    verdict.flaky ? 'flaky' : '',
    durationMs === undefined ? '' : sayMs(durationMs),
    costUsd ? sayMoney(costUsd) : '',
  ];
  return said.filter(Boolean).join(' · ');
}
