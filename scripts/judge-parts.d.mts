import type { BuildOptions } from 'esbuild';

export const PARTS_OF_JUDGE: Readonly<
  Record<
    | 'judge-plain'
    | 'judge-patterns'
    | 'judge-sources'
    | 'judge-parser'
    | 'judge-junit'
    | 'judge-shared-run'
    | 'judge-canary'
    | 'judge-rooms'
    | 'judge-walls'
    | 'judge-models'
    | 'judge-sessions',
    string
  >
>;
export const coreOfJudge: BuildOptions;
export const partsOfJudge: { name: string; settings: BuildOptions }[];
