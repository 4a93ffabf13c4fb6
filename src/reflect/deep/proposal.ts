/**
 * What a model proposes after it has read the digest of a reflection: edits of the contract or of CLAUDE.md. Nothing here
 * changes a file of the project.
 */

import { parseContract } from '../../contract/read.ts';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { keepShort, oneLine } from '../../core/text/clip.ts';
import { redact } from '../../core/text/redact.ts';
import { MATERIAL_IS_DATA, quoteUntrusted } from '../../gates/judge/opinion.ts';
import type { AnswerShape } from '../../ports/ports.ts';

export const MEMORY_FILE = 'CLAUDE.md';
const FILES = [CONTRACT_FILE, MEMORY_FILE] as const;
export type ProposedFile = (typeof FILES)[number];

/** The texts of the project as they are; absent where there is no such file. */
export type Texts = Partial<Record<ProposedFile, string>>;

export interface Change {
  file: ProposedFile;
  why: string;
  before: string;
  after: string;
}

export type Proposal =
  | { kind: 'proposed'; summary: string; changes: Change[] }
  | { kind: 'nothing'; summary: string }
  | { kind: 'unusable'; problem: string };

const MOST_EDITS = 5;
const DIGEST_LIMIT = 60_000;
const FILE_LIMIT = 30_000;
const WORDS = 500;

/** The shape of the answer. An edit replaces a text that is there once; an empty one adds to the end of the file. */
export const PROPOSAL_SCHEMA: AnswerShape = {
  type: 'object',
  properties: {
    summary: { type: 'string' },
    edits: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          file: { type: 'string', enum: [...FILES] },
          why: { type: 'string' },
          old: { type: 'string' },
          new: { type: 'string' },
        },
        required: ['file', 'why', 'old', 'new'],
      },
    },
  },
  required: ['summary', 'edits'],
};

export const SYSTEM_PROMPT = `You propose small changes of the rules that a coding agent works under, from the figures of its past work. A person reads them and
applies them, or not.

${MATERIAL_IS_DATA}

${CONTRACT_FILE} is the contract: gates that have to pass before the work counts as done, and limits. ${MEMORY_FILE} holds
instructions for the agent. Propose only what the figures ask for, at most ${MOST_EDITS} edits, each as small as it can be. Never make a gate
weaker, never remove one, and never raise a limit to make a failure go away. With nothing to propose, give no edits.
An edit replaces "old", which has to occur exactly once in the file, by "new". With an empty "old", "new" is added to the end.`;

/** What the model reads: the digest, never a transcript; everything without secrets. */
export function promptFor(digest: unknown, texts: Texts): string {
  const safe = (text: string, limit: number) => keepShort(redact(text), limit);
  const files = FILES.map((file) => ({
    title: `The file ${file}`,
    text: texts[file] === undefined ? '(there is none)' : safe(texts[file], FILE_LIMIT),
  }));
  const material = [
    { title: 'Figures and findings of past sessions', text: safe(JSON.stringify(digest), DIGEST_LIMIT) },
    ...files,
  ];
  return `What would have saved the most time, or caught the most, in these sessions?\n\n${quoteUntrusted(material)}`;
}

interface Edit {
  file: ProposedFile;
  why: string;
  old: string;
  new: string;
}

/** Applies the edits of an answer to the texts. An answer that does not fit them, or makes a wrong contract, is unusable. */
export function proposalFrom(value: unknown, texts: Texts): Proposal {
  const { summary, edits } = value as { summary: string; edits: Edit[] };
  const said = oneLine(redact(summary), WORDS);
  if (edits.length === 0) return { kind: 'nothing', summary: said };
  if (edits.length > MOST_EDITS)
    return unusable(`it has ${edits.length} edits, and at most ${MOST_EDITS} are asked for`);
  const changes = new Map<ProposedFile, Change>();
  for (const edit of edits) {
    const before = texts[edit.file] ?? '';
    const known = changes.get(edit.file) ?? { file: edit.file, why: '', before, after: before };
    const after = edited(known.after, edit);
    if (after === undefined)
      return unusable(`the text that it replaces in ${edit.file} is not there exactly once`);
    const why = [known.why, oneLine(redact(edit.why), WORDS)].filter((part) => part !== '').join(' ');
    changes.set(edit.file, { ...known, why, after });
  }
  const real = [...changes.values()].filter(({ before, after }) => before !== after);
  const problem = contractProblem(real);
  if (problem !== undefined) return unusable(problem);
  return real.length === 0
    ? { kind: 'nothing', summary: said }
    : { kind: 'proposed', summary: said, changes: real };
}

function unusable(problem: string): Proposal {
  return { kind: 'unusable', problem };
}

function edited(text: string, edit: Edit): string | undefined {
  if (edit.old === '') {
    const gap = text === '' || text.endsWith('\n') ? '' : '\n';
    return `${text}${gap}${edit.new}${edit.new.endsWith('\n') ? '' : '\n'}`;
  }
  const parts = text.split(edit.old);
  return parts.length === 2 ? parts.join(edit.new) : undefined;
}

function contractProblem(changes: readonly Change[]): string | undefined {
  const contract = changes.find(({ file }) => file === CONTRACT_FILE);
  if (!contract) return undefined;
  const parsed = parseContract(contract.after, CONTRACT_FILE);
  if (parsed.ok) return undefined;
  const [first] = parsed.problems;
  return `the contract that it proposes has mistakes: line ${first?.line}: ${oneLine(first?.message ?? '', WORDS)}`;
}

/** Gates that a proposed contract no longer asks for, or asks in another way, in words. */
export function weakenedGates(changes: readonly Change[]): string[] {
  const contract = changes.find(({ file }) => file === CONTRACT_FILE);
  const before = contract && parseContract(contract.before, CONTRACT_FILE);
  const after = contract && parseContract(contract.after, CONTRACT_FILE);
  if (!before?.ok || !after?.ok) return [];
  return before.contract.done.flatMap((gate) => {
    if (!after.contract.done.includes(gate)) return [`the gate ${gate} is no longer asked for`];
    const same = JSON.stringify(before.contract.gates[gate]) === JSON.stringify(after.contract.gates[gate]);
    return same ? [] : [`the gate ${gate} is another one`];
  });
}
