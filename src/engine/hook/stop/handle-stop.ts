import { questionsForYou } from '../../core/loop/asked.ts';
import type { StopSeen } from '../../core/loop/count-stop.ts';
import { decide } from '../../core/loop/decide.ts';
import type { Answer, StopEvent } from '../../core/loop/event.ts';
import { limitsIn } from '../../core/loop/phases.ts';
import { askedIfRepeated, newApprovals } from '../../core/loop/questions.ts';
import { type Decision, isDone, type LoopState } from '../../core/loop/state.ts';
import { oneLine } from '../../core/text/clip.ts';
import { measures } from '../../gates/traits.ts';
import { judgeStop } from '../../judging/judge-loop.ts';
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';
import { answerTo, type DecidedStop, situationAfter } from './answer-stop.ts';
import { withMessages } from './answers.ts';
import { notifyEnding, notifyQuestion, type OpenReceipt, openReceipt } from './endings.ts';
import { noteCutOff, type Watch, watchOver } from './interrupted-judging.ts';
import { situationOf } from './situation.ts';
import { gatherFacts, type StopFacts, type StoppedLoop, seenAt } from './stop-facts.ts';

/** Answers a Stop of an active loop. If this process is killed while it judges, the installed hook line holds the session. */
export async function handleStop(event: StopEvent, loop: SessionLoop, ports: Ports): Promise<Answer> {
  const loaded = ports.store.contract(loop.ref);
  const state = measures(loaded.contract) ? noteCutOff(loop.ref, loop.state, ports) : loop.state;
  const watch = watchOver(loop.ref, state, loaded.contract, ports);
  try {
    return await answerStop(event, { ...loop, state, loaded }, watch, ports);
  } finally {
    watch.end();
  }
}

/** Gathers facts, judges, decides, writes, answers. */
async function answerStop(event: StopEvent, loop: StoppedLoop, watch: Watch, ports: Ports): Promise<Answer> {
  const { ref, state } = loop;
  // Read before anything is written: a hold that cannot be put into words must not be counted.
  const situation = situationOf(ref, state, ports);
  const facts = await gatherFacts(event, loop, ports);
  if (facts === 'doubtful') return holdDoubtful(event, loop, ports);
  const judged = await judgeIfTrusted(event, loop, facts, watch, ports);
  const seen = seenAt(event, state, facts, judged, ports);
  beginRun(event, loop, seen, ports);
  const receipt = await openReceipt(loop, judged, ports);
  const decided = decideAndWrite(loop, seen, judged, receipt, ports);
  // The session may stop, so it must not be held if this process is killed from here on.
  if (decided.decision.kind !== 'block') watch.end();
  const messages = await followUp(loop, decided, judged, receipt, ports);
  const now = situationAfter(situation, state, seen, decided, loop.loaded.contract);
  return withMessages(answerTo(decided, now, judged.verdicts, loop.format, ports), messages);
}

const OPEN_CALL =
  'the transcript shows a tool call that is still open, so it is not certain that Claude Code sent this Stop';

/** Holds a doubtful Stop a few times in a row. It is neither judged nor counted. */
async function holdDoubtful(
  event: StopEvent,
  { ref, state, loaded }: StoppedLoop,
  ports: Ports,
): Promise<Answer> {
  const loop = { ref, measures: measures(loaded.contract), iteration: state.iteration };
  const answer = (await ports.session()).doubtful(event, loop, OPEN_CALL);
  // Claude Code counts the hold, if it sent this Stop.
  const end: Record<string, string> = { [answer.kind === 'refuse' ? 'held' : 'letGo']: 'without judging' };
  ports.store.append(ref, () => ({ kind: 'event', event: 'Stop', detail: { refused: OPEN_CALL, ...end } }));
  return answer;
}

type JudgedStop = Awaited<ReturnType<typeof judgeStop>>;

/** Judges the gates of a trusted contract. The verdicts of a foreign format come first. */
async function judgeIfTrusted(
  event: StopEvent,
  { ref, state, format, loaded }: StoppedLoop,
  { signals, lastMessage, tampering, needsPerson }: StopFacts,
  watch: Watch,
  ports: Ports,
): Promise<JudgedStop> {
  let judged: JudgedStop = { verdicts: [] };
  if (needsPerson === undefined && !tampering.contractReplaced) {
    watch.begin();
    const turn = { lastMessage, toolRan: signals.toolSinceBlock === true };
    judged = await judgeStop(event, ref, state, turn, ports);
  }
  const said = (await format?.verdicts(loaded.contract, judged.verdicts)) ?? [];
  const asked = judged.verdicts.map((verdict) => askedIfRepeated(verdict, state));
  return { ...judged, verdicts: [...said, ...asked] };
}

