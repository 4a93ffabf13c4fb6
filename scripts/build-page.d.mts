import type { BuildResult } from 'esbuild';

/** Builds the page of the dashboard into a folder. */
export function buildPage(outdir?: string): Promise<BuildResult<{ metafile: true }>>;
