/**
 * Adopts a run that another machine, or another folder, has begun. The frozen contract, the facts of the start and the trees
 * name folders and programs of the place where they were made, so all of them are made anew here, from the same commit.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withoutImplicitChange } from '../../engine/core/contract/contract.ts';
import type { RunSpec } from '../../engine/core/fleet/spec.ts';
import type { LoopState } from '../../engine/core/loop/state.ts';
import { ContractError } from '../../engine/core/text/errors.ts';
import { writeWhole } from '../../engine/files/whole-file.ts';
import { writeFrozenContract } from '../../engine/home/frozen-contract.ts';
import { JournalError } from '../../engine/home/journal/file.ts';
import type { JournalLine } from '../../engine/home/journal/line.ts';
import { JournalScan } from '../../engine/home/journal/scan.ts';
import { projectFolder, readKey, unsealedJson } from '../../engine/home/layout.ts';
import { recordTrust } from '../../engine/home/trust.ts';
import { freezeStart } from '../../engine/hook/start/start-loop.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import type { Interrupts } from '../../engine/run/begin/interrupts.ts';
import { prepareWorktree } from '../../engine/run/begin/setup.ts';
import { type RunGitRecord, writeRunGitRecord } from '../../engine/run/git/record.ts';
import type { RemoteRuns, RunFiles } from '../remote/remote-runs.ts';
import { layStart } from './checkout.ts';
import { Hopeless } from './hopeless.ts';
import { type FleetRecord, GIT, iterationsIn, LOOP_FILES, type SpentIteration, START } from './record.ts';

export interface Adopting {
  worker: string;
  spec: RunSpec;
  files: RunFiles;
  record: FleetRecord;
  /** The commit of the workspace. */
  work: string;
  remoteRuns: RemoteRuns;
  world: ProjectPorts;
  /** A checkout of the base commit. */
  tree: string;
  interrupts: Pick<Interrupts, 'atOnce'>;
  note(line: string): void;
}

/** From here on the loop is that of this machine. The run is not claimed yet. */
export async function adoptRun(ref: LoopRef, adopting: Adopting): Promise<void> {
  const { world, record, work, remoteRuns, tree, worker } = adopting;
  const { store } = world;
  const state = store.read(ref);
  const { contract, frozen } = await frozenHere(ref, state, adopting);
  await remoteRuns.restore(tree, work, record.branch);
  layGitRecord(adopting);
  const iteration = state.iteration;
  writeFrozenContract(ref, { contract, frozen }, (contractSha256) =>
    store.append(ref, () => ({ kind: 'moved', worker, contractSha256, iteration })),
  );
  store.bind(state.session, world.project, ref);
}

/** A published journal, in the home of this machine. */
export interface LaidJournal {
  ref: LoopRef;
  state: LoopState;
  spent: SpentIteration[];
}

/** Writes the files of the loop into the home. All lines of its journal have to have the seal of the run, and to follow. */
export async function layJournal({
  files,
  world,
  spec,
}: Pick<Adopting, 'files' | 'world' | 'spec'>): Promise<LaidJournal> {
  const dir = join(projectFolder(world.home, world.project), 'loops', spec.run);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (const name of LOOP_FILES) {
    const bytes = files[name];
    if (bytes) writeWhole(join(dir, name), bytes.toString('utf8'));
  }
  const ref = { loop: spec.run, dir };
  const stops: Pick<JournalLine, 'entry' | 'state' | 'at'>[] = [];
  const journal = new JournalScan(world.store.journalFile(ref), readKey(world.home));
  try {
    for await (const scanned of journal.next()) {
      // What others wrote between the lines counts for nothing, as in every journal.
      if (scanned.ok && !scanned.chained)
        throw new Hopeless(
          `the published journal was changed: a line before #${scanned.line.seq} is missing`,
        );
      if (scanned.ok && scanned.line.entry.kind === 'stop') stops.push(scanned.line);
    }
    return { ref, state: world.store.read(ref), spent: iterationsIn(stops) };
  } catch (error) {
    throw error instanceof JournalError ? new Hopeless(error.message, { cause: error }) : error;
  }
}

/** Freezes the contract on this machine, at the tree of the start. It has to be what was frozen when the run began. */
async function frozenHere(ref: LoopRef, state: LoopState, adopting: Adopting) {
  const { world, tree, interrupts, note } = adopting;
  const { home, store, project, clock } = world;
  const loaded = store.contract(ref);
  if (loaded.sha256 !== state.contractSha256)
    throw new Hopeless('the published contract is not the one that the journal names');
  const { contract, frozen: before } = loaded;
  const judges = await world.judges(contract);
  const { judgeMs, contractFile } = before;
  const plan = { contract: withoutImplicitChange(contract), project, judgeMs, contractFile };
  const isTrusted = (folder: string, fingerprint: string) => store.isTrusted(folder, fingerprint);
  const { frozen, measured } = await freezeStart(plan, { judges, isTrusted });
  if (frozen.frozen.fingerprint !== before.fingerprint)
    throw new Hopeless(
      'what the contract runs is not the same on this machine as where the run began, although the commit is the same; do its commands depend on files outside of the repository?',
    );
  if (before.fingerprint !== '') recordTrust(home, project, before.fingerprint, clock.now());
  await prepareWorktree({
    contract,
    folder: project,
    outputDir: join(projectFolder(home, project), 'baseline'),
    world,
    note,
    interrupts,
  });
  if (measured) await expectStart(tree, state, adopting, () => judges.workspace(project).tree());
  return { contract, frozen: frozen.frozen };
}

/** The tree of the start is what changes are compared with, so it has to be the one that the journal names. */
async function expectStart(
  tree: string,
  { base }: LoopState,
  { files }: Adopting,
  treeNow: () => Promise<string>,
): Promise<void> {
  if (base.tree === undefined || (await treeNow()) === base.tree) return;
  await layStart(tree, files[START] ?? Buffer.alloc(0));
  if ((await treeNow()) === base.tree) return;
  throw new Hopeless(
    'the tree that the run began with cannot be made again here: its base commit and its setup lead to other files; are there files that git does not publish, such as secrets that it does not ignore?',
  );
}

/** The record of the git work, for the folder on this machine. */
function layGitRecord({ files, world, spec }: Adopting): void {
  const { home, project } = world;
  const text = files[GIT]?.toString('utf8');
  const before =
    text === undefined ? undefined : unsealedJson<RunGitRecord>(text, `git ${spec.run}`, readKey(home));
  if (!before) throw new Hopeless('the published record of the git work was not written by this fleet');
  const { worktree: _, ...rest } = before;
  writeRunGitRecord(home, { ...rest, project, folder: project });
}

/** Whether an error says that the run cannot be driven anywhere. */
export function isHopeless(error: unknown): boolean {
  return error instanceof Hopeless || error instanceof ContractError;
}
