import { join } from 'node:path';
import { readKey } from '../../home/layout.ts';
import { OpenJournal } from '../view/open-journal.ts';
import { type EndedQuery, endedPage, hasRowEnded, shownRows, totalsOf } from '../view/overview.ts';
import type {
  EndedPage,
  LoopRow,
  Need,
  OtherSession,
  Overview,
  Problem,
  Totals,
} from '../view/overview-types.ts';
import { Hub } from './hub.ts';
import { Loops } from './loops.ts';
import { type HomeChange, watchHome } from './watch.ts';
import type { DashboardWorld } from './world.ts';

const MOST_OPEN_JOURNALS = 8;
/** More new entries than this at once are not sent: the page asks for those that it shows. */
const MOST_SENT = 50;
/** How many transcripts are looked at in one round. */
const TURNS_A_ROUND = 20;
const SESSIONS_EVERY_MS = 10_000;

/** Keeps the views of all loops up to date, and tells pages what changes. */
export class Live {
  readonly loops: Loops;
  readonly hub = new Hub();
  private readonly world: DashboardWorld;
  private readonly journals = new Map<string, OpenJournal>();
  private readonly sent = new Map<string, string>();
  private watcher: { close(): void } | undefined;
  private needsSent = '';
  private totalsSent = '';
  private nextTurn = 0;
  private sessionsSeen: { at: number; list?: OtherSession[]; asking?: boolean } = { at: 0 };

  constructor(world: DashboardWorld) {
    this.world = world;
    this.loops = new Loops(world);
  }

  start(): void {
    this.loops.rescan();
    for (const row of this.loops.rows()) this.sent.set(row.id, comparable(row));
    this.watcher = watchHome(this.world.home, (change) => this.take(change));
    this.askSessions();
  }

  /** Takes in what changed in the home. Never throws: the next change, or the next look, tries again. */
  private take({ loops, sessions, all }: HomeChange): void {
    try {
      const isNew = loops.some((id) => !this.loops.has(id));
      const changed = new Set(
        all || isNew ? this.loops.rescan() : loops.filter((id) => this.loops.refresh(id)),
      );
      const looked = all ? this.loops.unended() : sessions.flatMap((id) => this.loops.ofSession(id));
      if (all) {
        this.lookAtTurns();
        this.askSessions();
      }
      this.loops.lookAgain(looked);
      this.publish(new Set([...changed, ...looked]));
      for (const id of changed) if (this.hub.loops().has(id)) void this.tellEntries(id);
    } catch {
      // As above.
    }
  }

  /** Tells what differs from what was told before. */
  private publish(ids: Iterable<string>): void {
    const loops: LoopRow[] = [];
    const gone: string[] = [];
    for (const id of ids) {
      const row = this.loops.row(id);
      if (!row) {
        if (this.sent.delete(id)) gone.push(id);
        this.journals.delete(id);
        continue;
      }
      const text = comparable(row);
      if (this.sent.get(id) === text) continue;
      this.sent.set(id, text);
      loops.push(row);
    }
    const { needs, totals } = this.changedSums();
    if (loops.length + gone.length === 0 && !needs && !totals) return;
    const ended = this.loops.rows().filter(hasRowEnded).length;
    this.hub.publish({ type: 'changes', now: this.world.clock.now(), loops, gone, needs, totals, ended });
  }

  private changedSums(): { needs?: Need[]; totals?: Totals } {
    const needs = this.loops.needs();
    const totals = this.totals(needs);
    const [needsText, totalsText] = [JSON.stringify(needs), JSON.stringify(totals)];
    const changed = {
      ...(needsText === this.needsSent ? {} : { needs }),
      ...(totalsText === this.totalsSent ? {} : { totals }),
    };
    [this.needsSent, this.totalsSent] = [needsText, totalsText];
    return changed;
  }

  private totals(needs: readonly Need[]): Totals {
    const midnight = new Date(this.world.clock.now());
    midnight.setHours(0, 0, 0, 0);
    return totalsOf(this.loops.rows(), needs, midnight.getTime());
  }

