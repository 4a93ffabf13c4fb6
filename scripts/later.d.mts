import type { Plugin } from 'esbuild';

/** The functions that are put off: by the bundle that loads them, the one that they lie in, and file. */
export const LATER: Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>>
>;
export const LATER_BUNDLES: readonly string[];
export function laterSource(bundle: string): string;
export function putOff(main: string): Plugin;
