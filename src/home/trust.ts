import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FrozenContract } from '../core/contract/contract.ts';
import { isSafeId } from '../core/text/paths.ts';
import { concernsEveryTool } from '../core/tools/tool-rules.ts';
import { hmacSha256 } from '../files/digest.ts';
import { readSmall, writeWhole } from '../files/whole-file.ts';
import type { Standing, StandingState } from '../ports/ports.ts';
import { type Home, projectFolder, readKey, realPath, sealedJson, unsealedJson } from './layout.ts';
import { verdictCache } from './verdicts.ts';

/** Fingerprints of contracts that a person approved for a project; sealed, so that a plain write does not approve. */
interface TrustFile {
  v: 1;
  /** Anything may have been written there by someone else. */
  approved: ({ fingerprint: string; at: string; seal: string } | null)[];
}

export function isTrusted(home: Home, project: string, fingerprint: string): boolean {
  const key = readKey(home);
  return readTrustFile(home, project).approved.some(
    (entry) => entry?.fingerprint === fingerprint && entry.seal === sealTrust(project, fingerprint, key),
  );
}

export function recordTrust(home: Home, project: string, fingerprint: string, now: number): void {
  if (isTrusted(home, project, fingerprint)) return;
  const { approved } = readTrustFile(home, project);
  const seal = sealTrust(project, fingerprint, readKey(home));
  const entry = { fingerprint, at: new Date(now).toISOString(), seal };
  const file = trustPath(home, project);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(
    file,
    `${JSON.stringify({ v: 1, approved: [...approved, entry] } satisfies TrustFile, null, 2)}\n`,
  );
}

/** Forgets every approval of a project; its loops wait for a person again, its standing gates sleep. */
export function revokeTrust(home: Home, project: string): void {
  rmSync(trustPath(home, project), { force: true });
}

function readTrustFile(home: Home, project: string): TrustFile {
  const none: TrustFile = { v: 1, approved: [] };
  const text = readSmall(trustPath(home, project));
  if (text === undefined) return none;
  try {
    const value = JSON.parse(text) as Partial<TrustFile>;
    return Array.isArray(value.approved) ? (value as TrustFile) : none;
  } catch {
    return none;
  }
}

function trustPath(home: Home, project: string): string {
  return join(projectFolder(home, project), 'trust.json');
}

function sealTrust(project: string, fingerprint: string, key: string): string {
  return hmacSha256(key, `trust ${project} ${fingerprint}`);
}

const NOTHING: StandingState = { blocks: 0, guarded: {} };

export function standingFiles(home: Home): Standing {
  return {
    contract(project) {
      return existsSync(marker(home, project)) ? trustedContract(home, project) : undefined;
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
export function trustedContract(home: Home, project: string): FrozenContract | undefined {
  const text = readSmall(contractFile(home, project));
  return text === undefined
    ? undefined
    : unsealedJson<FrozenContract>(text, contractPurpose(project), readKey(home));
}

/** Called when a person approved a contract: from now on every session of the project is looked after, or none. */
export function setStanding(home: Home, project: string, contract: FrozenContract): void {
  mkdirSync(projectFolder(home, project), { recursive: true, mode: 0o700 });
  writeWhole(contractFile(home, project), sealedJson(contract, contractPurpose(project), readKey(home)));
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
function contractPurpose(project: string): string {
  return `standing contract of ${realPath(project)}`;
}

function contractFile(home: Home, project: string): string {
  return join(projectFolder(home, project), 'standing.json');
}

function stateFile(home: Home, session: string): string {
  return join(home.sessions, `${session}.standing`);
}
