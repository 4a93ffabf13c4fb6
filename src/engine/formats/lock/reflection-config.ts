import { readSmall } from '../../files/whole-file.ts';
import { lockPaths } from './lock-files.ts';

/** Whether sessions of a project are looked back on when they end, as `.reflection_config` or the contract says. */
export interface ReflectionWish {
  /** Shorter sessions are left out. */
  minTurns: number;
}

export type WishRead =
  | { kind: 'off' }
  | { kind: 'on'; wish: ReflectionWish }
  | { kind: 'problem'; problem: string };

/** The file of a project that switches it on. */
export const REFLECTION_CONFIG = '.claude/tools/amplihack/.reflection_config';

/** Whether a project keeps its state as document 004 says, with a lock or without. */
export function isLockProject(project: string, exists: (path: string) => boolean): boolean {
  return exists(lockPaths(project).locks) || exists(`${project}/${REFLECTION_CONFIG}`);
}

const OFF: WishRead = { kind: 'off' };
const LARGEST = 100_000;
const EXAMPLE = '{"enabled": true, "triggers": ["session_end"], "min_turns": 5}';

/** Reads the file of a project. Never throws: a file that cannot be used is a problem, and switches nothing on. */
export function readReflectionConfig(project: string): WishRead {
  const path = `${project}/${REFLECTION_CONFIG}`;
  try {
    const text = readSmall(path, LARGEST);
    return text === undefined ? OFF : parseReflectionConfig(text, path);
  } catch (error) {
    return { kind: 'problem', problem: `${path} cannot be read (${(error as Error).message})` };
  }
}

export function parseReflectionConfig(text: string, path: string): WishRead {
  const wrong = (what: string): WishRead => ({
    kind: 'problem',
    problem: `${path}: ${what}; write ${EXAMPLE}`,
  });
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return wrong('this is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('this is no object');
  const {
    enabled = false,
    triggers = ['session_end'],
    min_turns: minTurns = 0,
  } = value as Record<string, unknown>;
  if (typeof enabled !== 'boolean') return wrong('"enabled" is neither true nor false');
  if (!enabled) return OFF;
  if (!Array.isArray(triggers) || triggers.some((name) => typeof name !== 'string'))
    return wrong('"triggers" is no list of names');
  if (typeof minTurns !== 'number' || !Number.isSafeInteger(minTurns) || minTurns < 0)
    return wrong('"min_turns" is no whole number from 0');
  return triggers.includes('session_end') ? { kind: 'on', wish: { minTurns } } : OFF;
}
