/** The process that drives one run of a fleet: it lies beside `untildone.cjs`, whose place it passes on as its own. */
import { loadProgram } from './load-program.ts';

void loadProgram(() => import('./program/drive.mjs' as string));
