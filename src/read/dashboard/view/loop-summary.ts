/** What one journal adds to the insights. Pure. */
import type { Entry, EntryOf } from '../../../engine/core/loop/entry.ts';
import type { LoopState } from '../../../engine/core/loop/state.ts';
import { blocks, type Verdict } from '../../../engine/core/loop/verdict.ts';
import { oneLine } from '../../../engine/core/text/clip.ts';

interface Counted {
  times: number;
  words: string;
  place: number;
}

export interface SpentOnDay {
  usd: number;
  tokens: number;
}

const MOST_REASONS = 200;

/** Kinds of gates that fail when somebody weakens what checks the work. */
const WATCHFUL: Readonly<Record<string, string>> = {
  tests_intact: 'tests were weakened, removed or skipped',
  suppressions: 'a check was silenced in the code',
  forbid: 'something forbidden was changed or written',
};

export class LoopSummary {
  readonly gates = new Map<string, { held: number; judged: number }>();
  /** By gate and fingerprint. */
  readonly reasons = new Map<string, Counted & { gate: string }>();
  readonly cheats = new Map<string, Counted>();
  /** By day, where you are. */
  readonly spent = new Map<string, SpentOnDay>();
  private before: LoopState['spent'] = { tokens: 0, costUsd: 0 };

  add(place: number, at: number, entry: Entry, state: LoopState): void {
    this.addSpent(at, state);
    if (entry.kind === 'stop') this.addStop(place, entry);
    const cheat = cheatIn(entry);
    if (cheat) this.addCheat(place, ...cheat);
  }

  private addSpent(at: number, { spent, run }: LoopState): void {
    const usd = spent.costUsd - this.before.costUsd;
    const tokens = spent.tokens - this.before.tokens;
    this.before = spent;
    // A parent counts what its children have spent.
    if (run?.parent !== undefined || (usd <= 0 && tokens <= 0)) return;
    const day = dayOf(at);
    const known = this.spent.get(day) ?? { usd: 0, tokens: 0 };
    this.spent.set(day, { usd: known.usd + Math.max(0, usd), tokens: known.tokens + Math.max(0, tokens) });
  }

  private addStop(place: number, { verdicts, decision }: EntryOf<'stop'>): void {
    for (const verdict of verdicts) {
      const known = this.gates.get(verdict.gate) ?? { held: 0, judged: 0 };
      const holds = decision.kind === 'block' && blocks(verdict);
      this.gates.set(verdict.gate, {
        held: known.held + (holds ? 1 : 0),
        judged: known.judged + (verdict.reused ? 0 : 1),
      });
      if (!holds) continue;
      this.addReason(place, verdict);
      const watched =
        Object.hasOwn(WATCHFUL, verdict.kind) && verdict.outcome === 'fail'
          ? WATCHFUL[verdict.kind]
          : undefined;
      if (watched !== undefined && !verdict.reused) this.addCheat(place, verdict.kind, watched);
    }
  }

  private addReason(place: number, { gate, fingerprint, summary }: Verdict): void {
    const key = `${gate}\n${fingerprint ?? summary}`;
    const known = this.reasons.get(key);
    if (!known && this.reasons.size >= MOST_REASONS) return;
    this.reasons.set(key, { gate, words: oneLine(summary, 300), place, times: (known?.times ?? 0) + 1 });
  }

  private addCheat(place: number, what: string, words: string): void {
    this.cheats.set(what, { words, place, times: (this.cheats.get(what)?.times ?? 0) + 1 });
  }
}

/** A name and words for an entry that shows an attempt to get past what holds. */
function cheatIn(entry: Entry): [what: string, words: string] | undefined {
  switch (entry.kind) {
    case 'foreign':
      return ['journal', 'lines of a journal were added or removed'];
    case 'stop':
      if (entry.seen.contractReplaced) return ['contract', 'the frozen contract of a loop was replaced'];
      return entry.seen.contractFileChanged
        ? ['contract_file', 'untildone.yaml was changed while a loop was at work']
        : undefined;
    case 'event':
      if (entry.event === 'Stop' && entry.detail?.refused)
        // Where the transcript alone raised a doubt, the session was held or let go.
        return entry.detail.held || entry.detail.letGo
          ? undefined
          : ['forged_stop', 'a Stop was sent from inside a tool call'];
      if (entry.event === 'MadeUpEvent') return ['forged_event', 'an event was sent from inside a tool call'];
      return entry.detail?.refused ? ['refused_tool', 'a tool call was refused by a rule'] : undefined;
    default:
      return undefined;
  }
}

function dayOf(at: number): string {
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
