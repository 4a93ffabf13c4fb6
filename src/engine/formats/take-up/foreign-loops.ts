import type { Entry } from '../../core/loop/entry.ts';
import type { HookEvent } from '../../core/loop/event.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import { oneLine } from '../../core/text/clip.ts';
import { endingMessage } from '../../core/words/endings.ts';
import type { Ports } from '../../judging/ports.ts';
import type { Claim, LoopRef } from '../../ports/ports.ts';
import type { ForeignLoops, SessionLoop } from '../../ports/session-loop.ts';
import { keepBaseline } from './baseline.ts';
import { behaviourOf, close } from './behaviour.ts';
import type { ForeignPorts, ForeignStateSeen } from './ports.ts';
import { damagedLoop, takeUp } from './take-up-loop.ts';

/**
 * Finds the loops of this session in foreign state. A state that names its owner, or was claimed, holds that session
 * alone. A state that cannot be read holds no session and stays as it is, unless it was damaged during its loop.
 */
export async function foreignLoops(
  event: HookEvent,
  hasNative: boolean,
  foreign: ForeignPorts,
  ports: Ports,
): Promise<ForeignLoops> {
  const found: ForeignLoops = { loops: [], messages: [] };
  const states: string[] = [];
  for (const format of foreign.formats) {
    const path = format.path(foreign.place);
    if (path === undefined) continue;
    foreign.change(format.observe?.(event, foreign.place, foreign.files, foreign.toolCalls) ?? []);
    const claim = foreign.claims.of(path);
    const reading = format.read(foreign.place, foreign.files);
    switch (reading.kind) {
      case 'none':
        if (claim?.session === event.session)
          found.messages.push(...withdraw(claim, removed(path), foreign, ports));
        break;
      case 'unusable': {
        states.push(path);
        const own = damagedLoop({ format, claim, damage: reading.damage, event }, foreign, ports);
        if (own) found.loops.push(own);
        else if (event.name === 'Stop')
          found.messages.push(`untildone: ${format.name} holds no session: ${oneLine(reading.problem, 400)}`);
        break;
      }
      case 'loop': {
        if (reading.loop.owner === undefined || reading.loop.owner === event.session) states.push(path);
        const seen: ForeignStateSeen = { format, path, claim, reading: reading.loop, event, hasNative };
        const own = await ownLoop(seen, found.messages, foreign, ports);
        if (own) found.loops.push(own);
        break;
      }
    }
  }
  if (!hasNative && found.loops.length === 0) await keepBaseline(event, states, foreign, ports);
  return found;
}

/** The loop that a state asks of this session; undefined when it asks nothing of it. */
async function ownLoop(
  seen: ForeignStateSeen,
  messages: string[],
  foreign: ForeignPorts,
  ports: Ports,
): Promise<SessionLoop | undefined> {
  const { claim, reading, event } = seen;
  if (reading.owner !== undefined && reading.owner !== event.session) return undefined;
  const known = knownClaim(seen, foreign, ports);
  if (claim && !known && claim.session === event.session) {
    messages.push(...withdraw(claim, replaced(seen.path), foreign, ports));
  }
  if (!known) {
    if (mayClaim(seen)) return begin(seen, messages, foreign, ports);
    messages.push(...namesNobody(seen));
    return undefined;
  }
  if (known.loopDir === undefined) {
    return known.session === event.session ? begin(seen, messages, foreign, ports) : undefined;
  }
  const ref = foreign.refOf(known.loopDir);
  if (isRunElsewhere(ports.store.read(ref), event)) return undefined;
  const loop = { claim: known, ref, state: ports.store.read(ref) };
  return hasEnded(loop.state)
    ? beginAgain(seen, loop, messages, foreign, ports)
    : goOn(seen, loop, messages, foreign, ports);
}

/** Whether a full session has handed the loop over to a run, which goes on in sessions of its own. */
function isRunElsewhere(state: LoopState, { session }: HookEvent): boolean {
  return state.run !== undefined && !hasEnded(state) && state.session !== session;
}

/** The loop that a state was taken up as. */
interface KnownLoop {
  claim: Claim;
  ref: LoopRef;
  state: LoopState;
}

/** After a loop has ended, its files get their last form, and the same state may begin another loop. */
async function beginAgain(
  seen: ForeignStateSeen,
  { claim, ref, state }: KnownLoop,
  messages: string[],
  foreign: ForeignPorts,
  ports: Ports,
): Promise<SessionLoop | undefined> {
  const { reading, event } = seen;
  if (!state.closed && claim.session === event.session) {
    messages.push(...close(seen, ref, state, foreign, ports));
  }
  const again = mayClaim(seen) && !isSamePrompt(state, event) && reading.renews(state, event.session);
  return again ? begin(seen, messages, foreign, ports) : undefined;
}

/** Goes on with an active loop: its owner does, or a session that takes it over. */
function goOn(
  seen: ForeignStateSeen,
  { claim, ref, state }: KnownLoop,
  messages: string[],
  foreign: ForeignPorts,
  ports: Ports,
): SessionLoop | undefined {
  const isOwner = claim.session === seen.event.session;
  if (!isOwner && !takeOver(seen, ref, state, foreign, ports)) return undefined;
  if (seen.reading.expired) {
    messages.push(...withdraw(claim, expired(seen), foreign, ports));
    return undefined;
  }
  const fresh = synced(ref, ports.store.read(ref), seen, ports);
  return { ref, state: fresh, format: behaviourOf(seen, ref, foreign, ports) };
}

/**
 * The claim on this state. A state that changes during one prompt (another time or text) stays the same loop. Otherwise
 * an agent or a script could begin new loops for ever, and no limit would hold.
 */
