import { isSafeId } from '../../core/text/paths.ts';
import type { StateFormat, StatePlace } from '../format.ts';
import { readFolder } from './reading.ts';

/**
 * `~/.ralph/state/<session>/`: files of the VERIFIED_DONE quality gate. Skills and agents write them. untildone only reads
 * them, and writes the log that the format's own hook keeps.
 */
export const verifiedDoneFormat: StateFormat = {
  name: 'verified-done',
  path: stateFolder,
  read(place, files) {
    const folder = stateFolder(place);
    if (folder === undefined || !files.look(folder)) return { kind: 'none' };
    return readFolder(folder, place, files);
  },
  agentWrites(path, place, files) {
    const folder = stateFolder(place);
    if (folder === undefined) return false;
    const inside = `${files.realPath(folder)}/`;
    return path.startsWith(inside) && AGENT_FILES.test(path.slice(inside.length));
  },
};

const AGENT_FILES = /^(?:(?:orchestrator|loop|quality-gate)\.json|tasks\/.+\.json)$/;

/** The state folder of a session; undefined for an id that could lead elsewhere. */
export function stateFolder({
  userHome,
  session,
}: Pick<StatePlace, 'userHome' | 'session'>): string | undefined {
  return isSafeId(session) ? `${userHome}/.ralph/state/${session}` : undefined;
}
