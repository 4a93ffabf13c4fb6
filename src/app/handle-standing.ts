import { type Answer, SILENCE } from '../core/answer.ts';
import type { FrozenContract } from '../core/contract.ts';
import type { HookEvent, SessionStartEvent, StopEvent } from '../core/event.ts';
import { callsFor, planGates } from '../core/plan-gates.ts';
import { standingReason } from '../core/reason.ts';
import { blocks, type Verdict } from '../core/verdict.ts';
import type { StandingState } from '../ports.ts';
import { GUARDED_BLOCKS, guardedSubject } from './guard-work.ts';
import { type Judged, type JudgingPorts, judge } from './judge.ts';
import { memoryFor } from './memory.ts';

/** An event of a session that has no loop, in a project whose contract guards every session. */
export async function handleStanding(event: HookEvent, ports: JudgingPorts): Promise<Answer> {
  const project = ports.projectOf(event);
  const frozen = ports.standing.contract(project);
  if (!frozen || !ports.store.isTrusted(project, frozen.frozen.fingerprint)) return SILENCE;
  // Taking the contract away is how a person switches its gates off.
  if ((await ports.judges(frozen.contract)).contractFile(project) === undefined) return SILENCE;
  switch (event.name) {
    case 'SessionStart':
      if (event.source !== 'compact') await begin(event.session, frozen, ports);
      return tellNotes(event, frozen, ports);
    case 'Stop':
      return standingStop(event, frozen, ports);
    case 'SubagentStop':
    case 'TaskCompleted':
    case 'TeammateIdle':
      return standingGuard(event, frozen, ports);
    default:
      return SILENCE;
  }
}

function tellNotes(
  event: SessionStartEvent,
  { frozen, contract }: FrozenContract,
  ports: JudgingPorts,
): Answer {
  const { context, problems } = memoryFor(frozen.project, contract, event.source, ports.notes.files);
  if (context !== undefined) return { kind: 'inject', context };
  return problems.length > 0 ? { kind: 'tell', message: problems.join('\n') } : SILENCE;
}

/** The tree that the session found: what is the same at its end was not its doing, and needs no judging. */
async function begin(session: string, frozen: FrozenContract, ports: JudgingPorts): Promise<void> {
  const judges = await ports.judges(frozen.contract);
  const tree = await judges.workspace(frozen.frozen.project).tree();
  ports.standing.write(session, { blocks: 0, guarded: {}, baseTree: tree, settledTree: tree });
}

async function standingStop(event: StopEvent, frozen: FrozenContract, ports: JudgingPorts): Promise<Answer> {
  const rule = frozen.contract.everyStop;
  if (!rule) return SILENCE;
  const before = ports.standing.read(event.session);
  const samePrompt = before.promptId === event.promptId;
  const state: StandingState = {
    ...before,
    blocks: samePrompt ? before.blocks : 0,
    ...(event.promptId === undefined ? {} : { promptId: event.promptId }),
  };
  const judges = await ports.judges(frozen.contract);
  const tree = await judges.workspace(frozen.frozen.project).tree();
  if (tree === state.settledTree) return SILENCE;
  const { verdicts, tree: judged = tree } = await judgeStanding(rule.gates, event, state, frozen, ports);
  const letGoBy = verdicts.find((v) => v.letGo)?.letGo;
  if (letGoBy !== undefined) {
    ports.standing.write(event.session, { ...state, settledTree: judged });
    return { kind: 'halt', message: `untildone: let go: ${letGoBy}` };
  }
  const failing = verdicts.filter(blocks);
  if (failing.length > 0 && state.blocks < rule.blocks) {
    ports.standing.write(event.session, { ...state, blocks: state.blocks + 1 });
    return { kind: 'refuse', reason: standingReason(verdicts, 'before you stop') };
  }
  ports.standing.write(event.session, { ...state, settledTree: judged });
  if (failing.length > 0) return { kind: 'tell', message: letGo(failing, state.blocks) };
  return unjudged(verdicts);
}

/** What could not be judged, and is allowed to be, is still said: silence would look like a pass. */
function unjudged(verdicts: readonly Verdict[]): Answer {
  const open = verdicts.filter((v) => v.outcome === 'unproven').map((v) => `${v.gate} (${v.summary})`);
  if (open.length === 0) return SILENCE;
  return { kind: 'tell', message: `untildone: could not be judged, and was let through: ${open.join(', ')}` };
}

function letGo(failing: readonly Verdict[], blocked: number): string {
  const names = failing.map((v) => `${v.gate} (${v.summary})`).join(', ');
  return `untildone: let go after ${blocked} blocks although ${names} still fails.`;
}

async function standingGuard(event: HookEvent, frozen: FrozenContract, ports: JudgingPorts): Promise<Answer> {
  const names = planGates(event, frozen.contract).map((call) => call.name);
  if (names.length === 0) return SILENCE;
  const state = ports.standing.read(event.session);
  const subject = guardedSubject(event);
  const given = state.guarded[subject] ?? 0;
  if (given >= GUARDED_BLOCKS) return SILENCE;
  const { verdicts } = await judgeStanding(names, event, state, frozen, ports);
  if (!verdicts.some(blocks)) return SILENCE;
  ports.standing.write(event.session, { ...state, guarded: { ...state.guarded, [subject]: given + 1 } });
  return { kind: 'refuse', reason: standingReason(verdicts, 'first') };
}

async function judgeStanding(
  names: readonly string[],
  event: HookEvent,
  state: StandingState,
  frozen: FrozenContract,
  ports: JudgingPorts,
): Promise<Judged> {
  const { project } = frozen.frozen;
  return judge(
    {
      calls: callsFor(names, frozen.contract),
      frozen,
      session: event.session,
      task: frozen.contract.task ?? '',
      outputDir: ports.standing.outputDir(project),
      base: state.baseTree === undefined ? {} : { tree: state.baseTree },
      allowed: [],
      toolRan: true,
      event,
      cache: ports.standing.cache(project),
      ...('lastMessage' in event && event.lastMessage !== undefined
        ? { lastMessage: event.lastMessage }
        : {}),
      ...(event.transcript === undefined ? {} : { transcript: event.transcript }),
    },
    await ports.judges(frozen.contract),
  );
}
