/**
 * Whose turn it is to answer an event. The hooks in the settings and those of the plugin are different commands, so Claude
 * Code runs both at every event, side by side. The first to take an event answers it. The others wait for that, and say
 * nothing; when the first ends without an answer, the next takes its place.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSafeId } from '../core/text/paths.ts';
import { sha256 } from '../files/digest.ts';
import { withLock } from '../files/lock.ts';
import { livenessOf, parseProcessId, renderProcessId, thisProcess } from '../files/process-id.ts';
import { sleep } from '../files/system.ts';
import { readSmall } from '../files/whole-file.ts';
import { type Home, readKey, sealedJson, unsealedJson } from './layout.ts';

/** The plugin leaves this file when its hooks run with this home: without it, there is only one way to untildone. */
export function pluginMark(root: string): string {
  return join(root, 'plugin-hooks');
}

/** An event, as it came by one of the ways. */
export interface ArrivedEvent {
  session: string;
  /** What Claude Code wrote to stdin: the same text for every hook of the event. */
  text: string;
  /** By which hook it came. */
  way: string;
}

export interface Turn {
  /** Says that the answer is written. */
  answered(): void;
}

/** So many events of a session may be under way at once. */
const KEPT = 64;
const WAIT_MS = 20;
const ALONE: Turn = { answered: () => undefined };

/** What is known of an event. */
interface Taken {
  digest: string;
  /** The ways that it has come by. Each brings an event once, so a way that is here already brings the next one. */
  ways: string[];
  owner: string;
  answered: boolean;
}

/**
 * Takes the event, or waits until another hook has answered it; undefined: it has. Never throws. Where the record cannot be
 * used, every hook answers, for two answers hold a session and none lets it go.
 */
export function takeTurn(event: ArrivedEvent, home: Home): Turn | undefined {
  try {
    if (!isSafeId(event.session) || !existsSync(pluginMark(home.root))) return ALONE;
    // A shell between Claude Code and the hook may drop the last line break.
    const digest = sha256(event.text.trim());
    const record = recordOf(event.session, home);
    for (;;) {
      const outcome = change(record, (events) => arrive(events, digest, event.way));
      if (outcome === 'wait') sleep(WAIT_MS);
      else return outcome === 'mine' ? answering(record, digest) : undefined;
    }
  } catch {
    return ALONE;
  }
}

/** Decides on one arrival. Changes the list. */
function arrive(events: Taken[], digest: string, way: string): 'mine' | 'wait' | 'theirs' {
  const known = events.findIndex((event) => event.digest === digest);
  const found = events[known];
  if (!found || found.ways.includes(way)) {
    if (found) events.splice(known, 1);
    events.push({ digest, ways: [way], owner: renderProcessId(thisProcess()), answered: false });
    return 'mine';
  }
  if (found.answered) {
    found.ways.push(way);
    return 'theirs';
  }
  if (!isDead(found.owner)) return 'wait';
  found.ways.push(way);
  found.owner = renderProcessId(thisProcess());
  return 'mine';
}

function isDead(owner: string): boolean {
  const id = parseProcessId(owner);
  return id === undefined || livenessOf(id) === 'dead';
}

function answering(record: TurnsRecord, digest: string): Turn {
  return {
    answered() {
      try {
        change(record, (events) => {
          for (const event of events) if (event.digest === digest) event.answered = true;
        });
      } catch {
        // The other hook finds that this process has ended, and answers as well.
      }
    },
  };
}

/** Sealed, so that an agent which writes one cannot silence a Stop. */
interface TurnsRecord {
  file: string;
  purpose: string;
  key: string;
}

function recordOf(session: string, home: Home): TurnsRecord {
  return {
    file: join(home.sessions, `${session}.turns`),
    purpose: `turns of session ${session}`,
    key: readKey(home),
  };
}

/** Changes the record of a session under its lock. It need not outlive a power cut, which ends its hooks as well. */
function change<T>({ file, purpose, key }: TurnsRecord, body: (events: Taken[]) => T): T {
  return withLock(`${file}.lock`, () => {
    const before = readSmall(file) ?? '';
    const events = parseTaken(before, purpose, key);
    const result = body(events);
    const after = sealedJson(events.slice(-KEPT), purpose, key);
    if (after !== before) writeFileSync(file, after, { mode: 0o600 });
    return result;
  });
}

/** A record that is damaged, or not ours, is an empty one. */
function parseTaken(text: string, purpose: string, key: string): Taken[] {
  try {
    const events = unsealedJson<unknown>(text, purpose, key);
    return Array.isArray(events) ? events.filter(isTaken) : [];
  } catch {
    return [];
  }
}

function isTaken(value: unknown): value is Taken {
  const { digest, ways, owner } = (value ?? {}) as Partial<Taken>;
  return typeof digest === 'string' && typeof owner === 'string' && Array.isArray(ways);
}
