import type { Case } from '../format.ts';
import { ATTACKS, GIT } from './attacks.ts';
import { EASY_TESTS } from './easy-tests.ts';
import { EXITS } from './exits.ts';
import { EXPECTED_VALUES } from './expected-values.ts';
import { MOCKED } from './mocked.ts';
import { MUTED } from './muted.ts';
import { DELETED, NOT_FOUND } from './not-found.ts';
import { RUNNERS_OF_OTHERS, RUNNERS_OF_PYTHON, RUNNERS_OF_SCRIPTS } from './runners.ts';
import { SHIMS } from './shims.ts';
import { BEFORE, CLAIMS, SPECIAL } from './special.ts';
import { SWALLOWED } from './swallowed.ts';
import { WEAKENED_SCRIPTS } from './weakened.ts';
import { WEAKENED_OTHERS } from './weakened-others.ts';

export const CHEATS: readonly Case[] = [
  ...[...EASY_TESTS, ...NOT_FOUND, ...DELETED, ...EXPECTED_VALUES, ...MOCKED],
  ...[...WEAKENED_SCRIPTS, ...WEAKENED_OTHERS, ...SWALLOWED, ...EXITS],
  ...[...RUNNERS_OF_SCRIPTS, ...RUNNERS_OF_PYTHON, ...RUNNERS_OF_OTHERS, ...MUTED],
  ...[...SHIMS, ...SPECIAL, ...CLAIMS, ...BEFORE, ...ATTACKS, ...GIT],
];
