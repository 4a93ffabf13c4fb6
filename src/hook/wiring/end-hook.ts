import { homeRoot } from '../../home/layout.ts';
import { thisProgram } from '../../home/program.ts';
import { refreshScripts } from '../../home/scripts.ts';

/**
 * Ends the process at once: all output is written by then. `hook.sh` asks for a status of its own, by which it tells a hook
 * that has answered from a program that only came to its end. After an upgrade the scripts in the home are those of an older
 * version: the hook that they started brings them up to date, once it has answered.
 */
export function endHook(): never {
  refreshScripts(homeRoot(process.env), thisProgram());
  process.exit(process.exitCode || Number(process.env.UNTILDONE_ANSWERED) || 0);
}
