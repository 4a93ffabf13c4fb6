import type { FrozenContract } from '../core/contract/contract.ts';
import type { StopEvent } from '../core/loop/event.ts';
import { chunksNamedIn } from '../core/loop/phases.ts';
import type { GateCall } from '../core/loop/plan-gates.ts';
import { blocks, type Verdict } from '../core/loop/verdict.ts';
import { isSafeId } from '../core/text/paths.ts';
import type { Judges } from '../gates/gate.ts';
import { traitsOf } from '../gates/traits.ts';
import type { GuardedSession } from '../ports/guarded-session.ts';
import type { JudgingRequest, OwnWork } from '../ports/judging.ts';
import type { SubagentActivity, Worktree } from '../ports/ports.ts';
import type { SessionPorts } from './ports.ts';

/** Finds out which part of the work is that of the subagent that stops. */
export async function workOfAgent(
  event: StopEvent,
  session: GuardedSession,
  ports: Pick<SessionPorts, 'judges' | 'guard'>,
): Promise<OwnWork> {
  const { contract: frozen, outputDir } = session;
  const begun = session.worktreeOf(event.agentId ?? '');
  const judges = await ports.judges(frozen.contract);
  const story = event.agentTranscript ? await judges.subagentActivity?.(event.agentTranscript) : undefined;
  const { project } = frozen.frozen;
  const there = judges.worktree?.(project, begun?.folder ?? event.cwd ?? project);
  const paths = story && projectPaths(story.edited, event, project, there, ports);
  // An agent that moved into a worktree only at its end is judged for the files that it changed outside.
  const changedOutside = !begun && paths !== undefined && paths.length > 0;
  const worktree = changedOutside ? undefined : there;
  const own = worktree
    ? await workThere(worktree, begun?.commit, frozen, judges)
    : { onlyPaths: toldPaths(story, paths) };
  const { onlyPaths, ...place } = own;
  const id = event.agentId ?? '';
  return {
    calls: (planned) => planned.map((call) => onlyNamedChunks(call, story?.prompt)),
    work: {
      ...place,
      onlyPaths,
      // Several agents may stop at the same time, so each has its own folder for outputs.
      outputDir: isSafeId(id) ? `${outputDir}/agents/${id}` : outputDir,
    },
    explained: (verdicts) =>
      worktree || onlyPaths ? [...verdicts] : verdicts.map((verdict) => withReach(verdict, story)),
  };
}

/** The work in the agent's own worktree: everything that changed since the worktree was made. */
async function workThere(
  { project, workspace }: Worktree,
  begunAt: string | undefined,
  { frozen }: FrozenContract,
  judges: Judges,
): Promise<Pick<JudgingRequest, 'frozen' | 'worktree' | 'base'> & { onlyPaths?: undefined }> {
  const of = frozen.project;
  const commit = begunAt ?? (await commonCommit(workspace, of, judges));
  const tree = commit && (await revision(workspace, ['rev-parse', '--verify', '--quiet', `${commit}:./`]));
  return {
    frozen: { ...frozen, project },
    worktree: { workspace, of },
    base: { tree: tree || undefined, commit: commit || undefined },
  };
}

async function commonCommit(
  workspace: Worktree['workspace'],
  of: string,
  judges: Judges,
): Promise<string | undefined> {
  const head = await judges.workspace(of).head();
  return head && revision(workspace, ['merge-base', 'HEAD', head.commit]);
}

async function revision(workspace: Worktree['workspace'], args: string[]): Promise<string | undefined> {
  const { exitCode, stdout } = await workspace.git(args);
  const found = stdout.trim();
  return exitCode === 0 && /^[0-9a-f]{40,64}$/.test(found) ? found : undefined;
}

/** The paths of edited files in the project. Links are resolved; files in the agent's own worktree are left out. */
function projectPaths(
  files: readonly string[],
  event: StopEvent,
  project: string,
  worktree: Worktree | undefined,
  ports: Pick<SessionPorts, 'guard'>,
): string[] {
  const root = `${ports.guard.resolve(project, '.')}/`;
  const inside = files
    .map((file) => ports.guard.resolve(event.cwd ?? project, file))
    .filter((path) => path.startsWith(root) && !(worktree && path.startsWith(`${worktree.top}/`)));
  return [...new Set(inside.map((path) => path.slice(root.length)))];
}

/** The files that the agent changed. Undefined when that is not known: a shell command can change any file unnamed. */
function toldPaths(story: SubagentActivity | undefined, paths: string[] | undefined): string[] | undefined {
  if (!story?.whole || paths === undefined) return undefined;
  return paths.length === 0 && story.others.length > 0 ? undefined : paths;
}

/** Leaves only the chunks that the agent's own task names. */
function onlyNamedChunks(call: GateCall, prompt: string | undefined): GateCall {
  if (call.spec.kind !== 'chunks' || prompt === undefined || !call.children) return call;
  const named = new Set(chunksNamedIn(prompt, call.spec.options.chunks).map(({ name }) => name));
  return { ...call, children: call.children.filter(({ name }) => named.has(name)) };
}

function withReach(verdict: Verdict, story: SubagentActivity | undefined): Verdict {
  if (!blocks(verdict) || !traitsOf(verdict.kind).looksByFile) return verdict;
  const tools = story && story.others.length > 0 ? ` (it used ${story.others.slice(0, 5).join(', ')})` : '';
  const note = `All changes were judged, because it is not known which files this agent changed${tools}.`;
  return { ...verdict, evidence: [...(verdict.evidence ?? []), note] };
}
