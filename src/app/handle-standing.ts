import { type Answer, SILENCE } from '../core/answer.ts';
import type { FrozenContract } from '../core/contract.ts';
import type { HookEvent, SessionStartEvent, StopEvent } from '../core/event.ts';
import { guardReason } from '../core/guard-words.ts';
import { guardedAfter } from '../core/guarded.ts';
import { callsFor, planGates } from '../core/plan-gates.ts';
import { standingReason } from '../core/reason.ts';
import { blocks, type Verdict } from '../core/verdict.ts';
import type { Judged, OwnWork } from '../ports/judging.ts';
import type { StandingState } from '../ports.ts';
import { workOfAgent } from './agent-work.ts';
import { withMessages } from './answers.ts';
import { briefAgent } from './begin-agent.ts';
import { promptInSession } from './guard-prompt.ts';
import { GUARDED_BLOCKS, guardedSubject } from './guard-work.ts';
import { judge } from './judge.ts';
import type { SessionPorts } from './judging-ports.ts';
import { memoryFor } from './memory.ts';
import { toolInSession } from './tool-rules.ts';
import { KEPT, keepStanding, standsUncounted, toldOnce } from './unwritten.ts';

/** An event of a session that has no loop, in a project whose contract guards every session. */
export async function handleStanding(event: HookEvent, ports: SessionPorts): Promise<Answer> {
  const project = ports.projectOf(event);
  const frozen = ports.standing.contract(project);
  if (!frozen || !ports.store.isTrusted(project, frozen.frozen.fingerprint)) return SILENCE;
  if (isSwitchedOff(event, project, ports)) return SILENCE;
  if (event.name === 'PreToolUse' || event.name === 'PermissionRequest')
    return toolInSession(event, frozen, ports);
  switch (event.name) {
    case 'SessionStart':
      return withMessages(tellNotes(event, frozen, ports), await begin(event, frozen, ports));
    case 'Stop':
      return standingStop(event, frozen, ports);
    case 'SubagentStart':
      return briefAgent(event, frozen);
    case 'SubagentStop':
    case 'TaskCreated':
    case 'TaskCompleted':
    case 'TeammateIdle':
      return standingGuard(event, frozen, ports);
    case 'UserPromptSubmit':
      return promptInSession(
        event,
        frozen,
        (names, state) => judgeStanding(names, event, state, frozen, ports),
        ports,
      );
    default:
      return SILENCE;
  }
}

/**
 * Taking the contract away is how a person switches off what it says, for the sessions that begin from then on. A session
 * that began under it may have taken it away itself.
 */
function isSwitchedOff({ session }: HookEvent, project: string, ports: SessionPorts): boolean {
  return !ports.guard.hasContract(project) && ports.standing.read(session).baseTree === undefined;
}

function tellNotes(
  event: SessionStartEvent,
  { frozen, contract }: FrozenContract,
  ports: SessionPorts,
): Answer {
  const { context, problems } = memoryFor(frozen.project, contract, event.source, ports.notes.files);
  if (context !== undefined) return { kind: 'inject', context };
  return problems.length > 0 ? { kind: 'tell', message: problems.join('\n') } : SILENCE;
}

/**
 * The tree that the session found: what is the same at its end was not its doing, and needs no judging. One that is
 * resumed began earlier: what it left then is still its work, though nobody is held for it again.
 */
async function begin(
  event: SessionStartEvent,
  frozen: FrozenContract,
  ports: SessionPorts,
): Promise<string[]> {
  if (event.source === 'compact') return [];
  const { project } = frozen.frozen;
  try {
    const tree = await (await ports.judges(frozen.contract)).workspace(project).tree();
    const before = event.source === 'resume' ? ports.standing.read(event.session).baseTree : undefined;
    const state = { blocks: 0, guarded: {}, baseTree: before ?? tree, settledTree: tree };
    ports.standing.write(event.session, state);
    return [];
  } catch (error) {
    // Whatever keeps it from being written down: what the session has to know is still said.
    const { code, message } = error as NodeJS.ErrnoException;
    return code === undefined ? [] : toldOnce(event, message, ports.standing.outputDir(project), ports);
  }
}

