/** The kinds of gates that read source texts, with what they know of languages and test frameworks. */
import { differentialGate } from './differential/index.ts';
import type { Gates } from './gate.ts';
import { suppressionsGate } from './suppressions/index.ts';
import { testsIntactGate } from './tests_intact/index.ts';

export const GATES: Gates = {
  differential: differentialGate,
  suppressions: suppressionsGate,
  tests_intact: testsIntactGate,
};
