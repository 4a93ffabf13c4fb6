import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentsRead, ReadTranscript } from '../../core/loop/state.ts';
import type { FileUsage } from '../../core/loop/subagent-usage.ts';
import { tallyUsage } from '../../core/loop/transcript.ts';
import { parseFields } from '../fields.ts';
import { completeLines, decode, mayCost, withFile } from './file.ts';
import { parseTranscriptLine } from './lines.ts';

/** The most bytes that one look reads, over all files. What is left comes with the next look. */
const MAX_BYTES = 16 * 1024 * 1024;
const MOST_FILES = 2000;
const MOST_FOLDERS = 200;
const DEEPEST = 3;
/** The most files that one look reports, because one line of the journal holds them. */
const MOST_REPORTED = 200;
const ID_LIMIT = 200;
/** A subagent that some versions of Claude Code make for a compaction: its transcript repeats that of the session. */
const TRANSCRIPT = /^agent-(?!acompact).{1,200}\.jsonl$/s;
const LONGEST_PATH = 400;

/**
 * Reads what the subagents of a session have spent, each transcript from where the last look ended. They lie beside the
 * transcript of the session, those of workflows in folders below. Never throws and never waits: what cannot be read has
 * no costs.
 */
export function readSubagentUsage(transcript: string, read: AgentsRead, maxBytes = MAX_BYTES): FileUsage[] {
  const folder = /^(.+)\.jsonl$/s.exec(transcript)?.[1];
  if (folder === undefined) return [];
  const found: FileUsage[] = [];
  let left = maxBytes;
  // Oldest first: what a look does not reach is younger than all it has reached.
  for (const agent of unread(join(folder, 'subagents'), read)) {
    if (left <= 0 || found.length === MOST_REPORTED) break;
    const { bytes, usage } = usageOf(agent, read, left, left === maxBytes);
    left -= bytes;
    if (usage) found.push(usage);
  }
  return found;
}

interface UnreadFile {
  file: string;
  path: string;
  stat: Stats;
  known?: ReadTranscript;
}

/** The transcripts with something new in them, in the order in which they were last written. */
function unread(folder: string, { since, files }: AgentsRead): UnreadFile[] {
  const known = new Map(files.map((each) => [each.file, each]));
  return transcriptsBelow(folder)
    .flatMap((file): UnreadFile[] => {
      const path = join(folder, file);
      const stat = statOf(path);
      const before = known.get(file);
      const isNew = before ? stat?.size !== before.offset : (stat?.mtimeMs ?? 0) > since;
      return stat?.isFile() && isNew ? [{ file, path, stat, known: before }] : [];
    })
    .sort((a, b) => a.stat.mtimeMs - b.stat.mtimeMs);
}

function transcriptsBelow(top: string): string[] {
  const found: string[] = [];
  const folders = [{ name: '', depth: 0 }];
  for (let i = 0; i < Math.min(folders.length, MOST_FOLDERS); i++) {
    const { name, depth } = folders[i] as { name: string; depth: number };
    for (const entry of entriesOf(join(top, name))) {
      const path = name === '' ? entry.name : `${name}/${entry.name}`;
      if (entry.isDirectory() && depth < DEEPEST) folders.push({ name: path, depth: depth + 1 });
      else if (TRANSCRIPT.test(entry.name) && path.length <= LONGEST_PATH) found.push(path);
      if (found.length === MOST_FILES) return found;
    }
  }
  return found;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Reads forwards, at most so many bytes. Without `usage` there is no complete line yet. `isFirst`: a longer line cannot be read
 * by a later look either, so it is passed over.
 */
function usageOf(
  agent: UnreadFile,
  { since }: AgentsRead,
  maxBytes: number,
  isFirst: boolean,
): { bytes: number; usage?: FileUsage } {
  const { file, path, stat, known } = agent;
  const isShorter = known !== undefined && known.offset > stat.size;
  const floor = floorOf(agent, since, isShorter);
  const start = isShorter ? 0 : (known?.offset ?? 0);
  const tally = tallyUsage(isShorter ? undefined : known?.lastMessageId);
  let offset = start;
  const end = withFile(path, (fd, size) => {
    const stop = Math.min(size, start + maxBytes);
    for (const line of completeLines(fd, start, stop)) {
      offset = line.end;
      if (!mayCost(line.bytes)) continue;
      const text = decode(line.bytes);
      if (comesAfter(text, floor)) tally.see(parseTranscriptLine(text));
    }
    if (isFirst && offset === start && stop < size) offset = stop;
    return stop;
  });
  const bytes = (end ?? start) - start;
  if (offset === (known?.offset ?? 0)) return { bytes };
  const { tokens, lastMessageId } = tally.result();
  const isShort = lastMessageId !== undefined && lastMessageId.length <= ID_LIMIT;
  return {
    bytes,
    usage: {
      file,
      from: known?.offset ?? 0,
      offset,
      tokens,
      lastMessageId: isShort ? lastMessageId : undefined,
      at: Math.ceil(stat.mtimeMs),
      since: floor,
    },
  };
}

/**
 * The time that a line has to come after to count. None for a transcript that was made after the last look at everything,
 * and for what is added to it. One that is older, or that was written anew, holds lines that were spent or counted before.
 */
function floorOf({ stat, known }: UnreadFile, since: number, isShorter: boolean): number | undefined {
  if (isShorter) return known?.at;
  if (known) return known.since;
  return stat.birthtimeMs > since ? undefined : since;
}

function comesAfter(line: string, time: number | undefined): boolean {
  if (time === undefined) return true;
  const { timestamp } = parseFields(line) ?? {};
  return typeof timestamp === 'string' && Date.parse(timestamp) > time;
}
