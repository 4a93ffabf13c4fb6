import type { Program } from '../../engine/home/program.ts';

/**
 * error: a session would not be held, or would not be judged. warning: it works, but not as it should. note: worth knowing.
 * What could not be looked at is a warning, never a pass.
 */
export type Severity = 'error' | 'warning' | 'note';

export interface Finding {
  /** Stays the same from version to version. */
  readonly id: string;
  readonly severity: Severity;
  readonly what: string;
  readonly where?: string;
  readonly todo: string;
  /** Mends it in a way that can be taken back. Says what it changed; throws when it could not. */
  readonly fix?: () => string;
}

/** What one look found: lines about what is in order, and findings. */
export interface Looked {
  readonly ok: readonly string[];
  readonly findings: readonly Finding[];
}

export const NOTHING: Looked = { ok: [], findings: [] };

/** Where the doctor looks. All paths are absolute. */
export interface Patient {
  readonly env: NodeJS.ProcessEnv;
  readonly project: string;
  /** The untildone home. */
  readonly home: string;
  readonly claudeConfigDir: string;
  /** The folder of the settings that an organization manages; the one of this system when absent. */
  readonly managed?: string;
  readonly now: number;
  readonly nodeVersion: string;
  readonly program: Program;
  /** untildone is used in this project: there is a contract, or a loop that has not ended. */
  readonly isUsed: boolean;
}

export function joinLooked(parts: readonly Looked[]): Looked {
  return {
    ok: parts.flatMap(({ ok }) => ok),
    findings: parts.flatMap(({ findings }) => findings),
  };
}

export function found(...findings: Finding[]): Looked {
  return { ok: [], findings };
}

export function inOrder(...ok: string[]): Looked {
  return { ok, findings: [] };
}
