import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '../../../engine/core/text/defined.ts';
import { readKey } from '../../../engine/home/layout.ts';
import { type KeptRequest, OpenJournal } from '../view/open-journal.ts';
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
import { asRequest } from '../view/requests.ts';
import { comparable } from '../view/row.ts';
import { Hub } from './hub.ts';
import { Loops } from './loops.ts';
import { aTurn, Steps } from './steps.ts';
import { type HomeChange, watchHome } from './watch.ts';
import { type DashboardPorts, homeInWords } from './world.ts';

const MOST_OPEN_JOURNALS = 8;
/** More new entries than this at once are not sent: the page asks for those that it shows. */
const MOST_SENT = 50;
/** How many transcripts are looked at in one round. */
const TURNS_A_ROUND = 20;
const SESSIONS_EVERY_MS = 10_000;
const KEPT_MS = 10_000;
/** While much is read, pages are told now and then. */
const TELL_EVERY_MS = 500;

interface Waiting {
  loops: Set<string>;
  sessions: Set<string>;
  all: boolean;
}

/** Keeps the views of all loops up to date, and tells pages what changes. */
export class Live {
  readonly loops: Loops;
  readonly hub = new Hub();
  private readonly world: DashboardPorts;
  private readonly journals = new Map<string, OpenJournal>();
  private readonly sent = new Map<string, string>();
  private watcher: { close(): void } | undefined;
  private needsSent = '';
  private totalsSent = '';
  private nextTurn = 0;
  private made: { text: string; at: number } | undefined;
  private readAll: Promise<void> | undefined;
  private waiting: Waiting | undefined;
  private working: Promise<void> | undefined;
  /** A page has seen a part, and has to be told when there is all. */
  private wasPartial = false;
  private readonly closing = new AbortController();
  private sessionsSeen: { at: number; list?: OtherSession[]; asking?: boolean } = { at: 0 };

  constructor(world: DashboardPorts) {
    this.world = world;
    this.loops = new Loops(world);
  }

  /** Begins to read and to watch. What is at work is read first; pages see what there is, and are told when there is more. */
  start(): void {
    this.watcher = watchHome(this.world.home, (change) => this.take(change));
    this.readAll = this.readFirst();
    this.askSessions();
    this.followFleet();
  }

  private followFleet(): void {
    this.world.fleet?.begin({
      changed: (runs) => {
        this.loops.lookAgain(runs);
        this.made = undefined;
        this.publish(runs);
        this.hub.nudge({ type: 'fleet' });
      },
      reloaded: (run) => {
        this.journals.delete(run);
        this.loops.forget(run);
        this.touched(run);
        this.hub.tell(run, { type: 'reset', why: 'its journal was read again' });
      },
      taken: (loop, request) => this.hub.publish({ type: 'request', loop, request }),
      problems: () => {
        this.made = undefined;
        this.hub.publish({ type: 'reset', why: 'what is wrong has changed' });
      },
    });
  }

  private async readFirst(): Promise<void> {
    let toldAt = performance.now();
    // The link is printed before anything is read.
    await aTurn();
    try {
      for (const steps = new Steps(this.loops.scan()); !steps.done; ) {
        for (const id of steps.next()) {
          const row = this.loops.row(id);
          if (row) this.sent.set(id, comparable(row));
        }
        if (this.closed.aborted) return;
        this.made = undefined;
        if (performance.now() - toldAt > TELL_EVERY_MS) {
          toldAt = performance.now();
          this.hub.publish({ type: 'reset', why: 'more has been read' });
        }
        if (!steps.done) await aTurn();
      }
    } catch {
      // What is missing is found by the next look.
    }
    this.readAll = undefined;
    this.lookAtProjects();
    if (this.wasPartial) this.hub.publish({ type: 'reset', why: 'everything has been read' });
    if (this.waiting) this.work();
    this.overviewText();
  }

  /** Resolves when everything was read, or after this time: then what there is has to do. */
  async firstView(ms: number): Promise<void> {
    // The first part is read in this turn: there is never nothing to show.
    if (this.readAll) await aTurn();
    const { readAll } = this;
    if (!readAll) return;
    await Promise.race([readAll, pause(ms, undefined, { ref: false })]);
  }

  /** Resolves when everything was read that was there at the start. */
  async allRead(): Promise<void> {
    await this.readAll;
  }

  /** Takes in what changed in the home. While that is done, further changes are gathered. */
  private take({ loops, sessions, all }: HomeChange): Promise<void> {
    this.waiting ??= { loops: new Set(), sessions: new Set(), all: false };
    for (const id of loops) this.waiting.loops.add(id);
    for (const id of sessions) this.waiting.sessions.add(id);
    this.waiting.all ||= all;
    return this.work();
  }

