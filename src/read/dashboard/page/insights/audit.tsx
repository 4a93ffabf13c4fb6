import { useEffect, useState } from 'preact/hooks';
import type { AuditAnswer, AuditView, Insights } from '../../view/types.ts';
import { Shape } from '../parts/shape.tsx';
import { Meter } from '../parts/state.tsx';
import { Line } from '../parts/text.tsx';
import { Age } from '../parts/time.tsx';
import { load, problemOf, send } from '../state/api.ts';
import { sayShare } from '../words/figures.ts';
import { toneLook } from '../words/states.ts';
import { Bars, Panel } from './panels.tsx';

const LOOK_MS = 1000;

/** Was "done" checked? Reads transcripts, which takes a while, so only when you ask for it. */
export function Audit({
  audit: first,
  canAudit,
  days,
  project,
}: Pick<Insights, 'audit' | 'canAudit'> & { days: number; project: string }) {
  const [audit, setAudit] = useState(first);
  const [trouble, setTrouble] = useState<string>();
  const running = audit?.state === 'running';
  const take = (answer: AuditAnswer) => setAudit(answer.audit);
  const fail = (error: unknown) => setTrouble(problemOf(error).message);
  useEffect(() => {
    if (!running) return;
    const path = `api/audit?${new URLSearchParams({ days: String(days), project })}`;
    const timer = setTimeout(() => load<AuditAnswer>(path).then(take, fail), LOOK_MS);
    return () => clearTimeout(timer);
  }, [audit]);
  if (!audit && !canAudit) return null;
  const ask = () => {
    setTrouble(undefined);
    send<AuditAnswer>('api/audit', { days, ...(project === '' ? {} : { project }) }).then(take, fail);
  };
  return (
    <Panel title="Audit" text="How often “done” had a passing check behind it, by the transcripts.">
      {audit && <Found audit={audit} />}
      {trouble !== undefined && (
        <p class="tone-bad small" role="alert">
          <Line text={trouble} />
        </p>
      )}
      {canAudit && !running && (
        <p>
          <button type="button" class="button" onClick={ask}>
            {audit ? 'Read them again' : 'Read the transcripts'}
          </button>{' '}
          {audit?.at === undefined ? (
            <span class="soft small">Seconds to minutes; only counts are shown.</span>
          ) : (
            <span class="soft small">
              <Age at={audit.at} />
            </span>
          )}
        </p>
      )}
    </Panel>
  );
}

function Found({ audit: { state, words, share = 0, findings } }: { audit: AuditView }) {
  return (
    <>
      <p class="small" role={state === 'running' ? 'status' : undefined}>
        <Line text={words} />
      </p>
      {state === 'running' && <Meter share={share} label={`${sayShare(share)} read`} />}
      {findings.length > 0 && (
        <Bars
          rows={findings.map(({ title, text, count = 0, share: part = 0, tone }) => ({
            key: title,
            name: (
              <>
                <span class={`state tone-${toneLook(tone).tone}`}>
                  <Shape name={toneLook(tone).shape} />
                  <Line text={title} />
                </span>{' '}
                <span class="soft small">{text}</span>
              </>
            ),
            share: part,
            value: String(count),
            tone: toneLook(tone).tone,
          }))}
        />
      )}
    </>
  );
}
