/** Starts processes of untildone, as Claude Code starts its command hooks. */
import type { EngineInterface } from 'claude-code';
import type { Ended } from './answer';

/** What Claude Code sets for its command hooks. Its process id comes from the shell: it is the parent. */
export async function environment($: EngineInterface): Promise<Record<string, string>> {
  return {
    CLAUDECODE: '1',
    CLAUDE_CODE_SESSION_ID: await $.session.id(),
    CLAUDE_PROJECT_DIR: await $.session.root(),
    CLAUDE_PLUGIN_ROOT: $.plugin.root,
  };
}

export interface ProcessInput {
  readonly input?: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** Ends the process after so many milliseconds, and throws. */
  readonly limitMs?: number;
}

const PID = 'CLAUDE_PID=$PPID; export CLAUDE_PID;';

/** Runs the program of the plugin. */
export function program($: EngineInterface, words: readonly string[], input: ProcessInput): Promise<Ended> {
  return shell($, `${PID} exec sh "$0/bin/untildone" "$@"`, words, input);
}

/** Runs the hook of untildone for an event. */
export function hook($: EngineInterface, event: string, input: ProcessInput): Promise<Ended> {
  return shell($, `${PID} untildone=$1; . "$0/hooks/hook.sh"`, [event], input);
}

/** Runs a fixed script; what varies are its arguments. `$.process.run` would end it after ten minutes at most. */
async function shell(
  $: EngineInterface,
  script: string,
  words: readonly string[],
  { input, env, cwd, limitMs = 600_000 }: ProcessInput,
): Promise<Ended> {
  const child = $.process.spawn({
    argv: ['/bin/sh', '-c', script, $.plugin.root, ...words],
    cwd,
    env,
    input,
  });
  let isLate = false;
  const limit = $.clock.after(limitMs, () => {
    isLate = true;
    void child.return({ code: null, signal: null });
  });
  const written = { stdout: '', stderr: '' };
  let piece = await child.next();
  for (; !piece.done; piece = await child.next()) written[piece.value.stream] += piece.value.text;
  limit.cancel();
  if (isLate) throw new Error(`it took more than ${limitMs / 1000} s`);
  return { ...written, code: piece.value?.code ?? null };
}
