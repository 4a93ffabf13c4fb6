import { Component } from 'preact';
import type { LoopRow } from '../../view/types.ts';
import { GateMarks, Meter, StateSince } from '../parts/state.tsx';
import { Line } from '../parts/text.tsx';
import { Elapsed } from '../parts/time.tsx';
import { addressOf } from '../state/route.ts';
import { capital, plural, sayMoney, sayShare } from '../words/figures.ts';

interface LoopLineProps {
  row: LoopRow;
  project: string;
}

/** Made again only when its row changed: 200 loops may change one after the other. */
export class LoopLine extends Component<LoopLineProps> {
  override shouldComponentUpdate(next: LoopLineProps): boolean {
    return next.row !== this.props.row || next.project !== this.props.project;
  }

  override render({ row, project }: LoopLineProps) {
    const isPiece = row.run?.parent !== undefined;
    return (
      <li class={`loop ${isPiece ? 'piece' : ''} ${row.doing === 'ended' ? 'ended' : ''}`} data-loop={row.id}>
        <div class="loop-name">
          <h3>
            <a data-row href={addressOf({ view: 'loop', loop: row.id, part: 'timeline', only: 'all' })}>
              <Line text={row.task === '' ? row.id : row.task} />
            </a>
          </h3>
          <p class="loop-state">
            <StateSince row={row} />
            {row.requested?.map((name) => (
              <span key={name} class="chip tone-you">
                <Line text={`${name} requested`} />
              </span>
            ))}
          </p>
          {saysMore(row) && (
            <p class="small soft loop-words">
              <Line text={capital(row.words)} />
            </p>
          )}
          <p class="small soft">
            <Line text={[project, ownerWords(row), currentWords(row)].filter(Boolean).join(' · ')} />
          </p>
        </div>
        <Figures row={row} />
      </li>
    );
  }
}

function Figures({ row }: { row: LoopRow }) {
  return (
    <dl class="figures">
      <Figure name="Iteration">
        {row.iteration ?? '–'}
        <span class="soft">{row.maxIterations === undefined ? '' : ` of ${row.maxIterations}`}</span>
      </Figure>
      <Figure name="Gates" class="figure-gates">
        <GateMarks gates={row.gates} />
      </Figure>
      <Figure name="Context" class="figure-context">
        {row.context === undefined ? '–' : sayShare(row.context)}
      </Figure>
      <Figure name="Cost">
        {row.costUsd === undefined ? '–' : `${row.estimatedUsd ? '≈ ' : ''}${sayMoney(row.costUsd)}`}
      </Figure>
      <Figure name="Time">
        <Elapsed row={row} />
      </Figure>
      <Figure name="Ends next by" class="loop-next">
        {row.next ? (
          <>
            <span class="small">
              <Line text={capital(row.next.words)} />
            </span>
            <Meter share={row.next.share} label={`${sayShare(row.next.share)} used`} />
          </>
        ) : (
          <span class="soft">{row.doing === 'ended' ? '–' : 'no limit'}</span>
        )}
      </Figure>
    </dl>
  );
}

function Figure(props: { name: string; class?: string; children: preact.ComponentChildren }) {
  return (
    <div class={`figure ${props.class ?? ''}`}>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

/** Whether the sentence says more than the state in words above it. */
export function saysMore({ doing, questions, words }: LoopRow): boolean {
  return doing !== 'gate_runs' && (doing !== 'thinks' || questions > 0) && words !== '';
}

export function ownerWords({ owner, run, dialect }: LoopRow): string {
  const format = dialect === 'untildone' || dialect === 'native' ? '' : ` (${dialect})`;
  const where = owner.worker === undefined ? '' : ` on ${owner.worker}`;
  if (run) return `run${where}, ${plural(run.sessions, 'session')}${piecesWords(run.children)}${format}`;
  const gone = owner.alive === false ? ', ended' : '';
  return `session ${owner.session.slice(0, 8)}${gone}${format}`;
}

function piecesWords(children: NonNullable<LoopRow['run']>['children']): string {
  return children ? `, ${children.merged} of ${plural(children.pieces, 'piece')} merged` : '';
}

export function currentWords({ current }: LoopRow): string {
  if (!current) return '';
  const place =
    current.number === undefined
      ? ''
      : ` ${current.number}${current.of === undefined ? '' : ` of ${current.of}`}`;
  return `${current.kind}${place}: ${current.name}`;
}
