import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FrozenContract } from '../core/contract/contract.ts';
import { isSafeId } from '../core/text/safe-id.ts';
import { concernsEveryTool } from '../core/tools/tool-rules.ts';
import { readSmall, writeWhole } from '../files/whole-file.ts';
import type { Standing, StandingState } from '../ports/ports.ts';
import { type Home, projectFolder, readKey, realPath } from './layout.ts';
import { sealedJson, unsealedJson } from './sealed-json.ts';
import { verdictCache } from './verdicts.ts';

const NOTHING: StandingState = { blocks: 0, guarded: {} };

export function standingFiles(home: Home): Standing {
  return {
    contract(project) {
      return existsSync(marker(home, project)) ? approvedContract(home, project) : undefined;
    },
    read(session) {
      const text = isSafeId(session) ? readSmall(stateFile(home, session)) : undefined;
      return (text && unsealedJson<StandingState>(text, `standing ${session}`, readKey(home))) || NOTHING;
    },
    write(session, state) {
      if (!isSafeId(session)) return;
      writeWhole(stateFile(home, session), sealedJson(state, `standing ${session}`, readKey(home)));
    },
    cache: (project) => verdictCache(join(projectFolder(home, project), 'standing-verdicts'), readKey(home)),
    outputDir: (project) => join(projectFolder(home, project), 'standing-output'),
  };
}

/** The contract as a person approved it last, frozen then. */
export function approvedContract(home: Home, project: string): FrozenContract | undefined {
  const text = readSmall(contractFile(home, project));
  return text === undefined
    ? undefined
    : unsealedJson<FrozenContract>(text, contractOf(project), readKey(home));
}

/** Called when a person approved a contract: from now on every session of the project is looked after, or none. */
export function setStanding(home: Home, project: string, contract: FrozenContract): void {
  mkdirSync(projectFolder(home, project), { recursive: true, mode: 0o700 });
  writeWhole(contractFile(home, project), sealedJson(contract, contractOf(project), readKey(home)));
  const { everyStop, subagent, taskDone, teammate, memory, taskCreated, prompt, tools } = contract.contract;
  const parts = [everyStop, subagent, taskDone, teammate, memory, taskCreated, prompt, tools];
  dropStanding(home, project);
  if (parts.every((part) => !part)) return;
  mkdirSync(dirname(marker(home, project)), { recursive: true, mode: 0o700 });
  writeWhole(marker(home, project), '');
  if (tools && concernsEveryTool(tools)) writeWhole(toolsMarker(home, project), '');
}

/** Nobody is looked after here any more. */
export function dropStanding(home: Home, project: string): void {
  rmSync(marker(home, project), { force: true });
  rmSync(toolsMarker(home, project), { force: true });
}

/** At the project's own path below `standing`: the installed line finds it with one test. */
function marker(home: Home, project: string): string {
  return join(home.root, 'standing', project, '.on');
}

/** Beside it: rules that tools which change nothing have to be asked about, too. */
function toolsMarker(home: Home, project: string): string {
  return join(home.root, 'standing', project, '.tools');
}

/** The contract of another project, put here, is not this one's. */
function contractOf(project: string): string {
  return `standing contract of ${realPath(project)}`;
}

function contractFile(home: Home, project: string): string {
  return join(projectFolder(home, project), 'standing.json');
}

function stateFile(home: Home, session: string): string {
  return join(home.sessions, `${session}.standing`);
}
