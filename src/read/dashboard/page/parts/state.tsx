import type { ComponentChildren } from 'preact';
import type { GateMark, LoopRow, Outcome, Problem, Tone } from '../../view/types.ts';
import { lookOf, OUTCOMES, toneLook } from '../words/states.ts';
import { Shape } from './shape.tsx';
import { Line } from './text.tsx';
import { Age, Since } from './time.tsx';

/** What a loop does or how it ended: a shape and its words. */
function StateWords({ row }: { row: LoopRow }) {
  const look = lookOf(row);
  const judging = row.doing === 'gate_runs' && row.judging?.length ? `: ${row.judging.join(', ')}` : '';
  return (
    <span class={`state tone-${look.tone}`}>
      <Shape name={look.shape} />
      <Line text={`${look.words}${judging}`} />
    </span>
  );
}

/** The same with for how long, or how long ago. */
export function StateSince({ row }: { row: LoopRow }) {
  return (
    <>
      <StateWords row={row} />
      {row.doingSince !== undefined && row.doing !== 'ended' && (
        <span class="soft">
          {' '}
          for <Since at={row.doingSince} />
        </span>
      )}
      {row.endedAt !== undefined && (
        <span class="soft">
          {' '}
          <Age at={row.endedAt} />
        </span>
      )}
    </>
  );
}

export function Chip({ tone, children }: { tone: string; children: ComponentChildren }) {
  return <span class={`chip tone-${tone}`}>{children}</span>;
}

export function ToneChip({ tone, words }: { tone: Tone; words: string }) {
  const look = toneLook(tone);
  return (
    <Chip tone={look.tone}>
      <Shape name={look.shape} /> <Line text={words} />
    </Chip>
  );
}

export function OutcomeShape({ outcome, label }: { outcome: Outcome; label?: string }) {
  const look = OUTCOMES[outcome];
  return (
    <Shape name={look.shape} class={`tone-${look.tone} toned`} {...(label === undefined ? {} : { label })} />
  );
}

const MOST_MARKS = 12;

/** Gates as marks, those that fail first to be seen; the words are in one label. */
export function GateMarks({
  gates,
}: {
  gates: readonly (Pick<GateMark, 'name' | 'verdict'> & { summary?: string })[];
}) {
  if (gates.length === 0) return <span class="soft small">none yet</span>;
  const said = gates.map(({ name, verdict }) => `${name} ${OUTCOMES[verdict].words}`).join(', ');
  return (
    <span class="marks" role="img" aria-label={`Gates: ${said}`} title={said}>
      {gates.slice(0, MOST_MARKS).map(({ name, verdict }) => (
        <OutcomeShape key={name} outcome={verdict} />
      ))}
      {gates.length > MOST_MARKS && <span class="small soft">+{gates.length - MOST_MARKS}</span>}
    </span>
  );
}

/** Something that went wrong: what happened and what to do. */
export function Trouble({
  problem,
  tone = 'undone',
}: {
  problem: Problem;
  tone?: 'undone' | 'you' | 'calm';
}) {
  return (
    <div class={`note tone-${tone}`} role="alert">
      <Shape name={tone === 'undone' ? 'undone' : 'unproven'} />
      <div>
        <Line text={problem.message} />
        {problem.fix && (
          <p>
            <Line text={problem.fix} />
          </p>
        )}
      </div>
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

export function Meter({ share, label, tone }: { share: number; label: string; tone?: string }) {
  const full = Math.max(0, Math.min(1, share));
  const warn = tone ?? (share >= 0.9 ? 'undone' : share >= 0.7 ? 'you' : 'busy');
  return (
    <span class={`meter tone-${warn}`} role="img" aria-label={label}>
      <span style={{ width: `${full * 100}%` }} />
    </span>
  );
}
