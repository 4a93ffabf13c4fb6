/** Ids of traces and spans. They follow from the loop, so a span that is sent twice is the same span. */
import { sha256 } from '../../../engine/files/digest.ts';

/** A place in a trace: what `traceparent` names. */
export interface TraceContext {
  traceId: string;
  spanId: string;
}

export function traceIdOf(loop: string): string {
  return sha256(`untildone trace ${loop}`).slice(0, 32);
}

/** `parts` tell the span from all others of its loop. */
export function spanIdOf(loop: string, ...parts: (string | number)[]): string {
  return sha256(JSON.stringify(['untildone span', loop, ...parts])).slice(0, 16);
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Reads `TRACEPARENT`; undefined for one that does not count by the W3C's rules. */
export function parseTraceparent(
  text: string | undefined,
): (TraceContext & { sampled: boolean }) | undefined {
  const [, version, traceId, spanId, flags] = TRACEPARENT.exec(text?.trim() ?? '') ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined)
    return undefined;
  if (version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function renderTraceparent({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}
