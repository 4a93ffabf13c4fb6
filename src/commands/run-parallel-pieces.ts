/** How the work of a run is divided: by the open features of its lists, or by the prompt files that were named. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readSmall, writeWhole } from '../adapters/atomic-file.ts';
import { type Home, readKey } from '../adapters/home.ts';
import { sealedJson, unsealedJson } from '../adapters/sealed-json.ts';
import { featureGates } from '../core/child-contract.ts';
import { oneLine } from '../core/clip.ts';
import type { Contract } from '../core/contract.ts';
import type { Piece } from '../core/run-children.ts';
import { type Feature, parseFeatureList } from '../gates/features/feature-list.ts';
import type { LoopRef } from '../ports.ts';
import { UsageError } from './usage-error.ts';
import type { World } from './world.ts';

/** A piece, and what its child is told and asked for. */
export interface Work extends Piece {
  task: string;
  features?: { gate: string; file: string; id: string };
}

/** What a person asked for with --parallel. */
export interface Parallel {
  atOnce: number;
  /** Absent: by features. */
  prompts?: readonly { file: string; text: string }[];
}

export interface Division {
  pieces: Work[];
  /** Each piece becomes a pull request of its own. */
  pullRequests: boolean;
  /** Which is merged when it is green. */
  merge: boolean;
}

/** Before anything has begun: there has to be something that work can be divided by. */
export function refuseIndivisible({ prompts }: Parallel, contract: Contract): void {
  if (prompts || featureGates(contract).length > 0) return;
  throw new UsageError(
    '--parallel divides a run by its feature list or by prompt files: name a list (--features FILE), or --prompt-file more than once',
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
      // Its pull request would lack what it rests on: the run itself does it, when the others are in.
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

function featureTask({ id, description, steps }: Feature, file: string, task: string): string {
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

/** Kept with the run, under a seal: whoever goes on with it divides nothing anew. */
function keepDivision(division: Division, ref: LoopRef, home: Home): void {
  writeWhole(join(ref.dir, FILE), sealedJson(division, purposeOf(ref), readKey(home)));
}

export function keptDivision(ref: LoopRef, home: Home): Division {
  const text = readSmall(join(ref.dir, FILE));
  const kept = text === undefined ? undefined : unsealedJson<Division>(text, purposeOf(ref), readKey(home));
  if (kept) return kept;
  throw new UsageError(`how run ${ref.loop} was divided cannot be read any more; begin a new run`);
}

function purposeOf(ref: LoopRef): string {
  return `pieces of run ${ref.loop}`;
}

/** Written down before the first child: from then on the run is one that divides its work. */
export function splitWork(
  parallel: Parallel,
  run: {
    ref: LoopRef;
    git: { folder: string };
    options: { git?: { mode: string; merge: boolean } };
    task: string;
  },
  { world }: { world: World },
): void {
  const { ref, git, options, task } = run;
  const pullRequests = options.git?.mode === 'pr';
  const { contract } = world.store.contract(ref);
  const pieces = divide(parallel, contract, { folder: git.folder, task, pullRequests });
  if (pieces.length === 0) return;
  keepDivision({ pieces, pullRequests, merge: options.git?.merge === true }, ref, world.home);
  world.store.append(ref, () => ({ kind: 'split', atOnce: parallel.atOnce, pieces: pieces.length }));
}
