import type { AgentLine } from '../core/agents.ts';
import type { Answered } from '../core/approval.ts';
import type { Contract, FrozenContract } from '../core/contract.ts';
import type { Utterance } from '../core/conversation.ts';
import { LONGEST_TIMER_MS } from '../core/duration.ts';
import type { HookEvent } from '../core/event.ts';
import type { GateCall } from '../core/plan-gates.ts';
import type { Receipt } from '../core/receipt.ts';
import type { ToolGuard } from '../core/tool-rules.ts';
import type { Verdict } from '../core/verdict.ts';
import type { GateContext, Gates } from '../gates/gate.ts';
import type {
  AgentPort,
  AgentStory,
  LoopRef,
  Notifier,
  Ports,
  Scratch,
  Shell,
  TaskList,
  VerdictCache,
  Workspace,
  Worktree,
} from '../ports.ts';
import { evaluateGates } from './evaluate-gates.ts';
import type { OwnLoop } from './handle-stop.ts';
import { cached, driftOf, keep, specsOf } from './judged-before.ts';
import type { SessionCare } from './session-care.ts';

/** Everything that judging needs from the world; loaded only when a contract has more than a promise. */
export interface Judges {
  gates: Gates;
  shell: Shell;
  agent: AgentPort;
  tasks: TaskList;
  notifier: Notifier;
  workspace(project: string): Workspace;
  /** Throw-away copies of the project's trees. */
  scratch(project: string): Scratch;
  /** What the commands of a gate resolve to now: package.json scripts, make targets, script files; name to SHA-256. */
  parts(project: string, commands: readonly string[]): Record<string, string>;
  /** SHA-256 of the project's untildone.yaml as it is now. */
  contractFile(project: string): string | undefined;
  /** SHA-256 of a text. */
  digest(text: string): string;
  /** The end of the conversation in a transcript, oldest first; absent: transcripts are not read. */
  conversation?(transcript: string): readonly Utterance[];
  /** What a subagent was asked and did, from its own transcript; absent: such transcripts are not read. */
  agentStory?(transcript: string): Promise<AgentStory | undefined>;
  /** The worktree that a folder lies in, when it is another one of the project's own repository. */
  worktree?(project: string, folder: string): Worktree | undefined;
}

export interface JudgingPorts extends Ports {
  /**
   * The loops of this session that live in foreign state files, and what the person should be told about such files.
   * Quick where there are none. `hasNative`: the session has a loop of our own, too.
   */
  foreign(event: HookEvent, hasNative: boolean): Promise<ForeignLoops>;
  /** Quick for a contract that only asks for a promise. */
  judges(contract: Contract): Promise<Judges>;
  /** Everything but the judging of a Stop. */
  session(): Promise<SessionCare>;
  /** Asks the tool rules of a contract; loaded where there are any. */
  tools(): Promise<ToolGuard>;
  /** Starts a process of its own that drives the loop from here on; absent where one drives it already. */
  spawnRun?(ref: LoopRef): void;
  /** Signs a receipt and keeps it with its loop. */
  saveReceipt(ref: LoopRef, receipt: Receipt): Promise<void>;
}

export interface ForeignLoops {
  loops: OwnLoop[];
  messages: string[];
}

/** One judging of some gates of one contract. */
export interface Work {
  calls: readonly GateCall[];
  frozen: FrozenContract;
  session: string;
  task: string;
  outputDir: string;
  base: { tree?: string; commit?: string };
  allowed: readonly string[];
  /** What a person said to the questions of the loop, and its subagents; absent where there is no loop. */
  answers?: Readonly<Record<string, Answered>>;
  agents?: readonly AgentLine[];
  /** Of a subagent: the only files that are its work, as far as this can be told. */
  onlyPaths?: readonly string[];
  /** Of a subagent in a worktree of its own: `frozen` names the project there, this is the project it was made for. */
  worktree?: { workspace: Workspace; of: string };
  lastMessage?: string;
  transcript?: string;
  /** What is judged for; absent when nothing happened (`verify`, a baseline). */
  event?: HookEvent;
  /** Verdicts of earlier judgings; absent: nothing is re-used, nothing kept. */
  cache?: VerdictCache;
  /** A tool ran since the last judging: a failure may have been mended outside the tree. */
  toolRan: boolean;
}

export interface Judged {
  verdicts: Verdict[];
  /** The tree that was judged; absent when it could not be had or nothing needed it. */
  tree?: string;
}

const ROUNDS = 2;

/**
 * Judges the work as it is. A tree that changes while it is judged proves nothing about either: it is judged once
 * more (a check that writes files has written them by then), and if it changes again, what passed is unproven.
 */
