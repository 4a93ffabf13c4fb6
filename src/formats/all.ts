import { featureListDialect } from './feature-list/index.ts';
import type { Dialect } from './format.ts';
import { lockDialect } from './lock/index.ts';
import { ralphLoopDialect } from './ralph-loop/index.ts';
import { verifiedDoneDialect } from './verified-done/index.ts';

/** Every foreign format, in the order in which their loops are judged. */
export const ALL_DIALECTS: readonly Dialect[] = [
  ralphLoopDialect,
  featureListDialect,
  verifiedDoneDialect,
  lockDialect,
];
