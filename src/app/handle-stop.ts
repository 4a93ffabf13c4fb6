import type { Answer } from '../core/answer.ts';
import { newApprovals } from '../core/approval.ts';
import { keepShort } from '../core/clip.ts';
import { type Contract, type Frozen, isApproved, measures } from '../core/contract.ts';
import { type Decision, decide } from '../core/decide.ts';
import type { StopEvent } from '../core/event.ts';
import type { LoopState } from '../core/loop.ts';
import { limitsIn } from '../core/phases.ts';
import { redact } from '../core/redact.ts';
import type { StopSeen } from '../core/stop.ts';
import type { SessionLoop } from '../ports/session-loop.ts';
import type { LoopRef } from '../ports.ts';
import { answerTo, notesOn, unchangedIn } from './answer-stop.ts';
import { withMessages } from './answers.ts';
import { judgeStop } from './judge-loop.ts';
import type { JudgingPorts } from './judging-ports.ts';
import { notifyEnding, notifyQuestion } from './notify.ts';
import { keepReceipt } from './receipt.ts';
import { finalMessage, isForged, look, seenAt } from './see-stop.ts';
import { askedNow, situationOf } from './situation.ts';
import { tamperingWith } from './tampering.ts';
import { noteCutOff, type Watch, watchOver } from './watched-stop.ts';

const FORGED = 'a tool call of this session is still open, so this Stop did not come from the client';

/** A Stop of the session that owns an active loop. Should this process end while it judges, the session is held. */
export async function handleStop(event: StopEvent, loop: SessionLoop, ports: JudgingPorts): Promise<Answer> {
  const { contract } = ports.store.contract(loop.ref);
  const state = measures(contract) ? noteCutOff(loop.ref, loop.state, ports) : loop.state;
  const watch = watchOver(loop.ref, state, contract, ports);
  try {
    return await answerStop(event, { ...loop, state }, watch, ports);
  } finally {
    watch.end();
  }
}

/** Look, judge, decide, write down, answer. */
async function answerStop(
  event: StopEvent,
  { ref, state, format }: SessionLoop,
  watch: Watch,
  ports: JudgingPorts,
): Promise<Answer> {
  const { contract, frozen, sha256 } = ports.store.contract(ref);
  // Before anything is written: a block that cannot be put into words must not be counted as one.
  const { promise: _, ...situation } = situationOf(ref, state, ports);
  const handsOver = state.run !== undefined || contract.onContext === 'spawn';
  const signals = await look(event, state, ports, handsOver);
  if (isForged(signals)) {
    ports.store.append(ref, () => ({ kind: 'event', event: 'Stop', detail: { refused: FORGED } }));
    return { kind: 'ignore', why: FORGED };
  }
  const lastMessage = finalMessage(event, state, signals);
  const tampering = await tamperingWith(ref, state, frozen, sha256, ports);
  const untrusted = tampering.contractReplaced ? undefined : whatPersonMustDo(frozen, ports);
  if (!untrusted && !tampering.contractReplaced) watch.begin();
  const {
    verdicts: judged,
    tree,
    phase,
  }: Awaited<ReturnType<typeof judgeStop>> = untrusted || tampering.contractReplaced
    ? { verdicts: [] }
    : await judgeStop(event, ref, state, { lastMessage, toolRan: signals.toolSinceBlock === true }, ports);
  const verdicts = [...((await format?.verdicts(contract)) ?? []), ...judged];
  const seen: StopSeen = {
    ...seenAt(event, state, lastMessage, signals, ports),
    ...tampering,
    ...(tree === undefined ? {} : { tree }),
    ...(phase === undefined ? {} : { phase }),
    ...(state.run ? { note: noteOf(lastMessage) } : {}),
    ...(untrusted ? { needsPerson: untrusted } : {}),
  };

  const own = format ? format.limits(contract.limits) : contract.limits;
  const limits = limitsIn(own, phase && contract.phases?.find(({ name }) => name === phase.name));
  if (!format && ports.spawnRun && leavesItsSession(contract, state, seen)) {
    const { permissionMode } = event;
    ports.store.append(ref, () => ({ kind: 'run_begun', ...(permissionMode ? { permissionMode } : {}) }));
  }
  let decision = { kind: 'allow', cause: 'ended' } as Decision;
  let approvals: string | undefined;
  // Decided under the lock on the freshest state: a cancel that came while the gates were judged still counts.
  const after = ports.store.append(
    ref,
    (fresh) => {
      approvals = newApprovals(fresh.answers ?? {});
      decision = decide(fresh, seen, verdicts, limits, ports.clock.now());
      return { kind: 'stop', seen, verdicts, decision };
    },
    // A power cut ends a session and its last turn with it: one more block is not worth waiting for the disk.
    { durable: () => decision.kind !== 'block' || state.run !== undefined },
  );
  // Nobody is held any more: what is still to be told or kept is no reason to.
  if (decision.kind !== 'block') watch.end();
  const now = {
    ...situation,
    ...askedNow(contract, after),
    iteration: after.iteration,
    notes: [...(approvals === undefined ? [] : [approvals]), ...notesOn(seen)],
    unchanged: unchangedIn(after, state.iteration),
  };
  await keepReceipt(ref, after, verdicts, tree, ports);
  await notifyEnding(ref, after, ports);
  if (state.waiting?.why !== 'approval') await notifyQuestion(ref, after, ports);
  const besides = format?.settle(decision, after, verdicts) ?? [];
  if (decision.kind !== 'allow' && contract.memory) {
    const told = { project: frozen.project, contract, state: after, verdicts, now: ports.clock.now() };
    const task = ports.store.taskDigest(ref).preview;
    // After judging: it changes the tree.
    besides.push(...(await ports.session()).writeDown({ ...told, task }));
  }
  if (decision.kind === 'allow' && decision.cause === 'hand_over') besides.push(...goOnAsRun(ref, ports));
  return withMessages(answerTo(decision, now, after, verdicts, format, ports), besides);
}

/** The contract wants fresh sessions when this one is full. */
function leavesItsSession({ onContext, limits }: Contract, state: LoopState, seen: StopSeen): boolean {
  return onContext === 'spawn' && !state.run && (seen.contextShare ?? 0) >= limits.context;
}

/** Outside of a run there is nobody to go on: one is started, beside the session that ends here. */
function goOnAsRun(ref: LoopRef, ports: JudgingPorts): string[] {
  if (!ports.spawnRun) return [];
  try {
    ports.spawnRun(ref);
    return [
      `untildone: this session is full; loop ${ref.loop} goes on in the background as a run: untildone log ${ref.loop} --follow`,
    ];
  } catch (error) {
    const { message } = error as Error;
    return [
      `untildone: the run that should go on could not be started (${message}): untildone run --resume ${ref.loop}`,
    ];
  }
}

const NOTE_LIMIT = 4000;

/** What a session leaves for the next one; secrets are not for the journal. */
function noteOf(lastMessage: string | undefined): string {
  return keepShort(redact(lastMessage ?? ''), NOTE_LIMIT);
}

/** Commands of a repository run only after a person approved them; nobody is held for what only a person can do. */
function whatPersonMustDo(frozen: Frozen, ports: JudgingPorts): string | undefined {
  if (isApproved(frozen, (project, fingerprint) => ports.store.isTrusted(project, fingerprint)))
    return undefined;
  return `the contract of ${frozen.project} is not approved on this machine yet: run "untildone trust" there, in a terminal`;
}
