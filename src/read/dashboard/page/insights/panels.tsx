/** Each panel shows itself only when there is something to show. */
import type { ComponentChildren } from 'preact';
import type { Insights } from '../../view/types.ts';
import { Scrolled } from '../parts/scrolled.tsx';
import { Shape } from '../parts/shape.tsx';
import { ToneChip } from '../parts/state.tsx';
import { Line } from '../parts/text.tsx';
import { addressOf } from '../state/route.ts';
import { plural, sayMs } from '../words/figures.ts';
import { endingWords, toneLook } from '../words/states.ts';

export function Panel({
  title,
  text,
  children,
}: {
  title: string;
  text?: string;
  children: ComponentChildren;
}) {
  return (
    <section class="card panel">
      <h2>{title}</h2>
      {text !== undefined && <p class="soft small">{text}</p>}
      {children}
    </section>
  );
}

/** A row of a list with a bar behind its figure. */
export function Bars({
  rows,
  tone,
}: {
  rows: { key: string; name: ComponentChildren; share: number; value: string; tone?: string }[];
  tone?: string;
}) {
  return (
    <ul class="bars">
      {rows.map(({ key, name, share, value, tone: own }) => (
        <li key={key}>
          <span class="bar-name">{name}</span>
          <span class="bar-value">{value}</span>
          <span class={`bar-line tone-${own ?? tone ?? 'busy'}`} aria-hidden="true">
            <span style={{ width: `${share > 0 ? Math.max(1, Math.min(100, share * 100)) : 0}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}

export function Endings({ endings }: Pick<Insights, 'endings'>) {
  if (endings.length === 0) return null;
  const all = endings.reduce((sum, { count }) => sum + count, 0);
  return (
    <Panel title="How loops ended">
      <ul class="endings">
        {endings.map(({ status, tone, count }) => (
          <li key={status} class={`tone-${toneLook(tone).tone}`}>
            <Shape name={toneLook(tone).shape} />
            <strong>{count}</strong>
            <Line text={endingWords(status)} />
            <span class="soft small">{Math.round((count / all) * 100)} %</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function Gates({ gates, names }: Pick<Insights, 'gates'> & { names: ReadonlyMap<string, string> }) {
  const most = Math.max(1, ...gates.map(({ held }) => held));
  const rows = gates
    .filter(({ held }) => held > 0)
    .map(({ name, project, held, judged, loops }) => ({
      key: `${project}/${name}`,
      name: (
        <>
          <Line text={name} />{' '}
          <span class="soft small">
            {names.get(project)}, {plural(loops, 'loop')}
          </span>
        </>
      ),
      share: held / most,
      value: `${held} of ${judged}`,
    }));
  if (rows.length === 0) return null;
  return (
    <Panel title="Gates that hold most" text="How often each held a Stop, of how often it was judged.">
      <Bars rows={rows} tone="undone" />
    </Panel>
  );
}

export function Reasons({ reasons }: Pick<Insights, 'reasons'>) {
  if (reasons.length === 0) return null;
  return (
    <Panel title="Reasons that repeat" text="The same failure at several Stops.">
      <ul class="examples">
        {reasons.map(({ gate, summary, times, loops, example }) => (
          <li key={gate + summary}>
            <strong>{times} ×</strong>
            <div>
              <a href={placeOf(example)}>
                <Line text={gate} />
              </a>{' '}
              <Line text={summary} />
              <span class="soft small"> in {plural(loops, 'loop')}</span>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function placeOf({ loop, place }: { loop: string; place: number }): string {
  return addressOf({ view: 'loop', loop, part: 'timeline', only: 'all', at: place });
}

export function UntilDone({ untilDone: { median, p90, bins } }: Pick<Insights, 'untilDone'>) {
  if (bins.every(({ loops }) => loops === 0)) return null;
  const most = Math.max(1, ...bins.map(({ loops }) => loops));
  const last = bins.findLastIndex(({ loops }) => loops > 0);
  const shown = bins.slice(
    bins.findIndex(({ loops }) => loops > 0),
    last + 1,
  );
  const rows = shown.map(({ from, to, loops }) => ({
    key: String(from),
    name: spanWords(from, to),
    share: loops / most,
    value: plural(loops, 'loop'),
  }));
  const text =
    median === undefined
      ? undefined
      : `Half of them within ${plural(median, 'iteration')}${p90 === undefined ? '' : `, nine of ten within ${p90}`}.`;
  return (
    <Panel title="Iterations until done" {...(text === undefined ? {} : { text })}>
      <Bars rows={rows} tone="done" />
    </Panel>
  );
}

function spanWords(from: number, to: number): string {
  if (from === to) return plural(from, 'iteration');
  return to > 100_000 ? `${from} or more iterations` : `${from} to ${to} iterations`;
}

export function Latency({ latency = [] }: Pick<Insights, 'latency'>) {
  if (latency.length === 0) return null;
  return (
    <Panel title="How long hooks take">
      <Scrolled label="How long hooks take">
        <table class="figures-table">
          <thead>
            <tr>
              <th scope="col">Event</th>
              <th scope="col">Calls</th>
              <th scope="col">p50</th>
              <th scope="col">p95</th>
              <th scope="col">p99</th>
            </tr>
          </thead>
          <tbody>
            {latency.map(({ event, count, p50, p95, p99 }) => (
              <tr key={event}>
                <th scope="row">
                  <Line text={event} />
                </th>
                <td>{count}</td>
                <td>{sayMs(p50)}</td>
                <td>{sayMs(p95)}</td>
                <td>{sayMs(p99)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </Panel>
  );
}

export function Cheats({ cheats }: Pick<Insights, 'cheats'>) {
  if (cheats.length === 0) return null;
  return (
    <Panel title="Attempts to get past a gate" text="What was seen and held.">
      <ul class="examples">
        {cheats.map(({ what, words, times, loops, example }) => (
          <li key={what + words}>
            <strong>{times} ×</strong>
            <div>
              <a href={placeOf(example)}>
                <Line text={words} />
              </a>
              <span class="soft small"> in {plural(loops, 'loop')}</span>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function Lessons({
  lessons = [],
  names,
}: Pick<Insights, 'lessons'> & { names: ReadonlyMap<string, string> }) {
  if (lessons.length === 0) return null;
  return (
    <Panel title="Lessons" text="What sessions are told when they begin.">
      <ul class="findings">
        {lessons.map(({ id, text, state, tone, project }) => (
          <li key={`${project}/${id}/${state}`}>
            <p class="row-of">
              <ToneChip tone={tone} words={state} />
              <span class="soft small">
                <Line text={`${id} · ${names.get(project ?? '') ?? project}`} />
              </span>
            </p>
            <p>
              <Line text={text} />
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