async function standingStop(event: StopEvent, frozen: FrozenContract, ports: SessionPorts): Promise<Answer> {
  const rule = frozen.contract.everyStop;
  if (!rule) return SILENCE;
  const before = ports.standing.read(event.session);
  const samePrompt = before.promptId === event.promptId;
  const state: StandingState = {
    ...before,
    blocks: samePrompt ? before.blocks : 0,
    ...(event.promptId === undefined ? {} : { promptId: event.promptId }),
  };
  const keep = (after: StandingState) => keepStanding(event, after, frozen.frozen.project, ports);
  const judges = await ports.judges(frozen.contract);
  const tree = await judges.workspace(frozen.frozen.project).tree();
  if (tree === state.settledTree) return SILENCE;
  const { verdicts, tree: judged = tree } = await judgeStanding(rule.gates, event, state, frozen, ports);
  const letGoBy = verdicts.find((v) => v.letGo)?.letGo;
  if (letGoBy !== undefined) {
    keep({ ...state, settledTree: judged });
    return { kind: 'halt', message: `untildone: let go: ${letGoBy}` };
  }
  const failing = verdicts.filter(blocks);
  const left = rule.blocks - state.blocks;
  if (failing.length > 0 && left > 0) {
    const { written, messages } = keep({ ...state, blocks: state.blocks + 1 });
    if (written || standsUncounted(event, `stop ${event.promptId ?? ''}`, left, ports))
      return withMessages({ kind: 'refuse', reason: standingReason(verdicts, 'before you stop') }, messages);
    return withMessages({ kind: 'tell', message: letGo(failing, rule.blocks) }, messages);
  }
  const { messages } = keep({ ...state, settledTree: judged });
  if (failing.length > 0)
    return withMessages({ kind: 'tell', message: letGo(failing, state.blocks) }, messages);
  return withMessages(unjudged(verdicts), messages);
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

async function standingGuard(event: HookEvent, frozen: FrozenContract, ports: SessionPorts): Promise<Answer> {
  const names = planGates(event, frozen.contract).map((call) => call.name);
  if (names.length === 0) return SILENCE;
  const state = ports.standing.read(event.session);
  const subject = guardedSubject(event);
  const own =
    event.name === 'SubagentStop'
      ? await workOfAgent(event, frozen, ports.standing.outputDir(frozen.frozen.project), undefined, ports)
      : undefined;
  const { verdicts: found } = await judgeStanding(names, event, state, frozen, ports, own);
  const verdicts = own ? own.explained(found) : found;
  const left = GUARDED_BLOCKS - (state.guarded[subject] ?? 0);
  const refused = verdicts.some(blocks) && left > 0;
  const guarded = guardedAfter(state.guarded, { subject, refused, verdicts });
  const isNews = refused || subject in state.guarded;
  const { written, messages } = isNews
    ? keepStanding(event, { ...state, guarded }, frozen.frozen.project, ports)
    : KEPT;
  const holds = refused && (written || standsUncounted(event, subject, left, ports));
  return withMessages(holds ? { kind: 'refuse', reason: guardReason(event, verdicts) } : SILENCE, messages);
}

async function judgeStanding(
  names: readonly string[],
  event: HookEvent,
  state: StandingState,
  frozen: FrozenContract,
  ports: SessionPorts,
  own?: OwnWork,
): Promise<Judged> {
  const { project } = frozen.frozen;
  const planned = callsFor(names, frozen.contract);
  return judge(
    {
      calls: own?.calls(planned) ?? planned,
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
      ...own?.work,
    },
    await ports.judges(frozen.contract),
  );
}
