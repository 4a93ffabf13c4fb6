import { runsInCleanRoom, takesFound } from '../core/contract/clean-room.ts';
import type { GateSpec } from '../core/contract/contract.ts';
import { secretsOf } from '../core/contract/secret-values.ts';
import { specsOf } from '../core/loop/plan-gates.ts';
import type { Took, Verdict } from '../core/loop/verdict.ts';
import { LONGEST_TIMER_MS } from '../core/text/duration.ts';
import { redact } from '../core/text/redact.ts';
import type { GateContext, Judges } from '../gates/gate.ts';
import type { Judged, JudgingRequest } from '../ports/judging.ts';
import type { Workspace } from '../ports/ports.ts';
import { evaluateGates } from './evaluate-gates.ts';
import { gateRooms } from './gate-rooms.ts';
import { GateTurns } from './gate-turns.ts';
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
function startTimer(request: JudgingRequest): { over: AbortSignal; stop(): void } {
  const { signal } = request;
  const over = new AbortController();
  const end = () => over.abort();
  const timer = setTimeout(end, timeFor(request));
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

function timeFor({ frozen, event }: JudgingRequest): number {
  return Math.min(frozen.judgeMs, event?.name === 'UserPromptSubmit' ? PROMPT_MS : LONGEST_TIMER_MS);
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

/** Judges one tree: what is known already is not judged again, each command has a clean room of its own, and no secret is said. */
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
  const own = gateRooms(rooms, { tree, base: request.base.tree, over, specs });
  const isClean = (spec: GateSpec | undefined) => spec !== undefined && runsInCleanRoom(contract, spec);
  const turns = new GateTurns((name) => !isClean(specs.get(name)) && isQuick(name, request, judges));
  const secrets = secretsOf(contract);
  const verdicts = await evaluateGates(request.calls, {
    gates: judges.gates,
    contextFor: (name, clock): GateContext => {
      const spec = specs.get(name);
      const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
        const wait = () => turns.take(name).then(work);
        return clock ? clock.stoppedDuring(wait) : wait();
      };
      const all = tree === undefined ? undefined : rooms();
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
        place: () =>
          inTurn(async () => {
            const place = isClean(spec) ? await own.placeFor(name) : judges.inPlace(frozen.project, contract);
            request.progress?.runs(name);
            return asGateWants(spec, place);
          }),
        rooms: all && {
          ...all,
          open: (order) =>
            inTurn(async () => {
              const room = await own.open(order);
              request.progress?.runs(name);
              return room;
            }),
        },
      };
    },
    leave: async (name, judgement) => {
      const left = await own.leave(name, judgement);
      turns.end(name);
      return left;
    },
    knownVerdict: (name) =>
      drift.get(name) ??
      refused.get(name) ??
      request.served?.get(name) ??
      cached(name, specs.get(name), tree, request, judges) ??
      unchanged.get(name),
    judged: (verdict) => request.progress?.judged(withoutSecrets(verdict, secrets)),
    over,
    overMs: timeFor(request),
    // A gate with a quick form is judged twice.
    took: (name, { at, ms }) => {
      const before = took.get(name);
      took.set(name, { at: before?.at ?? at, ms: (before?.ms ?? 0) + ms });
    },
    unpaid: request.unpaid,
  }).finally(() => own.close());
  const said = takesFound(contract) ? verdicts.map(asFound) : verdicts;
  return {
    verdicts: withFlakiness(withoutSecrets(said, secrets), request, judges, tree),
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

const QUICK_MS = 5_000;
const CORES_FOR_TWO = 4;

/** Whether a gate was quick the last time, and there are cores for more than one. */
function isQuick(name: string, { cache }: JudgingRequest, { cores = 1 }: Judges): boolean {
  const before = cache?.last(name)?.verdict.proof?.durationMs;
  return cores >= CORES_FOR_TWO && before !== undefined && before < QUICK_MS;
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
