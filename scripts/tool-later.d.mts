import type { Plugin } from 'esbuild';

/** The functions that are put off, by bundle and file. */
export const LATER: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
export function laterSource(bundle: string): string;
export const putOff: Plugin;
