import { type Answer, type HookEvent, isOwnCommand, SILENCE } from '../core/loop/event.ts';
import { hasEnded } from '../core/loop/state.ts';
import type { Ports } from '../judging/ports.ts';
import type { SessionLoop } from '../ports/session-loop.ts';
import { joined, withMessages } from './stop/answers.ts';
import { handleStop } from './stop/handle-stop.ts';

/** Answers one event. Throws only when the state cannot be read or written. */
export function handleHook(event: HookEvent, ports: Ports): Promise<Answer> {
  return handleBy(handleLoop, event, ports);
}

/** Answers an event that is no Stop: where nothing else is asked for, a bundle needs nothing that judges Stops. */
export function handleOther(event: HookEvent, ports: Ports): Promise<Answer> {
  return handleBy(handleInLoop, event, ports);
}

type InLoop = (event: HookEvent, loop: SessionLoop, ports: Ports) => Promise<Answer>;

async function handleBy(inLoop: InLoop, event: HookEvent, ports: Ports): Promise<Answer> {
  try {
    return await answerTo(inLoop, event, ports);
  } catch (error) {
    // An input that is too deep to be examined would get around every rule, so it is refused.
    if (event.name === 'PreToolUse' && error instanceof RangeError)
      return { kind: 'refuse', reason: TOO_DEEP };
    throw error;
  }
}

const TOO_DEEP =
  'untildone: this tool call is nested too deeply to be examined. Put it into a file, or split it.';

async function answerTo(inLoop: InLoop, event: HookEvent, ports: Ports): Promise<Answer> {
  if (isOwnCommand(event)) return SILENCE;
  const native = nativeLoop(event, ports);
  const foreign = await ports.foreign(event, native !== undefined);
  const loops = [...(native ? [native] : []), ...foreign.loops];
  const answers: Answer[] = [];
  for (const loop of loops) answers.push(await inLoop(event, loop, ports));
  if (loops.length === 0) answers.push(...(await (await ports.session()).withoutLoop(event, ports)));
  const answer = joined(answers);
  const goesOn = answer.kind === 'refuse';
  const ending = goesOn ? [] : ((await ports.ending?.(event)) ?? []);
  return withMessages(answer, [...foreign.messages, ...ending]);
}

/** The loop that the session started itself, unless it has ended. */
function nativeLoop(event: HookEvent, ports: Ports): SessionLoop | undefined {
  const ref = ports.store.loopOfSession(event.session);
  if (!ref) return undefined;
  const state = ports.store.read(ref);
  // The run goes on in another session.
  if (state.session !== event.session && state.run) return undefined;
  if (state.session !== event.session) throw new Error(`loop ${ref.loop} belongs to another session`);
  if (!hasEnded(state)) return { ref, state, format: ports.formatOf?.(event, ref, state) };
  ports.store.mark(event.session, false);
  return undefined;
}

async function handleLoop(event: HookEvent, loop: SessionLoop, ports: Ports): Promise<Answer> {
  if (event.name === 'Stop' && loop.state.status === 'active') return handleStop(event, loop, ports);
  return handleInLoop(event, loop, ports);
}

async function handleInLoop(event: HookEvent, loop: SessionLoop, ports: Ports): Promise<Answer> {
  return (await ports.session()).inLoop(event, loop, ports);
}
