import type { Source } from '../source.ts';
import { GO_SOURCES } from './go.ts';

export const SOURCES: readonly Source[] = [...GO_SOURCES];
