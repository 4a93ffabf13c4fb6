/**
 * The sealed record of the program that the hooks run. Which one that is decides a person, outside of a session, by `install` or
 * `setup`. The program at the recorded place renews the record after an upgrade; every other one leaves it as it is.
 */
import { type BigIntStats, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newerThan } from '../../core/text/version.ts';
import { sha256, sha256OfFile } from '../../files/digest.ts';
import { namesIn, readSmall, writeWhole } from '../../files/whole-file.ts';
import { JournalError } from '../journal/file.ts';
import {
  createHome,
  type Home,
  holdsSealed,
  readKey,
  realPath,
  sealedJson,
  unsealedJson,
} from '../layout.ts';
import { isFilled, isProgram, type Program } from '../program.ts';

export interface ProgramRecord {
  readonly v: 1;
  /** The bundle that `hook.sh` starts, and the Node that it is started with. */
  readonly hookEntry: string;
  readonly nodePath: string;
  readonly version: string;
  /** SHA-256 over its files. */
  readonly digest: string;
  /** Sizes and times of these files: as long as they stay, no file is read again. */
  readonly stamp: string;
  readonly at: number;
  /** `first use`: there were no hooks before. `hook.sh`: a version without records had written only that script. */
  readonly by: 'install' | 'first use' | 'hook.sh' | 'upgrade' | 'build';
  /** It lies in a checkout, where it is built again and again, and so has other bytes in one version. */
  readonly checkout?: true;
  /** The last upgrade in this place. */
  readonly upgraded?: { readonly from: string; readonly at: number };
}

/** How a program stands to the record of a home. */
export type Standing =
  /** Hooks were never set up in this home. */
  | { kind: 'none' }
  /** It is the recorded one; `renewed` is what has to be recorded of it now. */
  | { kind: 'recorded'; record: ProgramRecord; renewed?: ProgramRecord }
  /** It lies in the recorded place, and it is neither what was recorded nor a newer version. */
  | { kind: 'changed'; record: ProgramRecord }
  /** The hooks run a program in another place. */
  | { kind: 'other'; hookEntry: string; version: string | undefined; state: 'there' | 'altered' | 'gone' }
  /** The record cannot be read, or nothing says which program the hooks run. */
  | { kind: 'unreadable'; cause: 'key' | 'record'; problem: string };

const PURPOSE = 'program of the hooks';

function recordFile({ root }: Home): string {
  return join(root, 'hook-program');
}

/** What `hook.sh` names, as far as there is such a script. */
export interface NamedProgram {
  readonly version: string | undefined;
  readonly nodePath: string | undefined;
  readonly hookEntry: string | undefined;
}

/** Compares a program with the record. Reads its files only where their sizes or times have changed. Writes nothing. */
export function standingOf(program: Program, named: NamedProgram | 'none' | 'lost', home: Home): Standing {
  let record: ProgramRecord | undefined;
  try {
    record = readProgramRecord(home);
  } catch (error) {
    const cause = error instanceof JournalError ? 'key' : 'record';
    return { kind: 'unreadable', cause, problem: (error as Error).message };
  }
  if (record !== undefined) return recordedStanding(program, record);
  if (named === 'none') return { kind: 'none' };
  if (named === 'lost' || named.hookEntry === undefined)
    return {
      kind: 'unreadable',
      cause: 'record',
      problem: `${recordFile(home)} and hook.sh do not say which it is`,
    };
  const { hookEntry, version } = named;
  if (realPath(hookEntry) !== realPath(program.hookEntry))
    return { kind: 'other', hookEntry, version, state: isFilled(hookEntry) ? 'there' : 'gone' };
  const found = recordOf(withNode(program, named.nodePath), 'hook.sh');
  return { kind: 'recorded', record: found, renewed: found };
}

function recordedStanding(program: Program, record: ProgramRecord): Standing {
  const isSame = realPath(program.hookEntry) === realPath(record.hookEntry);
  const isNewer = newerThan(program.version, record.version);
  if (isNewer && (isSame || placeOf(program.hookEntry) === placeOf(record.hookEntry))) {
    const upgraded = { from: record.version, at: Date.now() };
    const renewed = { ...recordOf(withNode(program, record.nodePath), 'upgrade'), upgraded };
    return { kind: 'recorded', record, renewed };
  }
  if (!isSame)
    return { kind: 'other', hookEntry: record.hookEntry, version: record.version, state: stateOf(record) };
  return sameProgram(program, record);
}

/** So long after an upgrade its files may still be written. */
const SETTLES_MS = 60_000;

