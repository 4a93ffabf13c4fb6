/** What was asked of a loop: requested and taken are two things, and look like it. */
import type { RequestView } from '../../view/types.ts';
import { Shape } from '../parts/shape.tsx';
import { Line } from '../parts/text.tsx';
import { Age } from '../parts/time.tsx';

export function Asked({ request }: { request: RequestView }) {
  const isTaken = request.state === 'taken';
  return (
    <p class={`asked tone-${isTaken ? 'done' : 'you'}`} role="status">
      <Shape name={isTaken ? 'done' : 'wait'} />
      <span>
        <strong>{isTaken ? 'Taken' : 'Requested'}</strong>
        {': '}
        <Line text={request.words} />
        {request.note !== undefined && (
          <>
            {' '}
            “<Line text={request.note} />”
          </>
        )}{' '}
        <span class="soft">
          {isTaken ? (
            <Age at={request.takenAt ?? request.at} />
          ) : (
            <>
              <Age at={request.at} />, will be taken by <Line text={request.takenBy} />
            </>
          )}
        </span>
      </span>
    </p>
  );
}
