import { featureListFormat } from './feature-list/index.ts';
import type { StateFormat } from './format.ts';
import { lockFormat } from './lock/index.ts';
import { ralphLoopFormat } from './ralph-loop/index.ts';
import { verifiedDoneFormat } from './verified-done/index.ts';

/** Every foreign format, in the order in which their loops are judged. */
export const ALL_FORMATS: readonly StateFormat[] = [
  ralphLoopFormat,
  featureListFormat,
  verifiedDoneFormat,
  lockFormat,
];
