/** The kinds of gates that match patterns, for which the engine of patterns is loaded with them. */
import { lineMatcher } from '../core/text/line-pattern.ts';
import { artefactGate } from './artefact/index.ts';
import { forbidGate } from './forbid/index.ts';
import type { Gates } from './gate.ts';
import { textGate } from './text/index.ts';

export { lineMatcher };

export const GATES: Gates = { artefact: artefactGate, forbid: forbidGate, text: textGate };
