import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { transcriptFiles, withFile } from '../../client/transcript/file.ts';
import { keepsPromise, renderPromise } from '../../core/loop/promise.ts';
import { UsageError } from '../../core/text/errors.ts';
import { isSafeId } from '../../core/text/paths.ts';
import { claudeConfigDir } from '../wiring/project.ts';

export function checkedPromise(text: string, flag = '--promise'): string {
  const promise = text.replace(/\s+/g, ' ').trim();
  if (promise === '')
    throw new UsageError(`the promise is empty; type for example: ${flag} "ALL TESTS PASS"`);
  if (/<\/?promise>/.test(promise))
    throw new UsageError('the promise is the text between the tags; type it without <promise>');
  if (promise.length > 500)
    throw new UsageError('the promise is longer than 500 characters; type a short statement');
  if (!keepsPromise(renderPromise(promise), promise))
    throw new UsageError('this promise could never be kept; type a short statement in plain words');
  return promise;
}

const FLAG = /^--?[A-Za-z][\w-]*(=|$)/;

/** The same arguments with the flags and their values before `--`, and every word of the task behind it. */
export function flagsFirst(
  args: readonly string[],
  withValue: readonly string[],
  mayHaveValue: readonly string[] = [],
): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const flags: string[] = [];
  const words: string[] = [];
  for (let i = 0; i < end; i++) {
    const arg = args[i] ?? '';
    const isFlag = FLAG.test(arg);
    (isFlag ? flags : words).push(arg);
    const next = args[i + 1] ?? '';
    if (isFlag && mayHaveValue.includes(arg) && i + 1 < end && !FLAG.test(next)) flags.push(args[++i] ?? '');
    if (!isFlag || !withValue.includes(arg)) continue;
    // A flag without its value comes last. The parser would take anything after it for the value.
    if (i + 1 === end) return flags;
    flags.push(args[++i] ?? '');
  }
  return [...flags, '--', ...words, ...args.slice(end + 1)];
}

/** The session that owns a loop. A loop without an owner would hold every session, or none. */
export function ownerFrom(given: string | undefined, env: NodeJS.ProcessEnv): string {
  const session = given ?? env.CLAUDE_CODE_SESSION_ID;
  if (!session) {
    throw new UsageError(
      'no session to own the loop: run this inside Claude Code, or name the session with --session ID (shown by /status in Claude Code)',
    );
  }
  if (!isSafeId(session))
    throw new UsageError(`"${session}" is not a session id; expected letters, digits, - and _`);
  return session;
}

export function taskFrom(words: readonly string[], promptFile: string | undefined): string {
  if (promptFile === undefined) return words.join(' ');
  if (words.length > 0) throw new UsageError('give the task as text or with --prompt-file, not both');
  try {
    return readFileSync(promptFile === '-' ? 0 : promptFile, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the prompt file: ${(error as Error).message}`);
  }
}

/** Ids sort by time, name their time, and are short enough to type. */
export function newLoopId(now: Date): string {
  const stamp = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${stamp}-${randomBytes(3).toString('hex')}`;
}

/** Where the transcript stands now. What the session used before does not count for the loop. */
export function transcriptSoFar(
  session: string,
  env: NodeJS.ProcessEnv,
): { transcriptOffset: number; costTotalUsd: number } {
  return transcriptUntilNow(transcriptOf(session, env));
}

/** Never throws: a transcript that cannot be read counts as empty. */
export function transcriptUntilNow(path: string | undefined): {
  transcriptOffset: number;
  costTotalUsd: number;
} {
  const transcriptOffset = path === undefined ? 0 : (withFile(path, (_, size) => size) ?? 0);
  const before =
    path === undefined || transcriptOffset === 0
      ? undefined
      : transcriptFiles.usage(path, { offset: Math.max(1, transcriptOffset - LOOK_BACK) });
  return { transcriptOffset, costTotalUsd: before?.totalCostUsd ?? 0 };
}

const LOOK_BACK = 4 * 1024 * 1024;

/** The transcript of a session, in whichever project folder Claude Code keeps it. */
export function transcriptOf(session: string, env: NodeJS.ProcessEnv): string | undefined {
  const projects = join(claudeConfigDir(env), 'projects');
  try {
    return readdirSync(projects)
      .map((folder) => join(projects, folder, `${session}.jsonl`))
      .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  } catch {
    // There are no transcripts yet, so everything in the coming one counts.
    return undefined;
  }
}