  /** Looks at a few transcripts, and at others the next time. */
  private lookAtTurns(): void {
    const ids = this.loops.unended();
    for (let i = 0; i < Math.min(TURNS_A_ROUND, ids.length); i++)
      this.loops.lookAtTurn(ids[(this.nextTurn + i) % ids.length] ?? '');
    this.nextTurn += TURNS_A_ROUND;
  }

  /** Asks Claude Code for its sessions, in the background. */
  private askSessions(): void {
    const { sessionsSeen, world } = this;
    if (sessionsSeen.asking || world.clock.now() - sessionsSeen.at < SESSIONS_EVERY_MS) return;
    sessionsSeen.asking = true;
    void world.sessions().then((list) => {
      const before = JSON.stringify(sessionsSeen.list);
      this.sessionsSeen = { at: world.clock.now(), list };
      const others = this.otherSessions();
      if (others && JSON.stringify(list) !== before) this.hub.publish({ type: 'sessions', sessions: others });
    });
  }

  private otherSessions(): OtherSession[] | undefined {
    return this.sessionsSeen.list?.filter(({ id }) => this.loops.ofSession(id).length === 0);
  }

  /** Sends the newest entries of a loop to those that look at it. */
  private async tellEntries(id: string): Promise<void> {
    const known = this.journals.get(id);
    if (!known) return;
    try {
      const before = known.entries;
      await known.update();
      const from = Math.max(before, known.entries - MOST_SENT);
      const { total, entries } = await known.page(from, MOST_SENT);
      this.hub.tell(id, { type: 'entries', loop: id, total, entries });
    } catch {
      // The page is told with the next change.
    }
  }

  /** The journal of a loop, read up to its end. Those that were looked at last stay open. */
  async journal(id: string): Promise<OpenJournal | undefined> {
    const ref = this.loops.ref(id);
    if (!ref) return undefined;
    const journal =
      this.journals.get(id) ?? new OpenJournal(join(ref.dir, 'journal.jsonl'), readKey(this.world.home));
    this.journals.delete(id);
    this.journals.set(id, journal);
    for (const oldest of [...this.journals.keys()].slice(0, -MOST_OPEN_JOURNALS))
      this.journals.delete(oldest);
    await journal.update();
    return journal;
  }

  /** What a request just wrote is on its way; this makes it seen at once. */
  touched(id: string): void {
    this.take({ loops: [id], sessions: [], all: false });
  }

  overview(): Overview {
    const { world, loops } = this;
    const eventId = this.hub.eventId;
    const { loops: shown, ended } = shownRows(loops.rows());
    const needs = loops.needs();
    const sessions = this.otherSessions();
    return {
      ...{
        now: world.clock.now(),
        version: world.version,
        eventId,
        home: homeInWords(world),
        only: [...world.only],
      },
      ...{ projects: loops.projects(), needs, loops: shown, ended },
      ...(sessions ? { sessions } : {}),
      totals: this.totals(needs),
      problems: this.problems(),
    };
  }

  private problems(): Problem[] {
    const { problem } = this.loops;
    return problem === undefined ? [] : [{ code: 'home', message: problem }];
  }

  ended(query: EndedQuery): EndedPage {
    return endedPage(this.loops.rows(), query);
  }

  close(): void {
    this.watcher?.close();
    this.hub.close();
  }
}

/** What tells one row from the next; working time grows by itself. */
function comparable(row: LoopRow): string {
  return JSON.stringify({
    ...row,
    elapsedMs: 0,
    next: row.next && {
      ...row.next,
      ...(row.next.name.endsWith('duration') ? { used: 0, share: 0, words: '' } : {}),
    },
  });
}

function homeInWords({ home, env }: DashboardWorld): string {
  const { HOME } = env;
  return HOME && home.root.startsWith(`${HOME}/`) ? `~${home.root.slice(HOME.length)}` : home.root;
}
