import { homeRoot } from '../home/layout.ts';
import { thisProgram } from '../home/program.ts';
import { refreshScripts } from '../home/scripts.ts';
import { answerEvent } from '../hook/answer-event.ts';
import { isStillReading } from '../hook/read-input.ts';

/**
 * Ends the process at once: all output is written by then. `hook.sh` asks for a status of its own, by which it tells a hook
 * that has answered from a program that only came to its end. After an upgrade the scripts in the home are those of an older
 * version: the hook that they started brings them up to date, once it has answered.
 */
void answerEvent().then(() => {
  refreshScripts(homeRoot(process.env), thisProgram());
  // The end of Node would wait for a read of stdin that does not end.
  if (isStillReading()) process.kill(process.pid, 'SIGKILL');
  process.exit(process.exitCode || Number(process.env.UNTILDONE_ANSWERED) || 0);
});
