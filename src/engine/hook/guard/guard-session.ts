import { type Answer, type ConfigChangeEvent, SILENCE, type ToolEvent } from '../../core/loop/event.ts';
import { oneLine } from '../../core/text/clip.ts';
import { personOnlyCommand } from '../../core/tools/person-only-commands.ts';
import { refusedWrite } from '../../core/tools/protect.ts';
import type { ToolRuling } from '../../core/tools/tool-rules.ts';
import { rulingContract } from '../../judging/freeze-contract.ts';
import type { SessionPorts } from '../../judging/ports.ts';
import type { GuardedSession } from '../../ports/guarded-session.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';
import { withMessages } from '../stop/answers.ts';
import { sessionWithLoop } from './guarded-session.ts';
import { answerRuling, rulingOn } from './tool-rules.ts';

/** Texts from outside are cut short in the journal. */
const WORD_LIMIT = 200;

/** Refuses a tool call that would change the definition of done, or that a rule of the contract forbids. */
export async function guardTool(
  event: ToolEvent,
  session: GuardedSession,
  ports: SessionPorts,
): Promise<Answer> {
  const refusal = refusalOf(event, session, ports);
  const ruling: ToolRuling = refusal ? { kind: 'refuse', ...refusal } : await rulingOn(event, session, ports);
  return answerRuling(event, ruling, session);
}

/** Answers a permission question by the rules of the contract, or for the loop's own files. Otherwise Claude Code asks. */
export async function guardPermission(
  event: ToolEvent,
  loop: SessionLoop,
  session: GuardedSession,
  ports: SessionPorts,
): Promise<Answer> {
  const ruled = await rulingOn(event, session, ports);
  const ruling = ruled.kind === 'none' ? await rulingOnOwnFile(event, loop, ports) : ruled;
  return answerRuling(event, ruling, session);
}

function refusalOf(
  event: ToolEvent,
  session: GuardedSession,
  ports: SessionPorts,
): { why: string; reason: string } | undefined {
  const command = event.tool === 'Bash' ? event.input.command : undefined;
  const forPeople = typeof command === 'string' ? personOnlyCommand(command) : undefined;
  if (forPeople) {
    const reason = `untildone: "untildone ${forPeople}" is for the person who started this. Go on with the task.`;
    return { why: `untildone ${forPeople}`, reason };
  }
  const { project } = session.contract.frozen;
  const cwd = event.cwd ?? project;
  const reason = refusedWrite(event.tool, event.input, ports.guard.protectedPaths(project), (path) =>
    ports.guard.resolve(cwd, path),
  );
  return reason ? { why: 'a protected path', reason } : undefined;
}

/** Refuses a change of settings that would switch the hooks off. Claude Code then does not use the change. */
export function guardSettings(
  event: ConfigChangeEvent,
  session: GuardedSession,
  ports: SessionPorts,
): Answer {
  const problem = ports.guard.settingsProblem(session.contract.frozen.project);
  const messages = session.note({
    source: oneLine(event.source, WORD_LIMIT),
    ...(problem ? { refused: problem } : {}),
  });
  if (!problem) return withMessages(SILENCE, messages);
  const reason = `untildone: ${problem}. A loop is active, so the change does not take effect.`;
  return withMessages({ kind: 'refuse', reason }, messages);
}

const NOTHING: ToolRuling = { kind: 'none' };
const WRITING_TOOLS = ['Edit', 'Write', 'MultiEdit'];

/**
 * Permits the agent to write the files its loop lives in. Claude Code asks the user before any file in `.claude` changes,
 * whatever its rules allow. Where no user is there, a loop with its list in that folder could never be done.
 */
async function rulingOnOwnFile(
  event: ToolEvent,
  loop: SessionLoop,
  ports: SessionPorts,
): Promise<ToolRuling> {
  const { ref, state, format } = loop;
  // In plan mode nothing is changed, and a paused loop asks for nothing.
  if (event.permissionMode === 'plan' || state.status !== 'active') return NOTHING;
  const { project } = ports.store.contract(ref).frozen;
  const path = writtenPath(event, project, ports);
  if (path === undefined) return NOTHING;
  const isOwn = format ? format.agentWrites(path) : isListOf(loop, path, ports);
  if (!isOwn || (await isDeniedElsewhere(event, loop, ports))) return NOTHING;
  return { kind: 'permit', rule: 'a file that this loop is kept in' };
}

/** The real path that a tool writes. Paths that only a shell would expand are none. */
function writtenPath({ tool, input, cwd }: ToolEvent, project: string, ports: SessionPorts) {
  const { file_path: path } = input;
  if (!WRITING_TOOLS.includes(tool) || typeof path !== 'string' || /^[~$]|^$/.test(path)) return undefined;
  return ports.guard.resolve(cwd ?? project, path);
}

/** A contract can name any file as its feature list. Only a file of this name is certainly nothing else. */
const LIST_NAME = 'feature_list.json';

/**
 * Whether a path is the feature list of a run. Only users start runs. The agent can start a loop in its session, and must
 * not gain access to a file by naming it. A list that is a link, or lies outside of the project, does not count.
 */
function isListOf({ ref, state }: SessionLoop, path: string, ports: SessionPorts): boolean {
  const ruling = state.run ? rulingContract(ref, state, ports) : undefined;
  if (!ruling) return false;
  const { project } = ruling.frozen;
  const root = ports.guard.resolve(project, '.');
  return Object.values(ruling.contract.gates).some((spec) => {
    if (spec.kind !== 'features') return false;
    const { file } = spec.options;
    const slash = file.lastIndexOf('/');
    if (file.slice(slash + 1) !== LIST_NAME) return false;
    const folder = ports.guard.resolve(project, slash < 0 ? '.' : file.slice(0, slash) || '/');
    return path === `${folder}/${LIST_NAME}` && path.startsWith(`${root}/`);
  });
}

/** Whether the session's other loop forbids the call: its tool rules count for a loop in foreign files, too. */
async function isDeniedElsewhere(
  event: ToolEvent,
  { ref }: SessionLoop,
  ports: SessionPorts,
): Promise<boolean> {
  const native = ports.store.loopOfSession(event.session);
  if (!native || native.loop === ref.loop) return false;
  const session = sessionWithLoop(event, { ref: native, state: ports.store.read(native) }, ports);
  return (await rulingOn(event, session, ports)).kind === 'refuse';
}
