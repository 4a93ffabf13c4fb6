/** Looks at everything that a hold rests on, mends what can be mended safely, and proves the hold with Claude Code. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACT_FILE } from '../../engine/core/contract/contract.ts';
import { hasEnded } from '../../engine/core/loop/state.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { sandboxProblem } from '../../engine/project/walls/walls-for.ts';
import { lookAtContract } from './contract.ts';
import { type Finding, joinLooked, type Looked, NOTHING, type Patient } from './finding.ts';
import { lookAtHome } from './home.ts';
import { lookAtHosts } from './hosts.ts';
import { lookAtLoops, loopsHere } from './loops.ts';
import { findClient, lookAtClient, lookAtClock, lookAtGit, lookAtNode } from './machine.ts';
import { lookAtControllers, lookAtOthers, type Process, processesHere } from './others.ts';
import { lookAtSettings, settingsHere } from './settings.ts';

/** What the doctor asks of this machine; tests answer instead. */
export interface Instruments {
  findClient: typeof findClient;
  sandboxProblem: typeof sandboxProblem;
  processes(): Process[] | undefined;
}

export const INSTRUMENTS: Instruments = { findClient, sandboxProblem, processes: processesHere };

export type Basics = Omit<Patient, 'isUsed'>;

/** `openProject` throws where the home cannot be used: everything else is looked at all the same. */
export async function examine(
  basics: Basics,
  openProject: () => ProjectPorts,
  instruments: Instruments = INSTRUMENTS,
): Promise<Looked> {
  const world = opened(openProject);
  const loops = world ? safely(() => loopsHere(world.store, basics.project), []) : [];
  const unended = loops.some((loop) => 'state' in loop && !hasEnded(loop.state));
  const patient = { ...basics, isUsed: unended || existsSync(join(basics.project, CONTRACT_FILE)) };
  const files = settingsHere(patient);
  const home = lookAtHome(patient);
  const client = instruments.findClient(patient.env);
  const newest = loops.flatMap((loop) => ('state' in loop ? [loop.state.lastAt] : []));
  return joinLooked([
    lookAtNode(patient),
    lookAtClient(client),
    home,
    lookAtSettings(patient, files, client?.version),
    lookAtOthers(files),
    lookAtHosts(patient),
    world ? await lookAtContract(world, instruments.sandboxProblem) : NOTHING,
    world && home.usable ? lookAtLoops(loops, world.store, patient) : NOTHING,
    lookAtControllers(patient, instruments.processes()),
    lookAtGit(patient),
    lookAtClock(patient.now, newest, home.probe),
  ]);
}

function opened(open: () => ProjectPorts): ProjectPorts | undefined {
  try {
    return open();
  } catch {
    // `lookAtHome` says why.
    return undefined;
  }
}

function safely<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

export interface Mended {
  id: string;
  /** What was changed; or why it could not be. */
  changed?: string;
  problem?: string;
}

/** Mends what can be mended in a way that can be taken back. */
export function mend(findings: readonly Finding[]): Mended[] {
  return findings.flatMap(({ id, fix }): Mended[] => {
    if (!fix) return [];
    try {
      return [{ id, changed: fix() }];
    } catch (error) {
      return [{ id, problem: (error as Error).message }];
    }
  });
}
