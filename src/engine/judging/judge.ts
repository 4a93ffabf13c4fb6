import { runsInCleanRoom, takesFound } from '../core/contract/clean-room.ts';
import { secretsOf } from '../core/contract/secret-values.ts';
import { specsOf } from '../core/loop/plan-gates.ts';
import type { Took, Verdict } from '../core/loop/verdict.ts';
import { LONGEST_TIMER_MS } from '../core/text/duration.ts';
import { redact } from '../core/text/redact.ts';
import type { GateContext, Judges } from '../gates/gate.ts';
import type { Judged, JudgingRequest } from '../ports/judging.ts';
import type { Workspace } from '../ports/ports.ts';
import { evaluateGates } from './evaluate-gates.ts';
import { sharedRoom } from './shared-room.ts';
import { cached, driftOf, keep, unchangedInputs, withFlakiness } from './verdict-reuse.ts';
import { asGateWants, shellFor, withoutWalls } from './walls.ts';

const ROUNDS = 2;

/**
 * Judges the work as it is, within the time that all gates have together. When the tree changes meanwhile, it is judged
 * once more: a command that writes files has written them by then. When it changes again, the gates that passed are
 * unproven.
 */
export async function judge(request: JudgingRequest, judges: Judges): Promise<Judged> {
  // Gates that only look at the event need no tree, no timer and no signal.
  if (request.calls.every(({ spec }) => judges.gates[spec.kind]?.instant)) {
    const { verdicts } = await judgeTree(request, judges);
    return { verdicts };
  }
  const workspace = request.worktree?.workspace ?? judges.workspace(request.frozen.project);
  const time = startTimer(request);
  try {
    let tree = await treeOf(workspace);
    for (let left = ROUNDS; ; left--) {
      const { verdicts, took } = await judgeTree(request, judges, { workspace, tree, over: time.over });
      const after = tree === undefined ? undefined : await treeOf(workspace);
      if (after === tree) {
        keep(request, verdicts, tree, judges);
        return { verdicts, tree, took };
      }
      if (await isOthersWork(request, workspace, tree, after)) return { verdicts, took };
      const isLast = left === 1 || after === undefined || time.over.aborted;
      if (isLast) {
        const paths = await changedPaths(workspace, tree, after);
        return { verdicts: verdicts.map((verdict) => unprovenByChange(verdict, paths)), tree: after, took };
      }
      tree = after;
    }
  } finally {
    time.stop();
  }
}

/** You wait for your prompt to be sent, and Claude Code waits no longer than a minute. */
const PROMPT_MS = 50_000;

/** `over` aborts when the time of all gates together is over, and when whoever asked ends the judging. */
function startTimer({ frozen, event, signal }: JudgingRequest): { over: AbortSignal; stop(): void } {
  const limit = event?.name === 'UserPromptSubmit' ? PROMPT_MS : LONGEST_TIMER_MS;
  const over = new AbortController();
  const end = () => over.abort();
  const timer = setTimeout(end, Math.min(frozen.judgeMs, limit));
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  return {
    over: over.signal,
    stop() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    },
  };
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

async function treeOf(workspace: Workspace): Promise<string | undefined> {
  try {
    return await workspace.tree();
  } catch {
    // Without git, or with an unreadable file, gates still judge, but no verdict can be reused.
    return undefined;
  }
}

/** The files that are judged, and when their judging has to end; absent for gates that only look at the event. */
interface JudgedFiles {
  workspace?: Workspace;
  tree?: string | undefined;
  over?: AbortSignal;
}

/** Judges one tree: what is known already is not judged again, commands share a clean room, and no secret is said. */
async function judgeTree(
  request: JudgingRequest,
  judges: Judges,
  { workspace, tree, over }: JudgedFiles = {},
): Promise<{ verdicts: Verdict[]; took: Record<string, Took> }> {
  const { contract, frozen } = request;
  const took = new Map<string, Took>();
  const specs = specsOf(request.calls);
  const drift = driftOf(request, judges, specs);
  const refused = withoutWalls(request, judges, specs);
  const unchanged = await unchangedInputs(request, judges, specs, { workspace, tree });
  const rooms = () => judges.rooms({ contract, frozen }, request.worktree?.of ?? frozen.project);
  const room = sharedRoom(rooms, { tree, base: request.base.tree, over });
  const verdicts = await evaluateGates(request.calls, {
    gates: judges.gates,
    contextFor: (name): GateContext => {
      const spec = specs.get(name);
      const isClean = spec && runsInCleanRoom(contract, spec);
      return {
        name,
        request,
        judges,
        get workspace() {
          if (!workspace) throw new Error('a gate of this kind needs no workspace');
          return workspace;
        },
        tree,
        shell: shellFor(spec, request, judges),
        place: async () =>
          asGateWants(spec, isClean ? await room.placeFor(name) : judges.inPlace(frozen.project, contract)),
        rooms: tree === undefined ? undefined : rooms(),
      };
    },
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
  const closed = await room.close(verdicts);
  const clean = withoutSecrets(takesFound(contract) ? closed.map(asFound) : closed, secretsOf(contract));
  return {
    verdicts: withFlakiness(clean, request, judges, tree),
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
