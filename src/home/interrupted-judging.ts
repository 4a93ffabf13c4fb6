import { existsSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSafeId } from '../core/text/paths.ts';
import { livenessOf, parseProcessId, renderProcessId, thisProcess } from '../files/process-id.ts';
import { readSmall } from '../files/whole-file.ts';
import type { InterruptedJudging, JudgingWatch } from '../ports/ports.ts';
import { LET_GO_AFTER } from './hook-line.ts';
import type { Home } from './layout.ts';

/**
 * Files beside a session's marker, read and written by `hook.sh`, too: `.judging` names the shell that waits for the hook
 * (first line), the hook itself (second) and what it judges; `.cut` counts how often the shell found the hook gone. A marker
 * that is not empty makes the shell wait.
 */
export function judgingWatch(home: Home): JudgingWatch {
  const file = (session: string, kind: '' | '.judging' | '.cut') => join(home.active, `${session}${kind}`);
  return {
    watch(session) {
      if (!isSafeId(session)) return;
      const marker = file(session, '');
      // Never made here: without it the session is not held at all.
      if (statSync(marker, { throwIfNoEntry: false })?.size === 0) put(marker, 'measures\n');
    },
    begin(session, judged) {
      if (!isSafeId(session)) return () => {};
      const mark = file(session, '.judging');
      const text = `${process.ppid}\n${renderProcessId(thisProcess())}${JSON.stringify(judged)}\n`;
      put(mark, text);
      return () => {
        // Another hook of this session may have begun meanwhile.
        if (read(mark) !== text) return;
        remove(mark);
        remove(file(session, '.cut'));
      };
    },
    takeInterrupted(session, loop) {
      if (!isSafeId(session)) return undefined;
      const mark = file(session, '.judging');
      const left = existsSync(mark) ? parseMark(read(mark)) : undefined;
      if (left?.loop !== loop) return undefined;
      const inARow = answeredSince(mark, file(session, '.cut'));
      remove(mark);
      if (inARow >= LET_GO_AFTER) remove(file(session, '.cut'));
      return { ...left, inARow, held: inARow > 0 && inARow < LET_GO_AFTER };
    },
    forget(session) {
      if (!isSafeId(session)) return;
      remove(file(session, '.judging'));
      remove(file(session, '.cut'));
    },
  };
}

/** How often in a row the shell answered; none when it did not do so after this very judging, because it was ended, too. */
function answeredSince(mark: string, count: string): number {
  const [began, answered] = [mark, count].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs);
  if (began === undefined || answered === undefined || answered < began) return 0;
  return /^x+/.exec(read(count))?.[0].length ?? 0;
}

/** Undefined as long as the hook that wrote it may be alive, and of what is torn. */
function parseMark(text: string): Pick<InterruptedJudging, 'loop' | 'gates'> | undefined {
  const [, hook = '', judged = ''] = text.split('\n');
  const process = parseProcessId(`${hook}\n`);
  if (!process || livenessOf(process) !== 'dead') return undefined;
  try {
    const { loop, gates } = JSON.parse(judged) as Partial<InterruptedJudging>;
    return typeof loop === 'string' && Array.isArray(gates) ? { loop, gates } : undefined;
  } catch {
    return undefined;
  }
}

/** What cannot be written or removed costs a note or a hold, never a judging. */
function put(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600 });
  } catch {
    remove(path);
  }
}

function remove(path: string): void {
  try {
    if (existsSync(path)) unlinkSync(path);
  } catch {
    // See above.
  }
}

function read(path: string): string {
  try {
    return readSmall(path) ?? '';
  } catch {
    return '';
  }
}
