/** The counts of an audit as the page shows them. Pure. */

import { sayBytes } from '../../../engine/core/text/bytes.ts';
import { CLASSES } from '../../reflect/audit/summary.ts';
import { CLASS_MEANS, CLASS_NAMES } from '../../reflect/audit/words.ts';
import type { AuditView } from './insight-types.ts';
import type { Tone } from './overview-types.ts';

const TONES: Record<(typeof CLASSES)[number], Tone> = {
  verified: 'done',
  stale: 'claimed',
  failed: 'bad',
  masked: 'bad',
  never_ran: 'bad',
};

/** `counts`: as `untildone audit --json` prints them. */
export function auditView(counts: Record<string, unknown>, at: number): AuditView {
  const number = (name: string) => (typeof counts[name] === 'number' ? counts[name] : 0);
  const total = number('total');
  const sessions = number('sessions');
  const looked = `${sessions} ${sessions === 1 ? 'session' : 'sessions'}, ${sayBytes(number('bytes'))} of transcripts`;
  const open = total - number('verified');
  const held = number('would_hold');
  return {
    state: 'done',
    at,
    words:
      total === 0
        ? `${looked}: no turn said that an edit was done.`
        : `${looked}: of ${total} turns that edited and said they were done, ${number('verified')} had a passing check behind it.${held > 0 ? ` ${held} of the other ${open} would have been held.` : ''}`,
    findings:
      total === 0
        ? []
        : CLASSES.map((name) => ({
            title: CLASS_NAMES[name],
            text: CLASS_MEANS[name],
            count: number(name),
            tone: TONES[name],
            share: number(name) / total,
          })),
  };
}
