import type { AgentsRead, LoopState, ReadTranscript } from './state.ts';

/** What one look at a transcript of a subagent found. */
export interface FileUsage extends ReadTranscript {
  /** The offset at which this look began: that of the state it was made from. */
  from: number;
  /** input + cache creation + output, cache reads excluded, each answer counted once. */
  tokens: number;
}

/** More are not remembered one by one, because every line of the journal holds them. */
const REMEMBERED = 64;

/** How far the transcripts were read. What subagents spent before the loop started does not count. */
export function agentsRead({ read, startedAt }: Pick<LoopState, 'read' | 'startedAt'>): AgentsRead {
  return read.agents ?? { since: startedAt, files: [] };
}

/**
 * Counts what looks at the transcripts found. Hooks of several subagents look at the same time: a look that began where
 * another one has read on by now counts for nothing, and the next look begins after both.
 */
export function countAgents(state: LoopState, found: readonly FileUsage[] = []): LoopState {
  const before = agentsRead(state);
  const fresh = found.filter(({ file, from }) => (offsetOf(before, file) ?? 0) === from);
  if (fresh.length === 0) return state;
  const tokens = fresh.reduce((sum, usage) => sum + usage.tokens, 0);
  const spent = tokens === 0 ? {} : { spentBySubagents: (state.spentBySubagents ?? 0) + tokens };
  return {
    ...state,
    ...spent,
    spent: { ...state.spent, tokens: state.spent.tokens + tokens },
    read: { ...state.read, agents: remembered(before, fresh) },
  };
}

function offsetOf({ files }: AgentsRead, file: string): number | undefined {
  return files.find((known) => known.file === file)?.offset;
}

function remembered({ since, files }: AgentsRead, fresh: readonly FileUsage[]): AgentsRead {
  const isFresh = new Set(fresh.map(({ file }) => file));
  const read = fresh.map(({ from: _, tokens: __, ...file }) => file);
  const all = [...files.filter(({ file }) => !isFresh.has(file)), ...read].sort((a, b) => a.at - b.at);
  const forgotten = all.splice(0, Math.max(0, all.length - REMEMBERED));
  return { since: Math.max(since, ...forgotten.map(({ at }) => at)), files: all };
}
