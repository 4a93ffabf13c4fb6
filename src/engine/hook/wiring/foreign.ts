import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readToolCalls } from '../../client/transcript/tool-calls.ts';
import { CONTRACT_FILE, type FrozenContract } from '../../core/contract/contract.ts';
import type { HookEvent } from '../../core/loop/event.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { isSafeId } from '../../core/text/paths.ts';
import { sha256 } from '../../files/digest.ts';
import { writeNew } from '../../files/whole-file.ts';
import { ALL_FORMATS } from '../../formats/all.ts';
import type { StatePlace } from '../../formats/format.ts';
import { behaviourOf, close } from '../../formats/take-up/behaviour.ts';
import { foreignLoops as findLoops } from '../../formats/take-up/foreign-loops.ts';
import type { ForeignPorts, ForeignStateSeen } from '../../formats/take-up/ports.ts';
import { damagedBehaviour } from '../../formats/take-up/take-up-loop.ts';
import type { Judges } from '../../gates/gate.ts';
import { baselineFiles } from '../../home/baselines.ts';
import { claimFiles, claimOfLoop } from '../../home/claims.ts';
import { createHome, filesLock, type Home, realPath } from '../../home/layout.ts';
import type { FileStore } from '../../home/store.ts';
import { markTrusted, trustedContract } from '../../home/trust.ts';
import { freeze } from '../../judging/freeze-contract.ts';
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import type { ForeignLoops, FormatBehaviour } from '../../ports/session-loop.ts';
import { contractFileDigest } from '../../project/facts/command-parts.ts';
import { applyChanges, foreignFiles, liesWithin } from '../../project/files.ts';
import { gitIn } from '../../project/trees/project-git.ts';
import { newLoopId, transcriptUntilNow } from '../start/inputs.ts';

/** What the ports of the formats are opened with. They are loaded only where foreign state exists. */
export interface ForeignOptions {
  home: Home;
  ports: Ports & { store: FileStore };
  place: StatePlace;
  /** `CLAUDE_PID`. */
  pid?: string;
}

/** The loops of an event's session that live in foreign state. */
export function foreignLoops(
  event: HookEvent,
  hasNative: boolean,
  options: ForeignOptions,
): Promise<ForeignLoops> {
  // A foreign state file can exist before the home does.
  createHome(options.home);
  recordClient(event.session, options);
  return findLoops(event, hasNative, openForeign(options), options.ports);
}

export function openForeign({ home, place, ports }: ForeignOptions): ForeignPorts {
  const { store } = ports;
  const judges = () => ports.judges();
  return {
    formats: ALL_FORMATS,
    place,
    files: foreignFiles,
    claims: claimFiles(home),
    change: (changes) => applyChanges(changes, filesLock(home), rootsOf(place, home)),
    isGone: (session) => store.clientOf(session) === 'gone',
    refOf: (dir) => ({ loop: basename(dir), dir }),
    toolCalls: readToolCalls,
    git: (project) => gitIn(realPath(project)),
    belongs: (path) => liesWithin(path, rootsOf(place, home)) && !liesWithin(path, [home.root]),
    approved: (project, then) => approvedNow(project, then, { home, store, judges }),
    baselines: baselineFiles(home),
    judges,
    createLoopFiles: (loop) => store.createLoopFiles(loop),
    newLoopId: () => newLoopId(new Date(ports.clock.now())),
    transcriptSoFar: transcriptUntilNow,
    needsApproval: async (one) =>
      !store.isTrusted(place.folder, stateFingerprint(one)) && isTracked(one, place, judges),
  };
}

/** Records the process of Claude Code. The installed hook line does so at SessionStart; other callers of the hook do not. */
function recordClient(session: string, { home, place, pid }: ForeignOptions): void {
  if (!isSafeId(session) || !/^[1-9]\d*$/.test(pid ?? '')) return;
  const record = join(home.sessions, `${session}.at`);
  if (!existsSync(record)) writeNew(record, `${place.folder}\n${pid}\n`, 0o600);
}

/**
 * How the format of a loop behaves that a full session has handed over to a run. The run reads and writes the files of the
 * format like the session before it. A state that cannot be read holds: without it nobody knows what is open.
 */
export function formatOfRun(
  event: HookEvent,
  ref: LoopRef,
  state: LoopState,
  options: ForeignOptions,
): FormatBehaviour | undefined {
  const found = stateOfRun(ref, state, options);
  if (!found) return undefined;
  const { format, path, claim, foreign } = found;
  const reading = format.read(foreign.place, foreignFiles);
  if (reading.kind === 'loop')
    return behaviourOf(
      { format, path, claim, reading: reading.loop, event, hasNative: false },
      ref,
      foreign,
      options.ports,
    );
  const damage = reading.kind === 'unusable' ? reading.damage : undefined;
  const fault = reading.kind === 'unusable' ? reading.problem : 'it is gone';
  const loop = {
    format,
    damage: damage ?? { file: path, fault },
    event: { ...event, name: 'other' } as HookEvent,
  };
  return damagedBehaviour(loop, ref, state, foreign, options.ports)?.format;
}

