/** The clean rooms of one project under one contract, with what was kept when the loop began. */
import { mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { keptForRooms, roomSetup } from '../../core/contract/clean-room.ts';
import type { Contract } from '../../core/contract/contract.ts';
import { Unmeasurable } from '../../core/text/errors.ts';
import { readSmall, writeWhole } from '../../files/whole-file.ts';
import type { RoomOrder, Rooms } from '../../ports/rooms.ts';
import { composeTree, filesOf, textsOf } from '../trees/compose.ts';
import type { Enclosure } from '../walls/walls.ts';
import { roomEnvironment } from './environment.ts';
import { foundEnvironment, refuseChangedPackages } from './found.ts';
import { programDigestsIn } from './program-digests.ts';
import { changedPrograms, pathOutside, programsOn } from './programs.ts';
import { openRoom } from './room.ts';
import {
  foundStore,
  needFile,
  readStart,
  type Start,
  type StartsFolder,
  settingsDigest,
  startNow,
} from './start.ts';
import { changedSurroundings, surroundingsOf } from './surroundings.ts';

export interface RoomsWorld {
  project: string;
  contract: Contract;
  /** The name of what was kept at the start; absent without a loop: then it is as now. */
  start?: string;
  /** The folder of the project in the untildone home. */
  folder: string;
  shadowDir: string;
  key: string;
  /** The environment of this process. */
  env: NodeJS.ProcessEnv;
  /** Walls around every command; absent: there are none. */
  walls?: Enclosure;
}

const SETUP_MS = 30 * 60_000;

export function startsOf({ folder, key }: Pick<RoomsWorld, 'folder' | 'key'>): StartsFolder {
  return { folder: join(folder, 'starts'), key };
}

export function roomsOf(world: RoomsWorld): Rooms {
  const { shadowDir } = world;
  let start: Start | undefined;
  return {
    async open(order) {
      start ??= startOf(world);
      const learn = refuseChangedPrograms(start, world);
      refuseChangedSurroundings(start, world);
      if (start.found) refuseChangedPackages(start.found, foundStore(startsOf(world)));
      const { settings } = start;
      const opening = openRoom(requestOf(order, start, world), {
        folder: join(world.folder, 'rooms'),
        shadowDir,
        key: world.key,
        environment: environmentFor(start, world),
        walls: world.walls,
        aroundSetup: (home, run) => withSettings(settings, home, run, world),
      });
      const [room] = await Promise.all([opening, learn()]);
      return room;
    },
    compose: (composition, signal) => composeTree(composition, shadowDir, signal),
    files: (tree, signal) => filesOf(tree, shadowDir, signal),
    texts: (files, signal) => textsOf(files, shadowDir, signal),
  };
}

function startOf(world: RoomsWorld): Start {
  const { project, contract, env, start } = world;
  return start === undefined
    ? startNow(project, keptForRooms(contract), env, startsOf(world))
    : readStart(start, startsOf(world));
}

function requestOf(order: RoomOrder, start: Start, { contract, ...world }: RoomsWorld) {
  const setup = roomSetup(contract);
  const folder = startsOf(world).folder;
  const needs = start.needs.map(({ path, sha256 }) => {
    if (sha256 !== null) return { path, copy: needFile(folder, sha256) };
    throw new Unmeasurable(`needs: there was no file ${path} in the project when the loop began`, [
      `Make ${path}, and begin a new loop.`,
    ]);
  });
  const found = start.found && { ...start.found, store: foundStore(startsOf({ ...world })) };
  if (setup?.found && !found)
    throw new Unmeasurable('what was kept of the start has no dependencies in it', ['Begin a new loop.']);
  return {
    ...order,
    needs,
    setup: setup && { run: setup.run, inputs: setup.inputs, found, timeoutMs: SETUP_MS },
  };
}

function environmentFor({ environment, found }: Start, { project, contract, key, env }: RoomsWorld) {
  const made = roomEnvironment(environment, { project, now: env, passed: contract.room?.passEnv ?? [], key });
  return (at: Parameters<typeof made>[0]) => ({ ...made(at), ...(found ? foundEnvironment(found, at) : {}) });
}

/** For what was not learnt at the start. It is done while git writes the room, so nobody waits for it. */
const LEARN_MS = 60;

/**
 * A program that is another now may say anything: nothing that it takes part in is a measurement. Returns what learns the
 * digests that are not known yet.
 */
function refuseChangedPrograms(start: Start, world: RoomsWorld): () => Promise<void> {
  const now = programsOn(pathOutside(start.environment.values.PATH ?? '', world.project));
  const digests = programDigestsIn(startsOf(world));
  const changed = changedPrograms(start.programs, now, digests);
  if (changed.length === 0) return () => digests.learnMeanwhile(now, LEARN_MS);
  throw new Unmeasurable(
    `programs on PATH are not those of the start: ${changed
      .slice(0, 5)
      .map(({ name }) => name)
      .join(', ')}`,
    [
      ...changed.slice(0, 5).map(({ name, was, is }) => `${name}: was ${was}, is ${is ?? 'missing'}`),
      'Put them back. If you changed them yourself, begin a new loop.',
    ],
  );
}

/** Tools look for settings in the folders above, too. Those have to be the ones of the start. */
function refuseChangedSurroundings({ surroundings }: Start, world: RoomsWorld): void {
  if (surroundings === undefined) return;
  const { folder, key } = startsOf(world);
  const changed = changedSurroundings(surroundings, surroundingsOf(folder, key));
  if (changed.length === 0) return;
  throw new Unmeasurable(
    `settings above the clean rooms are not those of the start: ${changed.slice(0, 5).join(', ')}`,
    ['Put them back, or remove them. If you changed them yourself, begin a new loop.'],
  );
}

/** Lays settings of package managers into the home of a setup, as they were at the start, and takes them out after it. */
async function withSettings<Result>(
  settings: Start['settings'],
  home: string,
  run: () => Promise<Result>,
  { env, key }: RoomsWorld,
): Promise<Result> {
  const realHome = env.HOME ?? homedir();
  const laid: string[] = [];
  try {
    for (const [path, digest] of Object.entries(settings)) {
      if (settingsDigest(realHome, path, key) !== digest)
        throw new Unmeasurable(`~/${path} is not what it was when the loop began`, [
          'Put it back. If you changed it yourself, begin a new loop.',
        ]);
      const to = join(home, path);
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
      writeWhole(to, readSmall(join(realHome, path)) ?? '');
      laid.push(to);
    }
    return await run();
  } finally {
    for (const path of laid) rmSync(path, { force: true });
  }
}