export async function judge(work: Work, judges: Judges): Promise<Judged> {
  // Making a timer and a signal takes longer than judging a promise.
  if (work.calls.every(({ spec }) => judges.gates[spec.kind]?.instant)) {
    return { verdicts: await round(work, judges, undefined, noWorkspace) };
  }
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), timeFor(work));
  try {
    return await judgeInTime(work, judges, time.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** A person waits for their prompt to be sent, and the client for no longer than a minute. */
const PROMPT_MS = 50_000;

function timeFor({ frozen, event }: Work): number {
  const limit = event?.name === 'UserPromptSubmit' ? PROMPT_MS : LONGEST_TIMER_MS;
  return Math.min(frozen.frozen.judgeMs, limit);
}

async function judgeInTime(work: Work, judges: Judges, over: AbortSignal): Promise<Judged> {
  const workspace = work.worktree?.workspace ?? judges.workspace(work.frozen.frozen.project);
  let tree = await treeOf(workspace);
  for (let left = ROUNDS; ; left--) {
    const verdicts = await round(work, judges, tree, () => workspace, over);
    const after = tree === undefined ? undefined : await treeOf(workspace);
    if (after === tree) {
      if (tree !== undefined) keep(work, verdicts, tree, judges);
      return { verdicts, ...(tree === undefined ? {} : { tree }) };
    }
    if (await isOthersWork(work, workspace, tree, after)) return { verdicts };
    // A tree that could be had and now cannot has changed, too.
    if (left === 1 || after === undefined || over.aborted) {
      const paths = await changedPaths(workspace, tree, after);
      return {
        verdicts: verdicts.map((v) => unsettled(v, paths)),
        ...(after === undefined ? {} : { tree: after }),
      };
    }
    tree = after;
  }
}

/** Agents that work beside each other change the tree all the time: what one of them did is as it was. */
async function isOthersWork(
  { onlyPaths }: Work,
  workspace: Workspace,
  from: string | undefined,
  to: string | undefined,
): Promise<boolean> {
  if (onlyPaths === undefined || from === undefined || to === undefined) return false;
  const changes = await workspace.changes(from, to).catch(() => undefined);
  return changes?.every((c) => ![c.path, c.from ?? c.path].some((path) => onlyPaths.includes(path))) ?? false;
}

function noWorkspace(): Workspace {
  throw new Error('a gate of this kind needs no workspace');
}

async function treeOf(workspace: Workspace): Promise<string | undefined> {
  try {
    return await workspace.tree();
  } catch {
    // No git on this machine, an unreadable file: gates still judge, but nothing can be re-used or compared.
    return undefined;
  }
}

async function round(
  work: Work,
  judges: Judges,
  tree: string | undefined,
  workspace: () => Workspace,
  over?: AbortSignal,
): Promise<Verdict[]> {
  const specs = specsOf(work.calls);
  const drift = driftOf(work, judges, specs);
  return evaluateGates(work.calls, {
    gates: judges.gates,
    contextFor: (name) => contextFor(name, work, judges, tree, workspace),
    standing: (name) => drift.get(name) ?? cached(name, specs.get(name), tree, work, judges),
    ...(over ? { over } : {}),
  });
}

function contextFor(
  name: string,
  work: Work,
  judges: Judges,
  tree: string | undefined,
  workspace: () => Workspace,
): GateContext {
  const { session, task, outputDir, allowed, answers, agents, base, lastMessage, transcript, event } = work;
  const { onlyPaths } = work;
  return {
    name,
    project: work.frozen.frozen.project,
    session,
    task,
    outputDir,
    allowed,
    get workspace() {
      return workspace();
    },
    frozen: work.frozen.frozen.gates[name],
    digest: (text) => judges.digest(text),
    shell: judges.shell,
    agent: judges.agent,
    tasks: judges.tasks,
    scratch: judges.scratch(work.worktree?.of ?? work.frozen.frozen.project),
    ...(answers === undefined ? {} : { answers }),
    ...(agents === undefined ? {} : { agents }),
    ...(onlyPaths === undefined ? {} : { onlyPaths }),
    ...(lastMessage === undefined ? {} : { lastMessage }),
    ...(transcript === undefined
      ? {}
      : { transcript, conversation: async () => judges.conversation?.(transcript) ?? [] }),
    ...(event === undefined ? {} : { event }),
    ...(base.tree === undefined ? {} : { baseTree: base.tree }),
    ...(base.commit === undefined ? {} : { baseCommit: base.commit }),
    ...(tree === undefined ? {} : { tree }),
  };
}

async function changedPaths(
  workspace: Workspace,
  from: string | undefined,
  to: string | undefined,
): Promise<string> {
  if (from === undefined || to === undefined) return 'the tree';
  const changes = await workspace.changes(from, to).catch(() => []);
  const paths = changes.map((c) => c.path);
  return (
    paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '') || 'the tree'
  );
}

function unsettled(verdict: Verdict, paths: string): Verdict {
  if (verdict.outcome !== 'pass' || verdict.class !== 'measured') return verdict;
  return {
    ...verdict,
    outcome: 'unproven',
    summary: `passed, but ${paths} changed while it was judged`,
    evidence: [
      'Let nothing write into the project while it is checked; files that checks write belong into .gitignore.',
    ],
  };
}