  private work(): Promise<void> {
    if (this.readAll) return this.readAll;
    this.working ??= this.takeWaiting().finally(() => {
      this.working = undefined;
    });
    return this.working;
  }

  /** Never throws: the next change, or the next look, tries again. */
  private async takeWaiting(): Promise<void> {
    while (this.waiting && !this.closed.aborted) {
      const change = this.waiting;
      this.waiting = undefined;
      this.made = undefined;
      try {
        await this.takeIn(change);
      } catch {
        // As above.
      }
    }
  }

  /** A few loops at a time: requests are answered in between. What changed meanwhile is told together. */
  private async takeIn({ loops, sessions, all }: Waiting): Promise<void> {
    const isNew = [...loops].some((id) => !this.loops.has(id));
    const changed = new Set<string>();
    const read = new Steps(all || isNew ? this.loops.scan() : this.refreshed(loops));
    while (!read.done) {
      for (const id of read.next()) changed.add(id);
      if (!read.done) await aTurn();
    }
    const looked = new Set(
      all ? this.loops.unended() : [...sessions].flatMap((id) => this.loops.ofSession(id)),
    );
    if (all) {
      this.lookAtTurns();
      this.askSessions();
      this.lookAtProjects();
    }
    const again = new Steps(this.lookedAgain(looked));
    while (!again.done) {
      again.next();
      if (!again.done) await aTurn();
    }
    this.publish(new Set([...changed, ...looked]));
    for (const id of changed) if (this.hub.loops().has(id)) void this.tellEntries(id);
    this.made = undefined;
    if (all) this.overviewText();
  }

  private *refreshed(ids: Iterable<string>): Generator<string | undefined, void> {
    for (const id of ids) yield this.loops.refresh(id) ? id : undefined;
  }

  private *lookedAgain(ids: Iterable<string>): Generator<string, void> {
    for (const id of ids) {
      this.loops.lookAgain([id]);
      yield id;
    }
  }

  private lookAtProjects(): void {
    this.loops.trust.look(() => {
      this.made = undefined;
      this.publish([]);
    });
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
      const open = known.requests.filter(({ stepAt }) => stepAt === undefined);
      await known.update();
      this.tellTaken(id, open);
      const from = Math.max(before, known.entries - MOST_SENT);
      const { total, entries } = await known.page(from, MOST_SENT);
      this.hub.tell(id, { type: 'entries', loop: id, total, entries });
    } catch {
      // The page is told with the next change.
    }
  }

  private tellTaken(loop: string, open: readonly KeptRequest[]): void {
    const state = this.loops.state(loop);
    if (!state) return;
    for (const { requested, stepAt } of open)
      if (stepAt !== undefined)
        this.hub.publish({ type: 'request', loop, request: asRequest(requested, state, { stepAt }) });
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
    if (!this.loops.refresh(id)) return;
    this.made = undefined;
    this.publish([id]);
    if (this.hub.loops().has(id)) void this.tellEntries(id);
  }

  /** Looks at everything again. */
  look(): Promise<void> {
    return this.take({ loops: [], sessions: [], all: true });
  }

  /**
   * The overview as it is sent. It is kept until something changes, and made ahead: with the events after its `eventId` it is
   * as fresh as a new one.
   */
  overviewText(): string {
    const now = this.world.clock.now();
    if (!this.made || now - this.made.at > KEPT_MS)
      this.made = { text: JSON.stringify(this.overview()), at: now };
    return this.made.text;
  }

  private overview(): Overview {
    const { world, loops } = this;
    const eventId = this.hub.eventId;
    const { loops: shown, ended } = shownRows(loops.rows());
    const needs = loops.needs();
    const sessions = this.otherSessions();
    return {
      now: world.clock.now(),
      version: world.version,
      eventId,
      home: homeInWords(world),
      only: [...world.only],
      ...(world.fleet
        ? { fleet: { place: world.fleet.place, ...defined({ away: world.fleet.awayWords }) } }
        : {}),
      projects: loops.projects(),
      needs,
      loops: shown,
      ended,
      ...(sessions ? { sessions } : {}),
      totals: this.totals(needs),
      ...this.reading(),
      problems: this.problems(),
    };
  }

  private reading(): Pick<Overview, 'reading'> {
    if (!this.readAll) return {};
    this.wasPartial = true;
    return { reading: this.loops.progress };
  }

  private problems(): Problem[] {
    const { problem } = this.loops;
    const ofFleet = this.world.fleet?.problems() ?? [];
    return problem === undefined ? ofFleet : [{ code: 'home', message: problem }];
  }

  ended(query: EndedQuery): EndedPage {
    return endedPage(this.loops.rows(), query);
  }

  /** Aborted when the server ends. */
  get closed(): AbortSignal {
    return this.closing.signal;
  }

  close(): void {
    this.closing.abort();
    this.watcher?.close();
    this.hub.close();
  }
}
