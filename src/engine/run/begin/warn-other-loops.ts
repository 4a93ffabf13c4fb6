import { basename, relative } from 'node:path';
import { featureGates } from '../../core/contract/child-contract.ts';
import type { Contract } from '../../core/contract/contract.ts';
import { hasEnded } from '../../core/loop/state.ts';
import { quoteForShell } from '../../core/shell/words.ts';
import { ALL_FORMATS } from '../../formats/all.ts';
import type { StateFormat, StatePlace } from '../../formats/format.ts';
import { claimFiles } from '../../home/claims.ts';
import { foreignPlaceOf } from '../../hook/wiring/detect-foreign-state.ts';
import type { ProjectPorts } from '../../hook/wiring/project-ports.ts';
import { foreignFiles } from '../../project/files.ts';

type Beside = Pick<ProjectPorts, 'project' | 'env' | 'clock' | 'home' | 'store'>;

/** Notes about foreign loops in the project: a run does not work on them, and how they are run. */
export function besideRun(contract: Contract, world: Beside): string[] {
  const { project, env, clock } = world;
  const place = foreignPlaceOf({ session: '', cwd: project }, project, env, clock.now());
  return ALL_FORMATS.flatMap((format) => {
    const path = format.path(place);
    return path !== undefined && waitsForSession(format, path, place, world)
      ? wordsFor(format, path, contract, project)
      : [];
  });
}

function waitsForSession(
  format: StateFormat,
  path: string,
  place: StatePlace,
  { home, store }: Beside,
): boolean {
  const reading = format.read(place, foreignFiles);
  if (reading.kind !== 'loop' || reading.loop.rest !== undefined || reading.loop.owner !== undefined)
    return false;
  const dir = claimFiles(home).of(path)?.loopDir;
  try {
    const state = dir === undefined ? undefined : store.read({ loop: basename(dir), dir });
    return state === undefined || hasEnded(state) || store.clientOf(state.session) === 'gone';
  } catch {
    // A journal that cannot be read holds no session.
    return true;
  }
}

function wordsFor(format: StateFormat, path: string, contract: Contract, project: string): string[] {
  const shown = (file: string) => {
    const short = relative(project, file);
    return short.startsWith('..') ? file : short;
  };
  if (format.name !== 'feature-list')
    return [
      `${shown(path)} (${format.name}) waits for a session; it does not hold the sessions of this run.`,
    ];
  const list = foreignFiles.realPath(`${path}/feature_list.json`);
  const isOurs = ({ file }: { file: string }) =>
    foreignFiles.realPath(file.startsWith('/') ? file : `${project}/${file}`) === list;
  if (featureGates(contract).some(isOurs)) return [];
  const prompt = `${path}/RALPH_PROMPT.md`;
  const task = foreignFiles.look(prompt)
    ? `--prompt-file ${quoteForShell(shown(prompt))}`
    : quoteForShell('Make every feature pass');
  const how = `untildone run ${task} --features ${quoteForShell(shown(`${path}/feature_list.json`))}`;
  return [`${shown(path)} holds an open feature list; this run does not work on it. To run it: ${how}`];
}
