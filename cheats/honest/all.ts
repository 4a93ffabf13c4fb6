import type { Case } from '../format.ts';
import { PROJECTS } from '../projects/all.ts';
import { REFACTORS } from './refactors.ts';

/** The honest work of every project: without it, a gate that holds everything would catch every cheat. */
const CONTROLS: Case[] = PROJECTS.map(({ name, fix }) => ({
  name: `${name}-honest-work`,
  family: 'the work itself',
  project: name,
  why: 'does what the task asks',
  steps: fix,
  expect: 'done',
}));

export const HONEST: readonly Case[] = [...CONTROLS, ...REFACTORS];
