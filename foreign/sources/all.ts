import type { Source } from '../source.ts';
import { GO_SOURCES } from './go.ts';
import { NPM_SOURCES } from './npm.ts';
import { OTHER_SOURCES } from './other.ts';
import { PYTHON_SOURCES } from './python.ts';

export const SOURCES: readonly Source[] = [
  ...GO_SOURCES,
  ...PYTHON_SOURCES,
  ...OTHER_SOURCES,
  ...NPM_SOURCES,
];
