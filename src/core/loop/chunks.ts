import type { Chunk } from '../contract/gate-options.ts';
import { blocks, type Outcome, strongestClass, type Verdict } from './verdict.ts';

/** Whether everything that a chunk comes after passes. */
export function isDue(chunk: Chunk, passes: (name: string) => boolean): boolean {
  return chunk.after.every(passes);
}

/** The verdict about a chunk whose turn has not come. */
export function notDueYet(chunk: Chunk, passes: (name: string) => boolean): Verdict {
  const open = chunk.after.filter((name) => !passes(name));
  return {
    gate: chunk.name,
    kind: 'all',
    class: 'claimed',
    outcome: 'skip',
    summary: `comes after ${open.join(', ')}`,
  };
}

/** A chunk in which nothing blocks keeps nobody: what could not be judged there may stay open. */
export function asChunk(verdict: Verdict): Verdict {
  const { outcome, children = [] } = verdict;
  return outcome === 'unproven' && !children.some(blocks) ? { ...verdict, onUnproven: 'allow' } : verdict;
}

/** What all chunks of a plan say together: done when each passes, else the next one to do and how. */
export function combineChunks(name: string, chunks: readonly Chunk[], parts: readonly Verdict[]): Verdict {
  const passed = parts.filter((v) => v.outcome === 'pass');
  const open = parts.filter(blocks);
  const outcome = outcomeOf(parts);
  const [now] = open;
  const asks = open.every((v) => v.asks !== undefined) ? now?.asks : undefined;
  const letGo = parts.find((v) => v.letGo)?.letGo;
  const done = `${passed.length} of ${parts.length} chunks pass`;
  return {
    gate: name,
    kind: 'chunks',
    class: strongestClass(passed.length > 0 ? passed : parts),
    outcome,
    summary: now ? `${done}; now: ${now.gate}${alsoOpen(open)}` : done,
    evidence: open.flatMap((v) => v.evidence ?? [`${v.gate}: ${v.summary}`]),
    ...(now ? { next: instructionFor(chunks, now, parts) } : {}),
    ...(outcome === 'unproven' && !now ? { onUnproven: 'allow' as const } : {}),
    ...(asks ? { asks } : {}),
    ...(letGo ? { letGo } : {}),
    fingerprint: open.map((v) => `${v.gate} ${v.outcome} ${v.fingerprint ?? v.summary}`).join('\n'),
    children: [...parts],
  };
}

function outcomeOf(parts: readonly Verdict[]): Outcome {
  const has = (outcome: Outcome) => parts.some((v) => v.outcome === outcome);
  if (has('fail')) return 'fail';
  return has('unproven') ? 'unproven' : has('pass') ? 'pass' : 'skip';
}

function alsoOpen(open: readonly Verdict[]): string {
  const others = open.slice(1).map((v) => v.gate);
  return others.length === 0 ? '' : ` (also open: ${others.join(', ')})`;
}

function instructionFor(chunks: readonly Chunk[], now: Verdict, parts: readonly Verdict[]): string {
  const chunk = chunks.find((c) => c.name === now.gate);
  const number = chunks.findIndex((c) => c.name === now.gate) + 1;
  const waiting = parts.filter((v) => v.outcome === 'skip').map((v) => v.gate);
  const then = waiting.length === 0 ? '' : `\nAfter it: ${waiting.join(', ')}.`;
  const more = now.next === undefined ? '' : `\n${now.next}`;
  return `Next: chunk ${number} of ${chunks.length}, "${now.gate}": ${chunk?.instruction ?? ''}${more}${then}`;
}

/** Only the chunks that a text names, as whole words; all of them when it names none. */
export function chunksNamedIn(text: string, chunks: readonly Chunk[]): Chunk[] {
  const named = chunks.filter(({ name }) => {
    const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`(?<![\\w-])${literal}(?![\\w-])`, 'i').test(text);
  });
  return named.length > 0 ? named : [...chunks];
}
