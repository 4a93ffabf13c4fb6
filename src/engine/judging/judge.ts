import { runsInCleanRoom, takesFound } from '../core/contract/clean-room.ts';
import { secretsOf } from '../core/contract/secret-values.ts';
import type { Took, Verdict } from '../core/loop/verdict.ts';
import { LONGEST_TIMER_MS } from '../core/text/duration.ts';
import { redact } from '../core/text/redact.ts';
import type { GateContext } from '../gates/gate.ts';
import type { Judged, JudgingRequest } from '../ports/judging.ts';
import type { Workspace } from '../ports/ports.ts';
import { evaluateGates } from './evaluate-gates.ts';
import type { Judges } from './ports.ts';
import { sharedRoom } from './shared-room.ts';
import { cached, driftOf, keep, specsOf, unchangedInputs, withFlakiness } from './verdict-reuse.ts';
import { asGateWants, shellFor, withoutWalls } from './walls.ts';

const ROUNDS = 2;

/**
 * Judges the work as it is. When the tree changes meanwhile, it is judged once more: a command that writes files has
 * written them by then. When it changes again, the gates that passed are unproven.
 */
export async function judge(request: JudgingRequest, judges: Judges): Promise<Judged> {
  // Gates that only look at the event need no tree, no timer and no signal.
  if (request.calls.every(({ spec }) => judges.gates[spec.kind]?.instant)) {
    const { verdicts } = await round(request, judges, undefined, noWorkspace);
    return { verdicts };
  }
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), timeFor(request));
  const { signal } = request;
  const end = () => time.abort();
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  try {
    return await judgeInTime(request, judges, time.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/** You wait for your prompt to be sent, and Claude Code waits no longer than a minute. */
const PROMPT_MS = 50_000;

function timeFor({ frozen, event }: JudgingRequest): number {
  const limit = event?.name === 'UserPromptSubmit' ? PROMPT_MS : LONGEST_TIMER_MS;
  return Math.min(frozen.frozen.judgeMs, limit);
}

async function judgeInTime(request: JudgingRequest, judges: Judges, over: AbortSignal): Promise<Judged> {
  const workspace = request.worktree?.workspace ?? judges.workspace(request.frozen.frozen.project);
  let tree = await treeOf(workspace);
  for (let left = ROUNDS; ; left--) {
    const { verdicts, took } = await round(request, judges, tree, () => workspace, over);
    const after = tree === undefined ? undefined : await treeOf(workspace);
    if (after === tree) {
      keep(request, verdicts, tree, judges);
      return { verdicts, tree, took };
    }
    if (await isOthersWork(request, workspace, tree, after)) return { verdicts, took };
    const isLast = left === 1 || after === undefined || over.aborted;
    if (isLast) {
      const paths = await changedPaths(workspace, tree, after);
      return { verdicts: verdicts.map((verdict) => unprovenByChange(verdict, paths)), tree: after, took };
    }
    tree = after;
  }
}

/** Whether only files of other agents changed. Agents that work side by side change the tree all the time. */
async function isOthersWork(
  { onlyPaths }: JudgingRequest,
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
    // Without git, or with an unreadable file, gates still judge, but no verdict can be reused.
    return undefined;
  }
}

async function round(
  request: JudgingRequest,
  judges: Judges,
  tree: string | undefined,
  workspace: () => Workspace,
  over?: AbortSignal,
): Promise<{ verdicts: Verdict[]; took: Record<string, Took> }> {
  const took = new Map<string, Took>();
  const specs = specsOf(request.calls);
  const drift = driftOf(request, judges, specs);
  const refused = withoutWalls(request, judges, specs);
  const unchanged = await unchangedInputs(request, judges, specs, tree, workspace);
  const { contract, frozen } = request.frozen;
  const rooms = () => judges.rooms(request.frozen, request.worktree?.of ?? frozen.project);
  const room = sharedRoom(rooms, { tree, base: request.base.tree, over });
  const placeFor = async (name: string) => {
    const spec = specs.get(name);
    const isClean = spec && runsInCleanRoom(contract, spec);
    return asGateWants(spec, isClean ? await room.placeFor(name) : judges.inPlace(frozen.project, contract));
  };
  const verdicts = await evaluateGates(request.calls, {
    gates: judges.gates,
    contextFor: (name) =>
      Object.assign(contextFor(name, request, judges, tree, workspace), {
        shell: shellFor(specs.get(name), request, judges),
        place: () => placeFor(name),
        rooms: tree === undefined ? undefined : rooms(),
      }),
    knownVerdict: (name) =>
      drift.get(name) ??
      refused.get(name) ??
      cached(name, specs.get(name), tree, request, judges) ??
      unchanged.get(name),
    over,
    // A gate with a quick form is judged twice.
    took: (name, { at, ms }) => {
      const before = took.get(name);
      took.set(name, { at: before?.at ?? at, ms: (before?.ms ?? 0) + ms });
    },
    unpaid: request.unpaid,
  }).catch(async (error: Error) => {
    await room.close([]);
    throw error;
  });
  const closed = takesFound(contract) ? (await room.close(verdicts)).map(asFound) : await room.close(verdicts);
  return {
    verdicts: withFlakiness(
      withoutSecrets(closed, secretsOf(contract)),
      request,
      judges,
      tree,
    ),
    took: Object.fromEntries(took),
  };
}

/** Says of verdicts from clean rooms that the dependencies there are those that lay in the project. */
function asFound(verdict: Verdict): Verdict {
  const { proof, children } = verdict;
  return {
    ...verdict,
    ...(proof?.room === 'clean' ? { proof: { ...proof, dependencies: 'as_found' } } : {}),
    ...(children ? { children: children.map(asFound) } : {}),
  };
}

/** What is not words: names by which verdicts are found again. */
const NAMES = new Set(['gate', 'kind', 'class', 'outcome', 'outputFile', 'reusedFrom']);

/** Verdicts reach agents, journals, receipts, pages and telemetry: no text in them holds a secret, commands and fingerprints included. */
function withoutSecrets<Value>(value: Value, secrets: readonly string[]): Value {
  if (typeof value === 'string') return redact(value, secrets) as Value;
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, secrets)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const inside = Object.entries(value).map(([name, inner]) => [
    name,
    NAMES.has(name) ? inner : withoutSecrets(inner, secrets),
  ]);
  return Object.fromEntries(inside) as Value;
}