/** Writes the ending of a run into the files of its format, where its last Stop did not do so. */
export function closeRun(ref: LoopRef, options: ForeignOptions): string[] {
  const found = stateOfRun(ref, options.ports.store.read(ref), options);
  return found ? closeForeign(ref, { ...options, place: found.foreign.place }) : [];
}

function stateOfRun(ref: LoopRef, { dialect }: LoopState, options: ForeignOptions) {
  const format = ALL_FORMATS.find(({ name, handsOver }) => name === dialect && handsOver);
  const claim = format && claimOfLoop(options.home, ref.dir);
  if (!format || !claim) return undefined;
  // The session may have been started in another folder than the project.
  const place = { ...options.place, ralphLoopDir: claim.path };
  return { format, path: claim.path, claim, foreign: openForeign({ ...options, place }) };
}

/** Writes the ending into the foreign files of a loop that the user ended, unless they belong to another loop by now. */
export function closeForeign(ref: LoopRef, options: ForeignOptions): string[] {
  const foreign = openForeign(options);
  const state = options.ports.store.read(ref);
  const format = ALL_FORMATS.find(({ name }) => name === state.dialect);
  const path = format?.path(options.place);
  const claim = path === undefined ? undefined : foreign.claims.of(path);
  if (!format || path === undefined || claim?.loopDir !== ref.dir || state.closed) return [];
  const reading = format.read(options.place, foreignFiles);
  if (reading.kind !== 'loop' || reading.loop.identity !== claim.identity) return [];
  const event: HookEvent = { name: 'other', eventName: 'command', session: state.session };
  const one: ForeignStateSeen = { format, path, claim, reading: reading.loop, event, hasNative: false };
  return close(one, ref, state, foreign, options.ports).slice(1);
}

/** The folders in which foreign files may be written. A link in a repository must not lead elsewhere. */
function rootsOf({ folder, userHome, ralphLoopDir }: StatePlace, home: Home): string[] {
  return [folder, `${userHome}/.ralph`, home.root, ...(ralphLoopDir === undefined ? [] : [ralphLoopDir])];
}

const ASIDE = 'only what the state itself asks for counts';

async function approvedNow(
  project: string,
  then: string | undefined,
  { home, store, judges }: { home: Home; store: FileStore; judges(): Promise<Judges> },
): Promise<{ contract?: FrozenContract; note?: string }> {
  const file = contractFileDigest(project);
  if (file === undefined && then === undefined) return {};
  const known = trustedContract(home, project);
  const isTrusted = known !== undefined && store.isTrusted(project, known.frozen.fingerprint);
  // The session began under this contract: its agent may have changed or removed the file.
  if (isTrusted && known.frozen.fingerprint === then) return { contract: known };
  if (file === undefined) return {};
  if (!isTrusted) {
    return {
      note: `${CONTRACT_FILE} of ${project} is not trusted on this machine, so ${ASIDE}: untildone trust`,
    };
  }
  const now = await freeze(known.contract, project, await judges());
  const isSame = [now.frozen.fingerprint, now.formerly].includes(known.frozen.fingerprint);
  if (file === known.frozen.contractFile && isSame) {
    markTrusted(home, project);
    return { contract: known };
  }
  return {
    note: `what ${CONTRACT_FILE} of ${project} runs was changed since you trusted it, so ${ASIDE}: untildone trust`,
  };
}

type Found = Pick<ForeignStateSeen, 'format' | 'path' | 'reading'>;

/** The fingerprint that the user trusts, so that a state file of the repository may hold sessions. */
export function stateFingerprint({ format, path, reading }: Found): string {
  const { identity, task, owner = '' } = reading;
  return sha256(JSON.stringify([`${format.name} state`, path, identity, owner, task]));
}

/** Whether the state comes with the repository. A hostile repository could hold every visitor that way. */
async function isTracked(
  { format, path }: Found,
  place: StatePlace,
  judges: () => Promise<Judges>,
): Promise<boolean> {
  const { folder } = place;
  const named = [path, ...(format.parts?.(place) ?? [])].filter((p) => p.startsWith(`${folder}/`));
  const real = named.map((p) => foreignFiles.realPath(p)).filter((p) => p.startsWith(`${folder}/`));
  if (named.length === 0) return false;
  try {
    const workspace = (await judges()).workspace(folder);
    const list = async (paths: string[]) => {
      const { exitCode, stdout } = await workspace.git(['ls-files', '-z', '--', ...paths]);
      return exitCode === 0 ? stdout.split('\0').filter((name) => name !== '') : [];
    };
    if ((await list(real)).length > 0) return true;
    const onTheWay = new Set(named.flatMap((p) => stepsTo(p.slice(folder.length + 1))));
    // Asked one by one, because git fails for a path that leads through a link.
    for (const step of onTheWay) if ((await list([step])).includes(step)) return true;
    return false;
  } catch {
    // Without git, nothing came with a repository.
    return false;
  }
}

/** `a/b/c` gives `a`, `a/b`, `a/b/c`. */
function stepsTo(path: string): string[] {
  const names = path.split('/');
  return names.map((_, i) => names.slice(0, i + 1).join('/'));
}
