/** Divides the work of a run: by the open features of its lists, or by prompt files. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { approvals, featureGates, phaseBefore } from '../../core/contract/child-contract.ts';
import type { Contract } from '../../core/contract/contract.ts';
import type { Piece } from '../../core/run/children.ts';
import { oneLine } from '../../core/text/clip.ts';
import { UsageError } from '../../core/text/errors.ts';
import { readSmall } from '../../files/whole-file.ts';
import { type Feature, parseFeatureList } from '../../gates/features/feature-list.ts';
import { traitsOf } from '../../gates/traits.ts';
import { type Home, readKey, sealedJson, unsealedJson } from '../../home/layout.ts';
import type { ProjectPorts } from '../../hook/wiring/project-ports.ts';
import type { LoopRef } from '../../ports/ports.ts';

/** A piece with the task of its child. */
export interface Work extends Piece {
  task: string;
  features?: { gate: string; file: string; id: string };
}

/** The options of --parallel. */
export interface Parallel {
  atOnce: number;
  /** Absent: by features. */
  prompts?: readonly { file: string; text: string }[];
}

export interface Division {
  atOnce: number;
  pieces: Work[];
  /** Each piece becomes a pull request of its own. */
  pullRequests: boolean;
  /** Which is merged when it is green. */
  merge: boolean;
}

/** Refuses --parallel where the contract gives nothing to divide the work by. */
export function refuseIndivisible({ prompts }: Parallel, contract: Contract, merge: boolean): void {
  if (!prompts && featureGates(contract).length === 0)
    throw new UsageError(
      '--parallel divides a run by its feature list or by prompt files: name a list (--features FILE), or --prompt-file more than once',
    );
  const phase = prompts ? contract.phases?.[0]?.name : phaseBefore(contract);
  if (phase !== undefined)
    throw new UsageError(
      `phase ${phase} of the contract comes before the work that --parallel divides: run it without --parallel, or name a contract without that phase (--contract FILE)`,
    );
  const [approval] = approvals(contract, traitsOf);
  if (merge && approval !== undefined)
    throw new UsageError(
      `gate ${approval} asks you about the whole work, but --merge merges every piece before that: leave --merge out`,
    );
}

/** The pieces that are open in this folder, in the order of the lists. */
function divide(
  { prompts }: Parallel,
  contract: Contract,
  work: { folder: string; task: string; pullRequests: boolean },
): Work[] {
  if (prompts) return prompts.map(({ file, text }, index) => promptPiece(file, text, index, prompts));
  const gates = featureGates(contract);
  return gates.flatMap(({ gate, file }) => {
    const list = parseFeatureList(readSmall(join(work.folder, file)) ?? '[]');
    const open = 'features' in list ? list.features.filter(({ passes }) => !passes) : [];
    const ids = new Set(open.map(({ id }) => id));
    const nameOf = (id: string) => (gates.length > 1 ? `${gate}/${id}` : id);
    return open.flatMap((feature) => {
      const after = feature.dependsOn.filter((id) => ids.has(id));
      // Its pull request would lack the features it depends on, so the run does it after the others.
      if (work.pullRequests && after.length > 0) return [];
      const features = { gate, file, id: feature.id };
      return [
        {
          name: nameOf(feature.id),
          title: oneLine(feature.description, 120),
          after: after.map(nameOf),
          task: featureTask(feature, file, work.task),
          features,
        },
      ];
    });
  });
}

function promptPiece(file: string, text: string, index: number, all: readonly { file: string }[]): Work {
  const name = basename(file);
  const isAlone = all.every((other, at) => at === index || basename(other.file) !== name);
  return {
    name: isAlone ? name : `${index + 1}-${name}`,
    title: oneLine(text.trim(), 120),
    after: [],
    task: text,
  };
}

export function featureTask({ id, description, steps }: Feature, file: string, task: string): string {
  return [
    `Build feature ${id}: ${description}`,
    ...(steps.length > 0 ? ['', 'Steps:', ...steps.map((step) => `- ${step}`)] : []),
    '',
    `It is feature ${id} of ${file}, one part of the task below. Others build the other parts at the same time, in other folders: build this one and leave theirs alone.`,
    '',
    'The whole task:',
    task.trim(),
  ].join('\n');
}

/** The task of a run whose pieces are prompt files. */
export function taskOfPrompts(said: string, prompts: readonly { file: string; text: string }[]): string {
  const parts = prompts.map(({ file, text }) => `## ${basename(file)}\n\n${text.trim()}`);
  return [said.trim() === '' ? 'Do all of the following.' : said.trim(), ...parts].join('\n\n');
}

export function readPrompts(files: readonly string[]): { file: string; text: string }[] {
  return files.map((file) => {
    if (file === '-') throw new UsageError('only one task can come from stdin: name files instead of -');
    try {
      const text = readFileSync(file, 'utf8');
      if (text.trim() !== '') return { file, text };
    } catch (error) {
      throw new UsageError(`cannot read the prompt file: ${(error as Error).message}`);
    }
    throw new UsageError(`the prompt file ${file} is empty`);
  });
}

const FILE = 'pieces.json';

/** The division as a sealed file of the run, so that --resume does not divide the work again. */
function divisionFile(division: Division, loop: string, home: Home): { name: string; text: string } {
  return { name: FILE, text: sealedJson(division, purposeOf({ loop }), readKey(home)) };
}

export function keptDivision(ref: LoopRef, home: Home): Division {
  const text = readSmall(join(ref.dir, FILE));
  const kept = text === undefined ? undefined : unsealedJson<Division>(text, purposeOf(ref), readKey(home));
  if (kept) return kept;
  throw new UsageError(`how run ${ref.loop} was divided cannot be read any more; begin a new run`);
}

function purposeOf(ref: Pick<LoopRef, 'loop'>): string {
  return `pieces of run ${ref.loop}`;
}

/** The division of a new run; undefined when no piece is open. */
export function divisionOf(
  parallel: Parallel,
  run: {
    loop: string;
    task: string;
    contract: Contract;
    folder: string;
    git: { mode: string; merge: boolean };
  },
  { home }: ProjectPorts,
): { name: string; text: string } | undefined {
  const { loop, task, contract, folder, git } = run;
  const pullRequests = git.mode === 'pr';
  const pieces = divide(parallel, contract, { folder, task, pullRequests });
  if (pieces.length === 0) return undefined;
  const { atOnce } = parallel;
  return divisionFile({ atOnce, pieces, pullRequests, merge: git.merge }, loop, home);
}

/** Records that the run divides its work, unless that is recorded already. */
export function splitWork(ref: LoopRef, { store, home }: ProjectPorts): void {
  const { run } = store.read(ref);
  if (!run || run.children || run.sessions > 0 || !existsSync(join(ref.dir, FILE))) return;
  const { atOnce, pieces } = keptDivision(ref, home);
  store.append(ref, () => ({ kind: 'split', atOnce, pieces: pieces.length }));
}
