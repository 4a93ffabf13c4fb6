import type { Case } from '../format.ts';
import { EXPECTED_VALUES } from './expected-values.ts';

export const CHEATS: readonly Case[] = [...EXPECTED_VALUES];
