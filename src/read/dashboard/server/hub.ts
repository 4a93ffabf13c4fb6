import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ServerEvent } from '../view/types.ts';

const KEPT_EVENTS = 500;
const KEPT_BYTES = 4 * 1024 * 1024;
/** A client that lets so much pile up is let go: it connects again and is told to load everything. */
const MOST_UNSENT = 1024 * 1024;
const BEAT_MS = 15_000;
export const MOST_CLIENTS = 64;

interface Client {
  out: Pick<ServerResponse, 'write' | 'end' | 'destroy' | 'writableLength' | 'on'>;
  loop: string | undefined;
}

/** Sends events to pages. What was sent last is kept for those that connect again. */
export class Hub {
  private readonly clients = new Set<Client>();
  private readonly kept: { n: number; text: string }[] = [];
  private readonly boot = randomBytes(6).toString('hex');
  private keptBytes = 0;
  private n = 0;
  private readonly beat: NodeJS.Timeout;
  private readonly beatMs: number;

  constructor(beatMs = BEAT_MS) {
    this.beatMs = beatMs;
    this.beat = setInterval(() => this.sendAll(': beat\n\n'), this.beatMs);
    this.beat.unref();
  }

  get eventId(): string {
    return `${this.boot}-${this.n}`;
  }

  get size(): number {
    return this.clients.size;
  }

  /** What is kept for pages that connect again. */
  get keptSize(): { events: number; bytes: number } {
    return { events: this.kept.length, bytes: this.keptBytes };
  }

  /** The loops whose entries somebody wants to see. */
  loops(): Set<string> {
    return new Set([...this.clients].flatMap(({ loop }) => loop ?? []));
  }

  /** Adds a page. `after`: the last event that it knows. */
  add(out: Client['out'], after: string | undefined, loop: string | undefined, hello: ServerEvent): void {
    const client = { out, loop };
    this.clients.add(client);
    out.on('close', () => this.clients.delete(client));
    out.on('error', () => this.clients.delete(client));
    this.send(client, `retry: 1000\n${textOf(hello)}`);
    const missed = after === undefined ? [] : this.missedSince(after);
    if (missed) for (const text of missed) this.send(client, text);
    else this.send(client, textOf({ type: 'reset', why: 'too much has changed since' }, this.eventId));
  }

  /** The events after this one; undefined when they are no longer known. */
  private missedSince(after: string): string[] | undefined {
    const [boot, number] = after.split('-');
    const n = Number(number);
    if (boot !== this.boot || !Number.isInteger(n) || n > this.n) return undefined;
    if (n < this.n && (this.kept[0]?.n ?? 0) > n + 1) return undefined;
    if (n < this.n && this.kept.length === 0) return undefined;
    return this.kept.filter((event) => event.n > n).map(({ text }) => text);
  }

  /** Sends an event to everybody. */
  publish(event: ServerEvent): void {
    this.n++;
    const text = textOf(event, this.eventId);
    this.kept.push({ n: this.n, text });
    this.keptBytes += text.length;
    while (this.kept.length > KEPT_EVENTS || this.keptBytes > KEPT_BYTES) {
      const first = this.kept.shift();
      if (!first) break;
      this.keptBytes -= first.text.length;
    }
    this.sendAll(text);
  }

  /** Sends an event that is worth nothing later: who connects again loads what it was about. */
  nudge(event: ServerEvent): void {
    this.sendAll(textOf(event));
  }

  /** Sends an event to those that look at this loop. It is not kept: who connects again loads the loop. */
  tell(loop: string, event: ServerEvent): void {
    const text = textOf(event);
    for (const client of this.clients) if (client.loop === loop) this.send(client, text);
  }

  private sendAll(text: string): void {
    for (const client of this.clients) this.send(client, text);
  }

  private send(client: Client, text: string): void {
    if (client.out.writableLength > MOST_UNSENT) {
      this.clients.delete(client);
      client.out.destroy();
      return;
    }
    client.out.write(text);
  }

  close(): void {
    clearInterval(this.beat);
    for (const client of this.clients) {
      this.send(client, textOf({ type: 'bye' }));
      client.out.end();
    }
    this.clients.clear();
  }
}

/** JSON holds no raw line break, so the data is one line. */
function textOf({ type, ...data }: ServerEvent, id?: string): string {
  return `event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
