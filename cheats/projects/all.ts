import type { Project } from '../format.ts';
import { nodeTest } from './node-test.ts';

export const PROJECTS: readonly Project[] = [nodeTest];
