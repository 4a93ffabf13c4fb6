/** Which commands count: those of an operator of this fleet, for this run, of these days. */
import { sayDuration } from '../../engine/core/text/duration.ts';
import type { RunCommand } from '../../engine/ports/fleet.ts';
import type { Seals } from './seal.ts';

/** Clocks of operators and workers may differ by so much. */
export const SKEW_MS = 10 * 60_000;
/** A command that waits for longer is asked again by hand. */
const MOST_AGE_MS = 7 * 86_400_000;

const NEEDS_SEEN = new Set<RunCommand['command']>(['answer', 'approve', 'reject']);

function purposeOf(run: string): string {
  return `command to run ${run}`;
}

export function sealCommand(run: string, command: RunCommand, seals: Seals): RunCommand {
  return seals.sealed(command, purposeOf(run));
}

/** Why a command does not count; undefined for one that does. */
export function whyRefused(run: string, command: RunCommand, seals: Seals, now: number): string | undefined {
  const named = `${command.command}${command.about === undefined ? '' : ` ${command.about}`}`;
  if (!seals.fits(command, purposeOf(run)))
    return `"${named}" does not have the seal of this fleet for this run: upgrade operator and worker to the same version, and ask again; if nobody of yours asked it, somebody else can write to the queue`;
  if (NEEDS_SEEN.has(command.command) && !command.seen) return `"${named}" does not say what it is about`;
  if (command.at > now + SKEW_MS)
    return `"${named}" comes from a time to come: the clock of who asked is ${sayDuration(command.at - now)} ahead of this worker's`;
  if (command.at < now - MOST_AGE_MS) return `"${named}" is ${sayDuration(now - command.at)} old: ask again`;
  return undefined;
}
