import { type SpawnSyncOptionsWithStringEncoding, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { copyOfEndFile, homeAt } from '../src/engine/home/layout.ts';
import { FileStore } from '../src/engine/home/store.ts';
import { writeTranscript } from './transcript.ts';

export const CLI = resolve('dist/untildone.cjs');
/** The arguments that make Node the hook, as `hook.sh` gives them. */
export const HOOK = [CLI, 'hook'];

/** A scratch home and project in which hooks are called as the client calls them. */
export interface HookScene {
  /** The Node that runs the program and its hooks. */
  node: string;
  root: string;
  untildoneHome: string;
  /**
   * Starts a loop in a session that has written so much of a transcript. `unread`: the transcript came after the loop,
   * and every Stop is the loop's first.
   */
  startLoop(transcriptBytes: number, options?: { unread?: boolean }): BenchLoop;
  /** What a hook of this session finds in its environment. */
  environment(session: string): Record<string, string>;
  close(): void;
}

/** A loop that is never done: every Stop is blocked, and no limit ends it. */
export interface BenchLoop {
  session: string;
  /** Runs a command with the next Stop of this session on stdin, and returns how many milliseconds it took. */
  stop(command: string, args: readonly string[], env?: Record<string, string>): number;
  /** The same with a tool call that is about to begin, which nothing forbids. */
  tool(command: string, args: readonly string[], env?: Record<string, string>): number;
  /** A Stop on stdin for a command that is no hook. */
  compare(command: string, args: readonly string[]): number;
}

export function openHookScene(node = process.execPath): HookScene {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-bench-')));
  const [home, project, untildoneHome] = [join(root, 'home'), join(root, 'project'), join(root, 'untildone')];
  const transcripts = join(home, '.claude', 'projects', 'project');
  mkdirSync(project);
  mkdirSync(transcripts, { recursive: true });

  const environment = (session: string): Record<string, string> => ({
    PATH: process.env.PATH ?? '',
    HOME: home,
    UNTILDONE_HOME: untildoneHome,
    CLAUDE_PROJECT_DIR: project,
    CLAUDE_CODE_SESSION_ID: session,
    CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0',
  });
  return {
    node,
    root,
    untildoneHome,
    environment,
    startLoop: (transcriptBytes, { unread = false } = {}) => {
      const session = randomUUID();
      const transcript = join(transcripts, `${session}.jsonl`);
      if (!unread) writeTranscript(transcript, transcriptBytes);
      begin(node, project, environment(session));
      if (!unread) return benchLoop(session, transcript, project, environment(session));
      writeTranscript(transcript, transcriptBytes);
      return rewound(benchLoop(session, transcript, project, environment(session)), untildoneHome);
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

function begin(node: string, project: string, env: Record<string, string>): void {
  const limits = ['--max-iterations', 'unlimited', '--max-duration', 'unlimited'];
  run(node, [CLI, 'start', 'Build the thing', ...limits], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
}

function benchLoop(
  session: string,
  transcript: string,
  project: string,
  env: Record<string, string>,
): BenchLoop {
  let stops = 0;
  const input = () => JSON.stringify(stopEvent(session, transcript, project, ++stops));
  return {
    session,
    stop: (command, args, added = {}) => {
      const options = { cwd: project, env: { ...env, ...added }, input: input(), encoding: 'utf8' } as const;
      const { took, stdout } = run(command, args, options);
      if (!/^\{\s*"decision": ?"block"/.test(stdout)) throw new Error(`the Stop was not blocked: ${stdout}`);
      return took;
    },
    tool: (command, args, added = {}) => {
      const input = JSON.stringify(toolEvent(session, transcript, project));
      const options = { cwd: project, env: { ...env, ...added }, input, encoding: 'utf8' } as const;
      const { took, stdout } = run(command, args, options);
      if (stdout !== '') throw new Error(`the tool call was not let through: ${stdout}`);
      return took;
    },
    compare: (command, args) =>
      run(command, args, { cwd: project, env, input: input(), encoding: 'utf8' }).took,
  };
}

/** The same loop, with its journal put back after every Stop. */
function rewound(loop: BenchLoop, untildoneHome: string): BenchLoop {
  const rewind = rewinder(loop.session, untildoneHome);
  return {
    ...loop,
    stop: (command, args, env) => {
      const took = loop.stop(command, args, env);
      rewind();
      return took;
    },
  };
}

/** Puts the journal of a session's loop back to what it is now. */
export function rewinder(session: string, untildoneHome: string): () => void {
  const home = homeAt(untildoneHome);
  const store = new FileStore(home, { now: () => Date.now() });
  const ref = store.loopOfSession(session);
  if (!ref) throw new Error('the loop is gone');
  const journal = store.journalFile(ref);
  const copy = copyOfEndFile(home, ref.loop);
  const { size } = statSync(journal);
  return () => {
    truncateSync(journal, size);
    // A copy that is ahead of its journal would put the lines back.
    rmSync(copy, { force: true });
  };
}

/** As the client sends it; the message differs every time, or the loop would be taken for stalled. */
function stopEvent(session: string, transcript: string, project: string, n: number): object {
  return {
    session_id: session,
    transcript_path: transcript,
    cwd: project,
    prompt_id: 'b51ff3a2-8f3e-4b0c-9c53-0a4f1d1f6f10',
    permission_mode: 'acceptEdits',
    effort: { level: 'high' },
    hook_event_name: 'Stop',
    stop_hook_active: n > 1,
    last_assistant_message: `Part ${n} is written and its tests pass. The next part is still to be done.`,
    background_tasks: [],
    session_crons: [],
  };
}

function toolEvent(session: string, transcript: string, project: string): object {
  return {
    session_id: session,
    transcript_path: transcript,
    cwd: project,
    permission_mode: 'acceptEdits',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'npm test -- --run src && git status | head', description: 'Run the tests' },
    tool_use_id: 'toolu_01',
  };
}

export function run(
  command: string,
  args: readonly string[],
  options: SpawnSyncOptionsWithStringEncoding,
): { took: number; stdout: string } {
  const start = performance.now();
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  const took = performance.now() - start;
  if (error) throw error;
  if (status !== 0 || stderr !== '') {
    throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
  }
  return { took, stdout };
}
