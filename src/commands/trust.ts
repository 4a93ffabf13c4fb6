import { resolveParts } from '../adapters/command-parts.ts';
import { setStanding } from '../adapters/standing.ts';
import { approve } from '../adapters/trust.ts';
import { type Freezing, freeze } from '../app/freeze.ts';
import { CONTRACT_FILE } from '../core/contract.ts';
import { confirm, onTerminal } from './ask.ts';
import { type ContractFile, readContract } from './contract-file.ts';
import { judgeTime } from './installed-hooks.ts';
import { onlyForPeople } from './person.ts';
import { claudeConfigDir } from './project.ts';
import { UsageError } from './usage-error.ts';
import type { World } from './world.ts';

export interface TrustOptions {
  show: boolean;
  fingerprint?: string;
}

/** Shows what a contract will run on this machine, and keeps that a person approved exactly that. */
export async function trust(
  options: TrustOptions,
  world: World,
  out: (line: string) => void,
): Promise<number> {
  if (!options.show) onlyForPeople('trust', world.home, world.env);
  const file = readContract(world.project);
  if (!file)
    throw new UsageError(`there is no ${CONTRACT_FILE} in ${world.project}; make one with: untildone init`);
  for (const warning of file.warnings) out(`Note: ${warning}`);
  const freezing = await freezeNow(file, world);
  const { fingerprint } = freezing.frozen;
  for (const line of whatRuns(freezing, world.project)) out(line);
  out(`Fingerprint: ${fingerprint}`);
  if (options.show) return 0;
  const approved = world.store.isTrusted(world.project, fingerprint);
  if (!approved && !(await agreed(options.fingerprint, fingerprint))) {
    out('Not approved; nothing was changed.');
    return 1;
  }
  approve(world.home, world.project, fingerprint, world.clock.now());
  const frozen = {
    ...freezing.frozen,
    contractFile: file.sha256,
    judgeMs: judgeTime(world.project, claudeConfigDir(world.env)),
  };
  setStanding(world.home, world.project, { contract: file.contract, frozen });
  out(approved ? 'Approved already.' : 'Approved. Loops of this project are judged from their next stop on.');
  return 0;
}

export async function freezeNow(file: ContractFile, world: World): Promise<Freezing> {
  return freeze(file.contract, world.project, await world.judges(file.contract));
}

function whatRuns(freezing: Freezing, project: string): string[] {
  const gates = Object.entries(freezing.commands);
  if (gates.length === 0) return ['This contract runs no commands.'];
  const commands = gates.flatMap(([gate, lines]) => lines.map((line) => `  ${gate}: ${line}`));
  const parts = Object.entries(
    resolveParts(
      project,
      gates.flatMap(([, lines]) => lines),
    ),
  ).filter(([, text]) => text !== '');
  return [
    'These commands will run on this machine, as you, whenever a loop of this project is judged:',
    ...commands,
    ...(parts.length > 0 ? ['They lean on:'] : []),
    ...parts.map(([name, text]) => `  ${name}: ${firstLine(text)}`),
  ];
}

function firstLine(text: string): string {
  const lines = text.trim().split('\n');
  return lines.length === 1 ? (lines[0] ?? '') : `${lines.length} lines`;
}

async function agreed(given: string | undefined, fingerprint: string): Promise<boolean> {
  if (given !== undefined) {
    if (given === fingerprint) return true;
    throw new UsageError(
      `the fingerprint is ${fingerprint}, not ${given}: something was changed; look at it again with --show`,
    );
  }
  if (!onTerminal()) {
    throw new UsageError(
      'nobody is there to ask; look with "untildone trust --show", then name what you mean: untildone trust --fingerprint HASH',
    );
  }
  return confirm('Run these whenever a loop is judged?');
}
