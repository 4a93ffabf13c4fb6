/** The same run without a fleet: `untildone run` in a clone. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Fleet } from '../../test/support/fleet/fleet.ts';
import { taskOf } from '../../test/support/fleet/score.ts';

let clones = 0;

/** A clone whose contract is trusted. */
export async function localProject(fleet: Fleet): Promise<string> {
  const { operator } = fleet;
  const folder = join(mkdtempSync(join(operator.folder, 'local-')), `clone-${++clones}`);
  execFileSync('git', ['clone', '--quiet', fleet.remotes[0]?.url ?? '', folder], { env: operator.env });
  const shown = await operator.start(['trust', '--show'], {}, folder).ended;
  const fingerprint = /Fingerprint: (\w+)/.exec(shown.stdout)?.[1] ?? '';
  await operator.start(['trust', '--fingerprint', fingerprint], {}, folder).ended;
  return folder;
}

export interface LocalRun {
  wholeMs: number;
  /** From the start of the command to the first session. */
  sessionMs: number;
}

export async function startLocalRun(fleet: Fleet): Promise<LocalRun> {
  return runLocally(fleet, await localProject(fleet));
}

export async function runLocally(fleet: Fleet, folder: string): Promise<LocalRun> {
  const task = taskOf('Make the pieces', { ledger: fleet.ledger });
  const before = Date.now();
  const { code, stdout, stderr } = await fleet.operator.start(['run', task], {}, folder).ended;
  if (code !== 0) throw new Error(`the run on one machine ended with ${code}: ${stdout}${stderr}`);
  const began = fleet.deeds().find(({ cwd, kind }) => kind === 'began' && cwd === folder);
  return { wholeMs: Date.now() - before, sessionMs: (began?.at ?? Number.NaN) - before };
}
