/** `npm run test:long` sets it: everything that is done again and again is done as often as it was meant to be. */
export const isLong = process.env.UNTILDONE_LONG !== undefined;

const SHARE = 5;

/** How often something random is repeated: a fifth of the full count, unless the run is a long one. */
export function rounds(full: number, atLeast = 1): number {
  return isLong ? full : Math.max(atLeast, Math.ceil(full / SHARE));
}