/** Turns a loop whose session is full into a run, where the contract asks for it. */
function beginRun(
  event: StopEvent,
  { ref, state, format, loaded }: StoppedLoop,
  seen: StopSeen,
  ports: Ports,
): void {
  const { onContext, limits } = loaded.contract;
  const isFull = (seen.contextShare ?? 0) >= limits.context;
  // The session waits for your answer first.
  if (questionsForYou(state).length > 0) return;
  if ((format && !format.handsOver) || !ports.spawnRun || onContext !== 'spawn' || state.run || !isFull)
    return;
  const { permissionMode } = event;
  ports.store.append(ref, () => ({
    kind: 'run_begun',
    permissionMode: permissionMode || undefined,
  }));
}

/** Decides under the lock, on the freshest state: a cancel that came while the gates were judged still counts. */
function decideAndWrite(
  { ref, state, format, loaded }: StoppedLoop,
  seen: StopSeen,
  { verdicts, took }: JudgedStop,
  receipt: OpenReceipt | undefined,
  { store, clock }: Ports,
): DecidedStop {
  const { contract } = loaded;
  const own = format ? format.limits(contract.limits) : contract.limits;
  const phase = seen.phase && contract.phases?.find(({ name }) => name === seen.phase?.name);
  const limits = limitsIn(own, phase);
  let decision = { kind: 'allow', cause: 'ended' } as Decision;
  let approvals: string | undefined;
  const append = () =>
    store.append(
      ref,
      (fresh) => {
        approvals = newApprovals(fresh.answers ?? {}, fresh.questions);
        decision = decide(fresh, seen, verdicts, limits, clock.now());
        return { kind: 'stop', seen, verdicts, decision, took: isEmpty(took) ? undefined : took };
      },
      {
        // A hold needs no wait for the disk: a power cut ends the session together with its last turn.
        durable: () => decision.kind !== 'block' || state.run !== undefined,
        // No receipt, no verified ending.
        first: (ended, journal) => {
          if (decision.kind === 'end' && isDone(decision.status)) receipt?.write(ended, journal);
        },
      },
    );
  try {
    const after = append();
    return { decision, after, approvals };
  } catch (error) {
    // The receipt of an ending that others can read has to stay.
    if (isStillActive(ref, store)) receipt?.discard();
    throw error;
  }
}

function isEmpty(took: JudgedStop['took']): boolean {
  return took === undefined || Object.keys(took).length === 0;
}

/** False, too, when that cannot be told. */
function isStillActive(ref: LoopRef, store: Ports['store']): boolean {
  try {
    return store.read(ref).status === 'active';
  } catch {
    return false;
  }
}

/**
 * Sends the notifications and writes the notes that follow from a decision. The decision is written by then, so it is
 * answered whatever goes wrong here. Returns messages for the user.
 */
async function followUp(
  { ref, state, format, loaded }: StoppedLoop,
  { decision, after }: DecidedStop,
  { verdicts }: JudgedStop,
  receipt: OpenReceipt | undefined,
  ports: Ports,
): Promise<string[]> {
  const { contract, frozen } = loaded;
  const steps: (() => Promise<string[] | undefined> | string[] | undefined)[] = [
    () => {
      const note = receipt?.note();
      if (note === undefined) return undefined;
      ports.store.append(ref, () => ({ kind: 'error', message: note }));
      return [`untildone: ${note}`];
    },
    () => notifyEnding(ref, after, ports),
    () => (isSameQuestion(state, after) ? undefined : notifyQuestion(ref, after, ports)),
    () => format?.writeBack(decision, after, verdicts),
    // Notes change the tree, so they are written after judging.
    async () => {
      if (decision.kind === 'allow' || !contract.memory) return undefined;
      const task = ports.store.taskDigest(ref).preview;
      const stop = {
        project: frozen.project,
        contract,
        state: after,
        task,
        verdicts,
        now: ports.clock.now(),
      };
      return (await ports.session()).writeDown(stop);
    },
    () => (decision.kind === 'allow' && decision.cause === 'hand_over' ? goOnAsRun(ref, ports) : undefined),
  ];
  const messages: string[] = [];
  for (const step of steps) messages.push(...(await told(step)));
  return messages;
}

/** Whether you were told already what the loop waits for. */
function isSameQuestion({ waiting: before }: LoopState, { waiting: now }: LoopState): boolean {
  return before?.why === 'approval' && (now?.why !== 'approval' || before.detail === now.detail);
}

/** Runs a step that follows from a decision. Never throws: a failure is a message. */
async function told(step: () => Promise<string[] | undefined> | string[] | undefined): Promise<string[]> {
  try {
    return (await step()) ?? [];
  } catch (error) {
    return [`untildone: ${oneLine((error as Error).message, PROBLEM_LIMIT)}`];
  }
}

const PROBLEM_LIMIT = 300;

/** Starts a process that drives the loop from here on. */
function goOnAsRun(ref: LoopRef, ports: Ports): string[] {
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
