import type { Entry, EntryOf } from '../../../engine/core/loop/entry.ts';
import { advance } from '../../../engine/core/loop/journal.ts';
import { hasEnded, type LoopState } from '../../../engine/core/loop/state.ts';
import { blocks, type Verdict, withoutVolatileParts } from '../../../engine/core/loop/verdict.ts';
import { traitsOf } from '../../../engine/gates/traits.ts';
import type { Place } from './finding.ts';
import { type Repeat, Repeats } from './repeats.ts';

/** What one gate did in a loop. */
export interface GateFigures {
  kind: string;
  judged: number;
  blocked: number;
  /** The iteration in which it passed at last and stayed so. */
  passedAt?: number;
}

const MOST_GATES = 500;

/** Counts what a journal tells, entry after entry. The state is that of a replay. */
export class JournalTally {
  state: LoopState | undefined;
  stops = 0;
  held = 0;
  readonly gates = new Map<string, GateFigures>();
  readonly blocking = new Repeats(MOST_GATES);
  readonly reasons = new Repeats(5_000);
  readonly cheats = new Repeats(200);
  /** Holds in which another approach was asked for, because nothing had changed. */
  readonly stalls = new Repeats(10);
  readonly sessions = new Set<string>();
  started: EntryOf<'started'> | undefined;
  /** What the last hold is counted for: the work until the next Stop is its cost. */
  private open: { repeats: Repeat[]; at: number } | undefined;

  see(entry: Entry, at: number, place: Place): void {
    const before = this.state;
    this.state = advance(before, entry, at);
    switch (entry.kind) {
      case 'started':
        this.started = entry;
        this.sessions.add(entry.session);
        break;
      case 'claimed':
      case 'intent':
        this.sessions.add(entry.session);
        break;
      case 'stop':
        this.seeStop(entry, at, place, before);
        break;
      case 'guard':
        if (entry.refused) this.seeBlocking(entry.verdicts, place);
        break;
      case 'foreign':
        this.cheat('somebody wrote or removed lines of the journal', place);
        break;
      case 'event':
        if (entry.event === 'Stop' && entry.detail?.refused !== undefined)
          this.cheat('a Stop that did not come from Claude Code', place);
        else if (entry.detail?.refused !== undefined && OWN_FILES.test(entry.detail.refused))
          this.cheat("a tool call that would have changed untildone's own files", place);
    }
  }

  private seeStop(entry: EntryOf<'stop'>, at: number, place: Place, before: LoopState | undefined): void {
    const { seen, verdicts, decision } = entry;
    this.stops++;
    this.closeOpen(at, seen.usage?.tokens ?? 0);
    if (before && hasEnded(before)) return;
    for (const verdict of verdicts) this.seeVerdict(verdict);
    if (seen.contractReplaced) this.cheat('the contract of the loop was replaced', place);
    if (seen.contractFileChanged) this.cheat('untildone.yaml was changed while the loop ran', place);
    for (const verdict of leaves(verdicts).filter(blocks))
      if (traitsOf(verdict.kind).findsCheats)
        this.cheat(`${verdict.kind}: ${withoutVolatileParts(verdict.summary)}`, place);
    if (decision.kind !== 'block') return;
    this.held++;
    const repeats = this.seeBlocking(verdicts, place);
    if (decision.instruction === 'different_approach')
      repeats.push(this.stalls.see('stall', 'another approach was asked for', place));
    this.open = { repeats, at };
  }

  private seeVerdict(verdict: Verdict): void {
    const { gate, kind, outcome } = verdict;
    const known = this.gates.get(gate) ?? { kind, judged: 0, blocked: 0 };
    if (outcome === 'skip' || verdict.waits) return;
    known.judged++;
    if (blocks(verdict)) {
      known.blocked++;
      known.passedAt = undefined;
    } else if (outcome === 'pass') known.passedAt ??= this.iterationNow();
    if (this.gates.size < MOST_GATES || this.gates.has(gate)) this.gates.set(gate, known);
  }

  /** A held Stop has counted itself already: the iteration that it judged is the one before. */
  private iterationNow(): number {
    return this.state?.iteration ?? 0;
  }

  private seeBlocking(verdicts: readonly Verdict[], place: Place): Repeat[] {
    return verdicts
      .filter((verdict) => blocks(verdict) && !verdict.waits)
      .flatMap(({ gate, summary, fingerprint }) => [
        this.blocking.see(gate, gate, place),
        this.reasons.see(
          `${gate}\n${fingerprint ?? withoutVolatileParts(summary)}`,
          `${gate}: ${summary}`,
          place,
        ),
      ]);
  }

  private closeOpen(at: number, tokens: number): void {
    for (const repeat of this.open?.repeats ?? []) {
      repeat.ms += Math.max(0, at - (this.open?.at ?? at));
      repeat.tokens += tokens;
    }
    this.open = undefined;
  }

  private cheat(what: string, place: Place): void {
    this.cheats.see(what, what, place);
  }
}

/** What the agent reads when it reaches for the files by which it is judged. */
const OWN_FILES = /untildone(?:'s own| home|\.yaml|ed)|\.untildone/i;

function leaves(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.flatMap((verdict) => (verdict.children ? leaves(verdict.children) : [verdict]));
}