function knownClaim(seen: ForeignStateSeen, foreign: ForeignPorts, ports: Ports): Claim | undefined {
  const { claim, reading, event, path } = seen;
  if (!claim || claim.identity === reading.identity) return claim;
  if (claim.loopDir === undefined || claim.session !== event.session) return undefined;
  if (reading.isPartial) return claim;
  const state = ports.store.read(foreign.refOf(claim.loopDir));
  if (!isSamePrompt(state, event)) return undefined;
  if (hasEnded(state)) return claim;
  return foreign.claims.change(path, (now) => (now ? { ...now, identity: reading.identity } : undefined));
}

/** Whether you sent no prompt since the last Stop of the loop. */
function isSamePrompt(state: LoopState, event: HookEvent): boolean {
  return event.promptId !== undefined && state.promptId === event.promptId;
}

/** A state that names its owner is taken up at once. Without an owner, the first session that stops becomes it. */
function mayClaim({ reading, event }: ForeignStateSeen): boolean {
  if (reading.owner !== undefined) return true;
  return reading.claimedBy === 'first' && event.name === 'Stop' && event.agentId === undefined;
}

/** Tells you that a state without an owner holds no session: you may believe that it does. */
function namesNobody({ reading, format, path, event }: ForeignStateSeen): string[] {
  if (event.name !== 'Stop') return [];
  if (reading.owner !== undefined || reading.claimedBy !== 'person' || reading.rest !== undefined) return [];
  return [
    `untildone: ${format.name} holds no session, because ${path} names none; to bind it to one, type in a terminal: untildone claim ${format.name}`,
  ];
}

async function begin(
  seen: ForeignStateSeen,
  messages: string[],
  foreign: ForeignPorts,
  ports: Ports,
): Promise<SessionLoop | undefined> {
  const { reading, event, path, claim } = seen;
  if (isAtRest(seen)) {
    messages.push(...neverHeld(seen));
    return undefined;
  }
  const taken = await takeUp(seen, foreign, ports);
  if (taken.kind === 'lost') return undefined;
  if (taken.kind === 'needs_person') {
    if (event.name === 'Stop') messages.push(taken.message);
    return undefined;
  }
  if (claim?.loopDir !== undefined && claim.identity !== reading.identity) {
    messages.push(...withdraw(claim, replaced(path), foreign, ports));
  }
  const { ref, state, notes } = taken;
  messages.push(...[...reading.notes, ...notes].map((note) => `untildone: ${note}`));
  return { ref, state, format: behaviourOf(seen, ref, foreign, ports) };
}

/** Whether a state asks for nothing now. One that says it is done is judged once, at a Stop, before it is believed. */
function isAtRest({ reading, claim, event }: ForeignStateSeen): boolean {
  if (reading.expired) return true;
  if (reading.rest === undefined) return false;
  const wasJudged = claim?.identity === reading.identity && claim.loopDir !== undefined;
  return !reading.saysDone || (wasJudged && !reading.unrecorded) || event.name !== 'Stop';
}

/** Tells you that a state is too old to be taken up. Once it was taken up, its ending has told you so. */
function neverHeld({ reading, claim, event, format, path }: ForeignStateSeen): string[] {
  if (!reading.expired || event.name !== 'Stop' || claim?.identity === reading.identity) return [];
  return [`untildone: ${format.name} holds no session: ${path}: ${reading.rest}`];
}

/** Makes the session that stops the owner of the loop when the owner's session has ended. */
function takeOver(
  { path, event, reading, format }: ForeignStateSeen,
  ref: LoopRef,
  state: LoopState,
  foreign: ForeignPorts,
  ports: Ports,
): boolean {
  if (reading.claimedBy !== 'first' || event.name !== 'Stop' || event.agentId) return false;
  const over = state.waiting?.why === 'session_ended' || foreign.isGone(state.session);
  if (!over) return false;
  const mine = foreign.claims.change(path, (current) => {
    if (current?.session !== state.session || current.loopDir !== ref.dir) return undefined;
    return { ...current, dialect: format.name, session: event.session };
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
 * Takes over a count that you changed in the state file. A count that is only out of date (the folder cannot be written,
 * or the agent put the old file back) changes nothing.
 */
function synced(
  ref: LoopRef,
  state: LoopState,
  { reading, event }: ForeignStateSeen,
  ports: Ports,
): LoopState {
  const { iteration: says, maxIterations } = reading;
  const isNew = says !== undefined && says !== state.iteration && says !== state.fileIteration;
  // Only you set a count back, with a new prompt: within one prompt it only grows.
  const mayFall = !reading.readOnly && !isSamePrompt(state, event);
  const counts = isNew && (mayFall || says > state.iteration);
  const otherMax = maxIterations !== state.maxIterations;
  if (!isNew && !otherMax) return state;
  const entry: Entry = {
    kind: 'synced',
    iteration: counts ? says : undefined,
    says: isNew ? says : undefined,
    maxIterations: otherMax ? maxIterations : undefined,
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
const expired = ({ path, reading }: ForeignStateSeen): Withdrawal => ({
  cause: 'expired',
  detail: `${path}: ${reading.rest ?? 'its time is over'}`,
});

function withdraw(claim: Claim, why: Withdrawal, foreign: ForeignPorts, ports: Ports): string[] {
  if (claim.loopDir === undefined) return [];
  const ref = foreign.refOf(claim.loopDir);
  if (hasEnded(ports.store.read(ref))) return [];
  const after = ports.store.append(ref, () => ({ kind: 'withdrawn', ...why }));
  ports.store.mark(claim.session, false);
  return [endingMessage(after)];
}
