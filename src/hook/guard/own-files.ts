import type { ToolEvent } from '../../core/loop/event.ts';
import type { ToolRuling } from '../../core/tools/tool-rules.ts';
import type { SessionPorts } from '../../judging/ports.ts';
import { rulingContract } from '../../judging/ruling-contract.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';
import { sessionWithLoop } from './guarded-session.ts';
import { rulingOn } from './tool-rules.ts';

const NOTHING: ToolRuling = { kind: 'none' };
const WRITING_TOOLS = ['Edit', 'Write', 'MultiEdit'];

/**
 * The client asks a person before files in `.claude` are changed, whatever its rules allow. Where nobody is there, a loop
 * whose list lies there could never be done: for the files that its agent has to write, and for nothing else, we answer.
 */
export async function rulingOnOwnFile(
  event: ToolEvent,
  loop: SessionLoop,
  ports: SessionPorts,
): Promise<ToolRuling> {
  const { ref, state, format } = loop;
  // Who plans changes nothing, and a paused loop asks for nothing.
  if (event.permissionMode === 'plan' || state.status !== 'active') return NOTHING;
  const { project } = ports.store.contract(ref).frozen;
  const path = writtenPath(event, project, ports);
  if (path === undefined) return NOTHING;
  const isOwn = format ? format.agentWrites(path) : isListOf(loop, path, ports);
  if (!isOwn || (await isDeniedElsewhere(event, loop, ports))) return NOTHING;
  return { kind: 'permit', rule: 'a file that this loop is kept in' };
}

/** Links followed. What a shell would expand is no path for these tools. */
function writtenPath({ tool, input, cwd }: ToolEvent, project: string, ports: SessionPorts) {
  const { file_path: path } = input;
  if (!WRITING_TOOLS.includes(tool) || typeof path !== 'string' || /^[~$]|^$/.test(path)) return undefined;
  return ports.guard.resolve(cwd ?? project, path);
}

/** What a contract calls a feature list could be any file: only one of this name is nothing but a list. */
const LIST_NAME = 'feature_list.json';

/**
 * The feature list that a run works on. Only people start runs; a loop in a session may be started by its agent, which
 * must not let itself into files by naming them. A list that is a link, or lies outside of the project, is none.
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

/** A session may have a loop of our own beside one in foreign files: its rules count for both. */
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
