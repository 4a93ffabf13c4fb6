/** `untildone setup --undo`: takes back what setup did in this project, and says what it leaves. */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Scope } from '../../engine/client/settings/files.ts';
import { CONTRACT_FILE } from '../../engine/core/contract/contract.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { jsonLines } from '../../engine/core/text/visible.ts';
import { sha256 } from '../../engine/files/digest.ts';
import { namesIn, readSmall } from '../../engine/files/whole-file.ts';
import { projectFolder } from '../../engine/home/layout.ts';
import { forgetProposal } from '../../engine/home/records/proposal-record.ts';
import { forgetSetup, type SetupRecord, setupRecord } from '../../engine/home/records/setup-record.ts';
import { takeBackTrust } from '../../engine/home/trust.ts';
import { refuseInsideClient } from '../../engine/hook/start/person.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { settingsPlace } from '../install/commands.ts';
import { removeFromSettings } from '../install/install.ts';
import { refusalIn } from '../install/settings-change.ts';

interface Undone {
  taken: string[];
  kept: string[];
}

/** Exit code: 0 taken back, 1 there was nothing to take back. Throws for wrong use. */
export function undoSetup(
  { json }: { json: boolean },
  world: ProjectPorts,
  out: (line: string) => void,
): number {
  const { home, project, env } = world;
  refuseInsideClient('setup --undo', home, env);
  refuseUnderLoop(world);
  const record = setupRecord(home, project);
  const done: Undone = { taken: [], kept: [] };
  // In the order in which nothing is held any more first: a kill in between leaves no hook without its contract.
  for (const { scope } of record.hooks ?? []) undoHooks(scope, world, done);
  undoTrust(record, world, done);
  undoContract(record, world, done);
  forgetSetup(home, project);
  forgetProposal(home, project);
  const isNothing = done.taken.length === 0;
  if (json)
    for (const line of jsonLines({ result: isNothing ? 'nothing_done' : 'undone', project, ...done }))
      out(line);
  else sayUndone(done, world, out);
  return isNothing ? 1 : 0;
}

function sayUndone(
  { taken, kept }: Undone,
  { project, home }: ProjectPorts,
  out: (line: string) => void,
): void {
  for (const line of [...taken, ...kept]) out(line);
  if (taken.length > 0) out(`Journals and receipts stay in ${home.root}.`);
  else
    out(
      `There is nothing of "untildone setup" to take back in ${project}. What you installed or trusted otherwise: untildone uninstall, untildone trust --revoke`,
    );
}

/** Without its hooks and its trust, the session of an active loop would be let go unproven. */
function refuseUnderLoop({ store, project }: ProjectPorts): void {
  const [active] = store.unendedLoops(project);
  if (active)
    throw new UsageError(
      `loop ${active.loop} is active in ${project}; end it first with: untildone cancel ${active.loop}`,
    );
}

function undoHooks(scope: Scope, world: ProjectPorts, { taken, kept }: Undone): void {
  const place = { ...settingsPlace({ scope, dryRun: false, diff: false }), project: world.project };
  const others = scope === 'user' ? otherProjects(world) : [];
  if (others.length > 0) {
    kept.push(
      `Kept the hooks in your own settings: they hold sessions of other projects, too (${others.slice(0, 5).join(', ')}). To remove them: untildone uninstall --scope user`,
    );
    return;
  }
  try {
    const { line, outcome } = removeFromSettings(place);
    if (outcome.before !== outcome.after) taken.push(line);
  } catch (cause) {
    const words = refusalIn(cause, place);
    throw words === undefined ? cause : new UsageError(words);
  }
}

/** The names of other projects with a trusted contract, as their folders in the home are called. */
function otherProjects({ home, project }: ProjectPorts): string[] {
  const own = basename(projectFolder(home, project));
  return namesIn(home.projects)
    .filter((name) => name !== own && namesIn(join(home.projects, name)).includes('trust.json'))
    .map((name) => name.replace(/-[0-9a-f]{12}$/, ''));
}

function undoTrust(
  { trusted = [] }: SetupRecord,
  { home, project, store }: ProjectPorts,
  { taken, kept }: Undone,
): void {
  const still = trusted.filter((fingerprint) => store.isTrusted(project, fingerprint));
  if (still.length === 0) return;
  const others = takeBackTrust(home, project, still);
  taken.push('Took back the trust in the contract.');
  if (others > 0) kept.push('Kept your trust in contracts of this project that you gave otherwise.');
}

function undoContract({ contract }: SetupRecord, { project }: ProjectPorts, { taken, kept }: Undone): void {
  const path = join(project, CONTRACT_FILE);
  const text = readSmall(path);
  if (text === undefined) return;
  if (contract === undefined) kept.push(`Kept ${CONTRACT_FILE}: setup did not write it.`);
  else if (sha256(text) !== contract)
    kept.push(`Kept ${CONTRACT_FILE}: it was changed since setup wrote it.`);
  else {
    rmSync(path);
    taken.push(`Removed ${CONTRACT_FILE}, which setup had written.`);
  }
}