function sameProgram(program: Program, record: ProgramRecord): Standing {
  const { stamp, changedAt } = stampOf(record.hookEntry);
  const isSameVersion = program.version === record.version;
  const { version, nodePath } = withNode(program, record.nodePath);
  const own = { ...record, version, nodePath };
  if (isSameVersion && stamp === record.stamp)
    return { kind: 'recorded', record, ...(nodePath === record.nodePath ? {} : { renewed: own }) };
  // It was replaced while it ran: its successor looks at itself.
  if (changedAt > startedAt()) return { kind: 'recorded', record };
  const digest = digestOf(record.hookEntry);
  if (isSameVersion && digest === record.digest)
    return { kind: 'recorded', record, renewed: { ...own, stamp } };
  const isSettling = record.by === 'upgrade' && changedAt < record.at + SETTLES_MS;
  if (isSameVersion && isSettling) return { kind: 'recorded', record, renewed: { ...own, stamp, digest } };
  if (record.checkout)
    return { kind: 'recorded', record, renewed: { ...own, stamp, digest, by: 'build', at: Date.now() } };
  return { kind: 'changed', record };
}

/** A Node that is named and there stays named. */
function withNode(program: Program, named: string | undefined): Program {
  return named !== undefined && isProgram(named) ? { ...program, nodePath: named } : program;
}

function startedAt(): number {
  return Date.now() - process.uptime() * 1000;
}

/** Throws when the record is not as it was sealed. Undefined: there is none. */
function readProgramRecord(home: Home): ProgramRecord | undefined {
  const file = recordFile(home);
  const text = readSmall(file);
  if (text === undefined) {
    // Without its key nothing of this home counts, and nothing can be recorded.
    if (holdsSealed(home)) readKey(home);
    return undefined;
  }
  const record = unsealedJson<ProgramRecord>(text, PURPOSE, readKey(home));
  if (record === undefined) throw new Error(`${file} was damaged or changed: its seal does not fit`);
  return record;
}

export function writeProgramRecord(record: ProgramRecord, home: Home): void {
  createHome(home);
  writeWhole(recordFile(home), sealedJson(record, PURPOSE, readKey(home)));
}

/** Whether something can be sealed in this home, with the key that is there or with its first one. */
export function canSeal(home: Home): boolean {
  try {
    if (holdsSealed(home)) readKey(home);
    return true;
  } catch {
    return false;
  }
}

/** What is recorded of a program as it lies there now. */
export function recordOf(program: Program, by: ProgramRecord['by']): ProgramRecord {
  const { version, hookEntry, nodePath } = program;
  const { stamp } = stampOf(hookEntry);
  const digest = digestOf(hookEntry);
  const checkout = isCheckout(hookEntry) ? ({ checkout: true } as const) : {};
  return { v: 1, hookEntry, nodePath, version, digest, stamp, at: Date.now(), by, ...checkout };
}

/** A folder of git with our sources, and in it what `npm run build` makes. */
function isCheckout(hookEntry: string): boolean {
  const built = dirname(realPath(hookEntry));
  const root = dirname(built);
  return built === join(root, 'dist') && existsSync(join(root, '.git')) && existsSync(join(root, 'src/main'));
}

/**
 * The path of a program without its own version, where each version has a folder of its own: the cache of plugins of Claude Code,
 * and what the launcher of the plugin fetched.
 */
function placeOf(hookEntry: string): string {
  return realPath(hookEntry)
    .replace(/(\/plugins\/cache\/[^/]+\/[^/]+\/)[^/]+(?=\/dist\/)/, '$1*')
    .replace(/(\/program\/)[^/]+(?=\/node_modules\/untildone\/dist\/)/, '$1*');
}

function stateOf(record: ProgramRecord): 'there' | 'altered' | 'gone' {
  if (!isFilled(record.hookEntry)) return 'gone';
  if (stampOf(record.hookEntry).stamp === record.stamp) return 'there';
  return digestOf(record.hookEntry) === record.digest ? 'there' : 'altered';
}

/** The files of which a program consists: the bundles of hooks, the modules of its commands, and the grammars that they load. */
function filesOf(hookEntry: string): string[] {
  const folder = dirname(hookEntry);
  const bundles = namesIn(folder).filter((name) => name.endsWith('.cjs'));
  const below = ['program', 'grammars'].flatMap((place) =>
    namesIn(join(folder, place)).map((name) => `${place}/${name}`),
  );
  return [...bundles, ...below].sort().map((name) => join(folder, name));
}

/** `changedAt`: when the last of the files was changed. */
function stampOf(hookEntry: string): { stamp: string; changedAt: number } {
  let changedAt = 0;
  const lines = filesOf(hookEntry).map((path) => {
    const stat: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false });
    changedAt = Math.max(changedAt, Number(stat?.ctimeMs ?? 0));
    return `${path} ${stat?.size} ${stat?.mtimeNs} ${stat?.ctimeNs} ${stat?.ino}`;
  });
  return { stamp: sha256(lines.join('\n')), changedAt };
}

function digestOf(hookEntry: string): string {
  const root = dirname(hookEntry).length;
  return sha256(
    filesOf(hookEntry)
      .map((path) => `${sha256OfFile(path)} ${path.slice(root)}`)
      .join('\n'),
  );
}
