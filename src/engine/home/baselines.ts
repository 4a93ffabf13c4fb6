import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isSafeId } from '../core/text/paths.ts';
import { sha256 } from '../files/digest.ts';
import { withLock } from '../files/lock.ts';
import { namesIn, readSmall, writeWhole } from '../files/whole-file.ts';
import type { Baseline, Baselines } from '../ports/ports.ts';
import { type Home, projectFolder, readKey, realPath, sealedJson, unsealedJson } from './layout.ts';

/** Where projects stood at the first sign of each session, a sealed file a session. */
export function baselineFiles(home: Home): Baselines {
  return {
    of: (project, session) => (isSafeId(session) ? read(home, project, session) : undefined),
    change(project, session, build) {
      if (!isSafeId(session)) return;
      mkdirSync(baselineFolder(projectFolder(home, project)), { recursive: true, mode: 0o700 });
      const file = fileOf(home, project, session);
      withLock(`${file}.lock`, () => {
        const after = build(read(home, project, session));
        if (after) writeWhole(file, sealedJson(after, purposeOf(project, session), readKey(home)));
      });
    },
  };
}

/** The folder of the baselines, in a project's folder in the home. */
function baselineFolder(inProject: string): string {
  return join(inProject, 'baselines');
}

/** A name without the id: it may be too long for a file. */
function fileOf(home: Home, project: string, session: string): string {
  return join(baselineFolder(projectFolder(home, project)), `${sha256(session).slice(0, 32)}.json`);
}

/** Undefined for a file that is missing, that somebody else wrote, or that cannot be read: another one is taken then. */
function read(home: Home, project: string, session: string): Baseline | undefined {
  try {
    const text = readSmall(fileOf(home, project, session));
    return text === undefined
      ? undefined
      : unsealedJson<Baseline>(text, purposeOf(project, session), readKey(home));
  } catch {
    return undefined;
  }
}

function purposeOf(project: string, session: string): string {
  return `baseline of ${realPath(project)} for ${session}`;
}

/** The baselines in a project's folder in the home. They name trees. */
export function baselinesIn(inProject: string): string[] {
  const folder = baselineFolder(inProject);
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));
}

/** Removes the baselines of sessions that are over. The trees that they name can go then. */
export function removeOldBaselines(inProject: string, oldBefore: number): void {
  for (const file of baselinesIn(inProject)) {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat && stat.mtimeMs < oldBefore) rmSync(file, { recursive: true, force: true });
  }
}
