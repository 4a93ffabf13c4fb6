import { oneLine } from '../core/clip.ts';
import { endingMessage } from '../core/endings.ts';
import type { HookEvent } from '../core/event.ts';
import type { Entry } from '../core/journal.ts';
import { hasEnded, type LoopState } from '../core/loop.ts';
import type { Dialect, ForeignLoop, Place } from '../dialects/dialect.ts';
import type { Claim, Claims, ForeignFiles, LoopRef, StateChange } from '../ports.ts';
import { type Adopting, adopt } from './adopt-loop.ts';
import { damagedLoop } from './damaged-state.ts';
import { close, voiceOf } from './foreign-voice.ts';
import type { OwnLoop } from './handle-stop.ts';
import type { ForeignLoops, JudgingPorts } from './judge.ts';

/** What looking after foreign state needs from the world, beside what every hook needs. */
export interface ForeignPorts extends Adopting {
  dialects: readonly Dialect[];
  place: Place;
  files: ForeignFiles;
  claims: Claims;
  /** Does the changes in order; returns what could not be done. */
  change(changes: readonly StateChange[]): string[];
  /** The client of this session is known to be gone. */
  isGone(session: string): boolean;
  refOf(loopDir: string): LoopRef;
  /** A path without links lies where foreign state belongs. */
  belongs(path: string): boolean;
}

/**
 * The loops that foreign state asks of this session. A state that names its owner, or was claimed, holds that session
 * alone; what cannot be read holds nobody and is left as it is, unless it was damaged while it held the session.
 */
export async function foreignLoops(
  event: HookEvent,
  hasNative: boolean,
  foreign: ForeignPorts,
  ports: JudgingPorts,
): Promise<ForeignLoops> {
  const found: ForeignLoops = { loops: [], messages: [] };
  for (const dialect of foreign.dialects) {
    const path = dialect.path(foreign.place);
    if (path === undefined) continue;
    const claim = foreign.claims.of(path);
    const reading = dialect.read(foreign.place, foreign.files);
    switch (reading.kind) {
      case 'none':
        if (claim?.session === event.session)
          found.messages.push(...withdraw(claim, removed(path), foreign, ports));
        break;
      case 'unusable': {
        const own = damagedLoop({ dialect, claim, damage: reading.damage, event }, foreign, ports);
        if (own) found.loops.push(own);
        else if (event.name === 'Stop')
          found.messages.push(
            `untildone: nobody is held by ${dialect.name}: ${oneLine(reading.problem, 400)}`,
          );
        break;
      }
      case 'loop': {
        const one: One = { dialect, path, claim, reading: reading.loop, event, hasNative };
        const own = await ownLoop(one, found.messages, foreign, ports);
        if (own) found.loops.push(own);
        break;
      }
    }
  }
  return found;
}

/** One foreign state as it was found. */
export interface One {
  dialect: Dialect;
  path: string;
  claim: Claim | undefined;
  reading: ForeignLoop;
  event: HookEvent;
  hasNative: boolean;
}

async function ownLoop(
  one: One,
  messages: string[],
  foreign: ForeignPorts,
  ports: JudgingPorts,
): Promise<OwnLoop | undefined> {
  const { claim, reading, event } = one;
  if (reading.owner !== undefined && reading.owner !== event.session) return undefined;
  const known = knownClaim(one, foreign, ports);
  if (claim && !known && claim.session === event.session) {
    messages.push(...withdraw(claim, replaced(one.path), foreign, ports));
  }
  observe(one, known, foreign);
  if (known?.loopDir === undefined) {
    if (known ? known.session !== event.session : !mayClaim(one)) {
      if (!known && event.name === 'Stop') messages.push(...namesNobody(one));
      return undefined;
    }
    return begin(one, messages, foreign, ports);
  }
  const ref = foreign.refOf(known.loopDir);
  const state = ports.store.read(ref);
  if (hasEnded(state)) {
    if (!state.closed && known.session === event.session)
      messages.push(...close(one, ref, state, foreign, ports));
    const again = mayClaim(one) && !isSamePrompt(state, event) && reading.renews(state, event.session);
    return again ? begin(one, messages, foreign, ports) : undefined;
  }
  if (known.session !== event.session && !takeOver(one, ref, state, foreign, ports)) return undefined;
  if (reading.expired) {
    messages.push(...withdraw(known, expired(one), foreign, ports));
    return undefined;
  }
  const fresh = synced(ref, ports.store.read(ref), one, ports);
  return { ref, state: fresh, voice: voiceOf(one, ref, foreign, ports) };
}

/**
 * The claim on this very state. A state that is changed while a prompt is being worked on (touched, given another time
 * or another text) stays the same loop: else an agent, or a script, would begin anew for ever and no limit would hold.
 */
function knownClaim(one: One, foreign: ForeignPorts, ports: JudgingPorts): Claim | undefined {
  const { claim, reading, event, path } = one;
  if (!claim || claim.identity === reading.identity) return claim;
  if (claim.loopDir === undefined || claim.session !== event.session) return undefined;
  const state = ports.store.read(foreign.refOf(claim.loopDir));
  if (!isSamePrompt(state, event)) return undefined;
  if (hasEnded(state)) return claim;
  return foreign.claims.change(path, (now) => (now ? { ...now, identity: reading.identity } : undefined));
}

/** Nobody has said anything since the loop's last Stop. */
function isSamePrompt(state: LoopState, event: HookEvent): boolean {
  return event.promptId !== undefined && state.promptId === event.promptId;
}

