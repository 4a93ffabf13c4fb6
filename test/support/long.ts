import { describe, test } from 'vitest';

/** `npm run test:long` sets it: everything that is repeated is repeated as often as it was meant to be. */
export const isLong = process.env.UNTILDONE_LONG !== undefined;

const SHARE = 10;

/** How often something random is repeated: a tenth of the full count, unless the run is a long one. */
export function rounds(full: number, atLeast = 1): number {
  return isLong ? full : Math.max(atLeast, Math.ceil(full / SHARE));
}

/** The first of them; in a long run, all: forms of one and the same thing, of which the first ones show it best. */
export function few<T>(all: readonly T[], count: number): readonly T[] {
  return isLong ? all : all.slice(0, count);
}

const nothing = () => undefined;

/**
 * A test of long runs alone: what it shows of the client, or of us without one, another test shows in every run. Its
 * group has another test, too: an empty one fails.
 */
export const longTest = isLong
  ? test
  : (Object.assign(nothing, { each: () => nothing, runIf: () => nothing }) as never as typeof test);

/** A group of such tests. */
export const longDescribe = isLong
  ? describe
  : (Object.assign(nothing, { each: () => nothing }) as never as typeof describe);
