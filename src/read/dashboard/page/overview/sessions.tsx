import type { OtherSession } from '../../view/types.ts';
import { Line } from '../parts/text.tsx';
import { Age } from '../parts/time.tsx';

/** Sessions of Claude Code that no loop holds. */
export function OtherSessions({ sessions }: { sessions: readonly OtherSession[] }) {
  return (
    <section aria-labelledby="sessions">
      <div class="section-head">
        <h2 id="sessions">Sessions without a loop</h2>
        <p class="soft small">They stop when they want to.</p>
      </div>
      <ul class="card plain-list">
        {sessions.map(({ id, name, folder, status, startedAt }) => (
          <li key={id}>
            <strong>
              <Line text={name ?? id.slice(0, 8)} />
            </strong>
            <span class="soft small">
              <Line text={[status, folder].filter(Boolean).join(' · ')} />
              {startedAt !== undefined && (
                <>
                  {' · began '}
                  <Age at={startedAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
