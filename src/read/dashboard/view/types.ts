/**
 * The JSON that the server of the dashboard sends and takes. The page imports these types, so nothing here needs Node.
 * Times are milliseconds since 1970, durations are milliseconds. All text comes from journals, tasks and people: it is data,
 * never markup. What is not known is absent, never zero.
 *
 *   GET  /api/overview                              Overview
 *   GET  /api/ended?from=&count=&q=&project=        EndedPage       (older loops that have ended, newest first)
 *   GET  /api/loops/:loop                           LoopPage
 *   GET  /api/loops/:loop/entries?from=&count=      EntriesPage     (lines of the journal by their place; `only=` kinds)
 *   GET  /api/loops/:loop/entries/:place            EntryDetail
 *   GET  /api/loops/:loop/entries/:place/diff       DiffView
 *   GET  /api/loops/:loop/receipt                   ReceiptView
 *   GET  /api/fleet                                 FleetView       (with --queue)
 *   POST /api/fleet                                 FleetRequest, answered by FleetAnswer
 *   GET  /api/insights?days=&project=               Insights
 *   POST /api/audit                                 AuditAsked, answered by AuditAnswer; begins to read transcripts
 *   GET  /api/audit?days=&project=                  AuditAnswer     (how far it is, or what it found)
 *   POST /api/loops/:loop/actions                   ActionRequest, answered by ActionAnswer
 *   GET  /api/events?after=&loop=                   server-sent events: ServerEvent
 *
 * Every answer that is not 2xx has the body Problem.
 */

import type { TimelineEntry } from './loop-types.ts';
import type { LoopRow, Need, OtherSession, RequestView, Totals } from './overview-types.ts';

export type * from './fleet-types.ts';
export type * from './insight-types.ts';
export type * from './loop-types.ts';
export type * from './overview-types.ts';

/**
 * Server-sent events. The name of the event is `type`, its data the JSON of the rest. A comment line comes every 15 s.
 * The id goes back as `Last-Event-ID` (browsers do that) or `after`; what was missed is sent again, or `reset` where that is
 * too much: then load the overview (and the loop) again.
 */
export type ServerEvent =
  | { type: 'hello'; now: number; version: string }
  | { type: 'reset'; why: string }
  /** Everything that changed within a moment, together. `needs` and `totals` are whole where they are there. */
  | {
      type: 'changes';
      now: number;
      loops: LoopRow[];
      gone: string[];
      needs?: Need[];
      totals?: Totals;
      ended?: number;
    }
  /** Lines that were added to the journal of the loop that `loop=` asks for. `total` counts all lines. */
  | { type: 'entries'; loop: string; total: number; entries: TimelineEntry[] }
  | { type: 'sessions'; sessions: OtherSession[] }
  /** Something about the fleet changed: /api/fleet. */
  | { type: 'fleet' }
  /** A request was made, or was taken. */
  | { type: 'request'; loop: string; request: RequestView }
  /** The server ends: no need to connect again. */
  | { type: 'bye' };
