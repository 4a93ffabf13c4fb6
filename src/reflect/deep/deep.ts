import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import type { AgentPort } from '../../ports/ports.ts';
import { renderDiff } from '../../terminal/line-diff.ts';
import {
  type Change,
  MEMORY_FILE,
  PROPOSAL_SCHEMA,
  type Proposal,
  promptFor,
  proposalFrom,
  SYSTEM_PROMPT,
  type Texts,
} from './proposal.ts';

export const DEFAULT_COST_USD = 0.5;
const MOST_TURNS = 4;
const FILE_LIMIT = 1024 * 1024;

export interface DeepAsk {
  /** What a reflection found, as its JSON has it. */
  digest: unknown;
  project: string;
  maxCostUsd: number;
  model?: string;
  signal: AbortSignal;
}

export type DeepAnswer = (Proposal | { kind: 'no_answer'; problem: string }) & { costUsd: number };

/** Asks a model once, without tools, for a change. Writes nothing. */
export async function askForProposal(ask: DeepAsk, agent: AgentPort): Promise<DeepAnswer> {
  const texts = textsOf(ask.project);
  const answer = await agent.ask({
    systemPrompt: SYSTEM_PROMPT,
    prompt: promptFor(ask.digest, texts),
    schema: PROPOSAL_SCHEMA,
    tools: [],
    cwd: ask.project,
    model: ask.model,
    maxCostUsd: ask.maxCostUsd,
    maxTurns: MOST_TURNS,
    signal: ask.signal,
  });
  const { costUsd } = answer;
  if (!answer.ok) return { kind: 'no_answer', problem: answer.problem, costUsd };
  return { ...proposalFrom(answer.value, texts), costUsd };
}

function textsOf(project: string): Texts {
  const read = (name: string) => readSmall(join(project, name), FILE_LIMIT);
  return { [CONTRACT_FILE]: read(CONTRACT_FILE), [MEMORY_FILE]: read(MEMORY_FILE) };
}

/** A change as a patch that `git apply` takes. */
export function patchOf(changes: readonly Change[]): string[] {
  return changes.flatMap(({ file, before, after }) => [
    before === '' ? '--- /dev/null' : `--- a/${file}`,
    `+++ b/${file}`,
    ...renderDiff(before, after),
  ]);
}

/** The files that a proposal was written to, in the home. */
export interface KeptProposal {
  patch: string;
  /** The whole contract, for `untildone replay`; absent when it stays as it is. */
  contract?: string;
}

/** Keeps a proposal outside of the project, for you to try and to apply. */
export function keepProposal(changes: readonly Change[], folder: string, now: number): KeptProposal {
  const stamp = new Date(now)
    .toISOString()
    .replace(/[^0-9]/g, '')
    .slice(0, 14);
  const dir = join(folder, 'proposals', stamp);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const patch = join(dir, 'proposal.patch');
  writeWhole(patch, `${patchOf(changes).join('\n')}\n`);
  const contract = changes.find(({ file }) => file === CONTRACT_FILE);
  if (!contract) return { patch };
  const file = join(dir, CONTRACT_FILE);
  writeWhole(file, contract.after);
  return { patch, contract: file };
}
