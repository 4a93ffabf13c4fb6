import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isSafeId } from '../core/text/paths.ts';
import { livenessOf, parseProcessId, renderProcessId, thisProcess } from '../files/process-id.ts';
import { readSmall, writeWhole } from '../files/whole-file.ts';
import type { InterruptedJudging, JudgingWatch } from '../ports/ports.ts';
import { LET_GO_AFTER } from './hold-script.ts';
import type { Home } from './layout.ts';

/**
 * Files beside a session's marker. A marker with content says that gates measure: then the script `hold.sh` holds the session
 * when the hook does not answer. `.cut` counts how often in a row it did. `.judging` is for the journal alone: it names the
 * parent of the hook (first line, which `hook.sh` up to 0.1.0 reads), the hook itself (second) and what it judges (third).
 * The shell that counts also forgets the count after a Stop that was answered. With an older one (`shellForgets` is false) that
 * is done here.
 */
export function judgingWatch(home: Home, { shellForgets = false } = {}): JudgingWatch {
  const file = (session: string, kind: '' | '.judging' | '.cut') => join(home.active, `${session}${kind}`);
  return {
    watch(session) {
      if (!isSafeId(session)) return;
      const marker = file(session, '');
      try {
        // The marker is never created here: without one the session is not held at all.
        const found = lstatSync(marker, { throwIfNoEntry: false });
        // Replaced whole: a marker that cannot be written has to stay, because without it nobody is held.
        if (found?.isFile() && found.size === 0) writeWhole(marker, 'measures\n');
      } catch {
        // The next judging tries again.
      }
    },
    begin(session, judged) {
      if (!isSafeId(session)) return () => {};
      const mark = file(session, '.judging');
      const text = `${process.ppid}\n${renderProcessId(thisProcess())}${JSON.stringify(judged)}\n`;
      put(mark, text);
      return () => {
        // Another hook of this session may have begun to judge meanwhile.
        if (read(mark) !== text) return;
        remove(mark);
        if (!shellForgets) remove(file(session, '.cut'));
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

/** How often in a row the shell answered; 0 when it did not answer after this judging, because it was ended, too. */
function answeredSince(mark: string, count: string): number {
  const [began, answered] = [mark, count].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs);
  if (began === undefined || answered === undefined || answered < began) return 0;
  return /^x+/.exec(read(count))?.[0].length ?? 0;
}

/** Undefined for a torn mark, and as long as the hook that wrote it may still run. */
function parseMark(text: string): Pick<InterruptedJudging, 'loop' | 'gates'> | undefined {
  const [, hook = '', judged = ''] = text.split('\n');
  const process = parseProcessId(`${hook}\n`);
  return !process || livenessOf(process) !== 'dead' ? undefined : judgedIn(judged);
}

function judgedIn(judged: string): Pick<InterruptedJudging, 'loop' | 'gates'> | undefined {
  try {
    const { loop, gates } = JSON.parse(judged) as Partial<InterruptedJudging>;
    return typeof loop === 'string' && Array.isArray(gates) ? { loop, gates } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a hook judges a Stop of this session right now. */
export function isJudging(home: Home, session: string): boolean {
  return isSafeId(session) && existsSync(join(home.active, `${session}.judging`));
}

/** What a hook judges right now for this session, and since when; undefined when none does. */
export function judgingNow(
  home: Home,
  session: string,
): (Pick<InterruptedJudging, 'loop' | 'gates'> & { since: number }) | undefined {
  if (!isSafeId(session)) return undefined;
  const mark = join(home.active, `${session}.judging`);
  const since = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
  const [, hook = '', judged = ''] = since === undefined ? [] : read(mark).split('\n');
  const process = parseProcessId(`${hook}\n`);
  if (since === undefined || !process || livenessOf(process) === 'dead') return undefined;
  const what = judgedIn(judged);
  return what && { ...what, since };
}

/** Never throws: a file that cannot be written costs a note, never a judging. Writes into no pipe, device or link. */
function put(path: string, text: string): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) unlinkSync(path);
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
    const descriptor = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      if (fstatSync(descriptor).isFile()) writeFileSync(descriptor, text);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    remove(path);
  }
}

function remove(path: string): void {
  try {
    if (existsSync(path)) unlinkSync(path);
  } catch {
    // As for `put`.
  }
}

function read(path: string): string {
  try {
    return readSmall(path) ?? '';
  } catch {
    return '';
  }
}