function contextFor(
  name: string,
  request: JudgingRequest,
  judges: Judges,
  tree: string | undefined,
  workspace: () => Workspace,
): Omit<GateContext, 'place' | 'shell'> {
  const { session, task, outputDir, allowed, answers, agents, base, lastMessage, transcript, event } =
    request;
  const { onlyPaths } = request;
  return {
    name,
    project: request.frozen.frozen.project,
    session,
    task,
    outputDir,
    allowed,
    get workspace() {
      return workspace();
    },
    frozen: request.frozen.frozen.gates[name],
    digest: (text) => judges.digest(text),
    source: judges.source,
    agent: judges.agent,
    tasks: judges.tasks,
    kept: judges.kept?.(outputDir, request.frozen.frozen.fingerprint),
    measured: judges.measured?.(request.frozen.frozen.project, request.frozen.frozen.fingerprint),
    hasDifferential: hasDifferential(request),
    holdout: judges.holdout?.(request.worktree?.of ?? request.frozen.frozen.project),
    scratch: judges.scratch(request.worktree?.of ?? request.frozen.frozen.project),
    answers,
    agents,
    loop: request.loop,
    toolCalls: judges.toolCalls,
    onlyPaths,
    lastMessage,
    ...(transcript === undefined
      ? {}
      : { transcript, conversation: async () => judges.conversation?.(transcript) ?? [] }),
    event,
    baseTree: base.tree,
    baseCommit: base.commit,
    tree,
  };
}

function hasDifferential({ calls }: JudgingRequest): boolean {
  return [...specsOf(calls).values()].some(
    (spec) => spec.kind === 'differential' && (spec.options.checks ?? ['old_tests']).includes('old_tests'),
  );
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

function unprovenByChange(verdict: Verdict, paths: string): Verdict {
  if (verdict.outcome !== 'pass' || verdict.class !== 'measured') return verdict;
  return {
    ...verdict,
    outcome: 'unproven',
    summary: `passed, but ${paths} changed while it was judged`,
    evidence: [
      'Let nothing write into the project while gates are judged. Add files that your checks write to .gitignore.',
    ],
  };
}