/** A state that names its owner is taken up at once; of the others, the first session that stops becomes the owner. */
function mayClaim({ reading, event }: One): boolean {
  if (reading.owner !== undefined) return true;
  return reading.claimedBy === 'first' && event.name === 'Stop' && event.agentId === undefined;
}

/** Who waits for such a state to hold them has to learn that it does not. */
function namesNobody({ reading, dialect, path }: One): string[] {
  if (reading.owner !== undefined || reading.claimedBy !== 'person' || reading.rest !== undefined) return [];
  return [
    `untildone: nobody is held by ${dialect.name}: ${path} names no session; to bind it, in a terminal: untildone claim ${dialect.name}`,
  ];
}

async function begin(
  one: One,
  messages: string[],
  foreign: ForeignPorts,
  ports: JudgingPorts,
): Promise<OwnLoop | undefined> {
  const { reading, event, path, claim } = one;
  if (isAtRest(one)) {
    messages.push(...neverHeld(one));
    return undefined;
  }
  const adopted = await adopt(one, foreign, ports);
  if (adopted.kind === 'lost') return undefined;
  if (adopted.kind === 'needs_person') {
    if (event.name === 'Stop') messages.push(adopted.message);
    return undefined;
  }
  if (claim?.loopDir !== undefined && claim.identity !== reading.identity) {
    messages.push(...withdraw(claim, replaced(path), foreign, ports));
  }
  const { ref, state, notes } = adopted;
  messages.push(...[...reading.notes, ...notes].map((note) => `untildone: ${note}`));
  return { ref, state, voice: voiceOf(one, ref, foreign, ports) };
}

/** What says that it is done is judged once, at a Stop: whoever never looks believes it. */
function isAtRest({ reading, claim, event }: One): boolean {
  if (reading.expired) return true;
  if (reading.rest === undefined) return false;
  const wasJudged = claim?.identity === reading.identity && claim.loopDir !== undefined;
  return !reading.saysDone || wasJudged || event.name !== 'Stop';
}

/** It is too old to begin with; whom it held before was told when that ended. */
function neverHeld({ reading, claim, event, dialect, path }: One): string[] {
  if (!reading.expired || event.name !== 'Stop' || claim?.identity === reading.identity) return [];
  return [`untildone: nobody is held by ${dialect.name}: ${path}: ${reading.rest}`];
}

/** The owner's session has ended: whoever stops next goes on where it was. */
function takeOver(
  { path, event, reading, dialect }: One,
  ref: LoopRef,
  state: LoopState,
  foreign: ForeignPorts,
  ports: JudgingPorts,
): boolean {
  if (reading.claimedBy !== 'first' || event.name !== 'Stop' || event.agentId) return false;
  const over = state.waiting?.why === 'session_ended' || foreign.isGone(state.session);
  if (!over) return false;
  const mine = foreign.claims.change(path, (current) => {
    if (current?.session !== state.session || current.loopDir !== ref.dir) return undefined;
    return { ...current, dialect: dialect.name, session: event.session };
  });
  if (mine?.session !== event.session) return false;
  ports.store.append(ref, () => ({
    kind: 'claimed',
    session: event.session,
    ...foreign.transcriptSoFar(event.transcript),
  }));
  ports.store.mark(event.session, true);
  return true;
}

/**
 * The state file is the user's: a count that a person changed is taken over. One that only shows what it was before we
 * wrote to it (a folder that cannot be written, an agent that puts it back) changes nothing.
 */
function synced(ref: LoopRef, state: LoopState, { reading, event }: One, ports: JudgingPorts): LoopState {
  const { iteration: says, maxIterations } = reading;
  const isNew = says !== undefined && says !== state.iteration && says !== state.fileIteration;
  // Only a person sets a count back, and then says something: within a prompt it only grows.
  const mayFall = !reading.readOnly && !isSamePrompt(state, event);
  const counts = isNew && (mayFall || says > state.iteration);
  const otherMax = maxIterations !== state.maxIterations;
  if (!isNew && !otherMax) return state;
  const entry: Entry = {
    kind: 'synced',
    ...(counts ? { iteration: says } : {}),
    ...(isNew ? { says } : {}),
    ...(otherMax ? { maxIterations } : {}),
  };
  return ports.store.append(ref, () => entry);
}

interface Withdrawal {
  cause: Extract<Entry, { kind: 'withdrawn' }>['cause'];
  detail: string;
}

const removed = (path: string): Withdrawal => ({ cause: 'state_removed', detail: `${path} was removed` });
const replaced = (path: string): Withdrawal => ({
  cause: 'state_replaced',
  detail: `${path} holds another loop now`,
});
const expired = ({ path, reading }: One): Withdrawal => ({
  cause: 'expired',
  detail: `${path}: ${reading.rest ?? 'its time is over'}`,
});

function withdraw(claim: Claim, why: Withdrawal, foreign: ForeignPorts, ports: JudgingPorts): string[] {
  if (claim.loopDir === undefined) return [];
  const ref = foreign.refOf(claim.loopDir);
  if (hasEnded(ports.store.read(ref))) return [];
  const after = ports.store.append(ref, () => ({ kind: 'withdrawn', ...why }));
  ports.store.mark(claim.session, false);
  return [endingMessage(after)];
}

/** What a format keeps of events is for the session that owns the state, or that may become its owner. */
function observe({ dialect, event }: One, known: Claim | undefined, foreign: ForeignPorts): void {
  if (!dialect.observe || (known && known.session !== event.session)) return;
  foreign.change(dialect.observe(event, foreign.place, foreign.files));
}
