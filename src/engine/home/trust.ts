import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { changedInContract } from '../core/contract/changed-contract.ts';
import type { FrozenContract } from '../core/contract/contract.ts';
import { isSafeId } from '../core/text/paths.ts';
import { redact } from '../core/text/redact.ts';
import { concernsEveryTool } from '../core/tools/tool-rules.ts';
import { hmacSha256 } from '../files/digest.ts';
import { belowFolder } from '../files/platform.ts';
import { readSmall, writeWhole } from '../files/whole-file.ts';
import type { Standing, StandingState } from '../ports/ports.ts';
import { JournalError } from './journal/file.ts';
import { type Home, projectFolder, readKey, realPath, sealedJson, unsealedJson } from './layout.ts';
import { verdictCache } from './verdicts.ts';

/** The fingerprints of contracts that you trust in a project. Each is sealed, so that nobody else can add one. */
interface TrustFile {
  v: 1;
  /** The spelling on disk. Another program may have written anything here. */
  approved: ({ fingerprint: string; at: string; seal: string } | null)[];
}

export function isTrusted(home: Home, project: string, fingerprint: string): boolean {
  const named = readTrustFile(home, project).approved.filter((entry) => entry?.fingerprint === fingerprint);
  // Without a home there is no key either, and nothing is trusted.
  return (
    named.length > 0 && named.some((entry) => entry?.seal === sealTrust(project, fingerprint, readKey(home)))
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

/** Takes back all trust in a project: its loops wait for you again, its standing gates do nothing. */
export function revokeTrust(home: Home, project: string): void {
  rmSync(trustPath(home, project), { force: true });
  rmSync(trustedTextFile(home, project), { force: true });
}

/** Takes back the trust in these contracts alone. Returns how many other ones of the project stay trusted. */
export function takeBackTrust(home: Home, project: string, fingerprints: readonly string[]): number {
  const { approved } = readTrustFile(home, project);
  const others = approved.filter((entry) => entry && !fingerprints.includes(entry.fingerprint));
  if (others.length === 0) {
    revokeTrust(home, project);
    dropStanding(home, project);
    return 0;
  }
  const rest: TrustFile = { v: 1, approved: others };
  writeWhole(trustPath(home, project), `${JSON.stringify(rest, null, 2)}\n`);
  const last = trustedContract(home, project);
  if (last && fingerprints.includes(last.frozen.fingerprint)) dropStanding(home, project);
  return others.length;
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
      if (!existsSync(marker(home, project))) return undefined;
      const contract = trustedContract(home, project);
      if (contract) return contract;
      throw new JournalError(
        `${contractFile(home, project)} is missing or damaged, so the gates and rules for sessions of ${project} do nothing: in a terminal there, trust them again: untildone trust`,
      );
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

/** The contract that you trusted last, as it was then. */
export function trustedContract(home: Home, project: string): FrozenContract | undefined {
  const text = readSmall(contractFile(home, project));
  return text === undefined
    ? undefined
    : unsealedJson<FrozenContract>(text, contractPurpose(project), readKey(home));
}

/** The texts that you saw when you trusted a contract, without secrets. */
export interface TrustedText {
  /** `untildone.yaml`. */
  contract: string;
  /** The scripts and files that its commands use. */
  parts: Record<string, string>;
}

const LONGEST_TEXT = 200_000;

/** Keeps what you saw, so that the next time you are shown what changed. */
export function keepTrustedText(
  home: Home,
  project: string,
  { contract, parts }: TrustedText,
  secrets: readonly string[],
): void {
  const short = (text: string) => redact(text.slice(0, LONGEST_TEXT), secrets);
  const kept: TrustedText = {
    contract: short(contract),
    parts: Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, short(text)])),
  };
  writeWhole(trustedTextFile(home, project), sealedJson(kept, textPurpose(project), readKey(home)));
}

/** What you saw when you last trusted a contract of this project; undefined when that is not known. */
export function trustedText(home: Home, project: string): TrustedText | undefined {
  const text = readSmall(trustedTextFile(home, project));
  return text === undefined ? undefined : unsealedJson(text, textPurpose(project), readKey(home));
}

/** Names what changed since you last trusted a contract of this project; empty when you never did. */
export function changedSinceTrusted(
  home: Home,
  project: string,
  now: Pick<FrozenContract, 'contract'> & { frozen: Pick<FrozenContract['frozen'], 'parts'> },
): string[] {
  const before = trustedContract(home, project);
  return before ? changedInContract(before, now) : [];
}

/** Keeps a contract that you trust. When it has standing gates or rules, every session of the project is guarded. */
export function setStanding(home: Home, project: string, contract: FrozenContract): void {
  mkdirSync(projectFolder(home, project), { recursive: true, mode: 0o700 });
  writeWhole(contractFile(home, project), sealedJson(contract, contractPurpose(project), readKey(home)));
  const { everyStop, subagent, taskDone, teammate, memory, taskCreated, prompt, tools, reflection } =
    contract.contract;
  const parts = [everyStop, subagent, taskDone, teammate, memory, taskCreated, prompt, tools, reflection];
  dropStanding(home, project);
  markTrusted(home, project);
  if (parts.every((part) => !part)) return;
  mkdirSync(dirname(marker(home, project)), { recursive: true, mode: 0o700 });
  // With content, `hold.sh` holds a session whose hook did not answer.
  writeWhole(marker(home, project), everyStop || subagent ? 'measures\n' : '');
  if (tools && concernsEveryTool(tools)) writeWhole(toolsMarker(home, project), '');
}

/** Stops guarding the sessions of a project that have no loop. */
export function dropStanding(home: Home, project: string): void {
  rmSync(marker(home, project), { force: true });
  rmSync(toolsMarker(home, project), { force: true });
  rmSync(trustedMarker(home, project), { force: true });
}

/** Whether a contract of the project was trusted: then a session's first tree is kept, whatever the contract guards. */
export function isMarkedTrusted(home: Home, project: string): boolean {
  return existsSync(trustedMarker(home, project));
}

/** Marks a project whose contract is trusted, for the line of SessionStart. Never throws: the marker only saves time. */
export function markTrusted(home: Home, project: string): void {
  const file = trustedMarker(home, project);
  if (existsSync(file)) return;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeWhole(file, '');
  } catch {
    // The first tree of a session is kept at a later sign then.
  }
}

/** A file beside the marker, for every contract that is trusted. */
function trustedMarker(home: Home, project: string): string {
  return join(home.root, 'standing', belowFolder(project), '.trusted');
}

/** A file at the project's own path below `standing`, where the installed line finds it with one test. */
function marker(home: Home, project: string): string {
  return join(home.root, 'standing', belowFolder(project), '.on');
}

/** Whether gates that measure guard every session of a project: its marker has content then, which `hold.sh` asks for, too. */
export function measuresSessions(home: Home, project: string): boolean {
  return (statSync(marker(home, project), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** A file beside the marker, for rules that concern even tools which change nothing. */
function toolsMarker(home: Home, project: string): string {
  return join(home.root, 'standing', belowFolder(project), '.tools');
}

/** What the contract is sealed for, so that the contract of another project does not count here. */
function contractPurpose(project: string): string {
  return `standing contract of ${realPath(project)}`;
}

function contractFile(home: Home, project: string): string {
  return join(projectFolder(home, project), 'standing.json');
}

function trustedTextFile(home: Home, project: string): string {
  return join(projectFolder(home, project), 'trusted-text.json');
}

function textPurpose(project: string): string {
  return `trusted text of ${realPath(project)}`;
}

function stateFile(home: Home, session: string): string {
  return join(home.sessions, `${session}.standing`);
}
