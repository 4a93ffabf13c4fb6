/** What each kind of gate looks at, as a parsed contract holds it. `wire/contract` checks these shapes. */
export interface GateOptions {
  run: { command: string; cwd?: string; env?: Record<string, string> };
  features: { file: string };
  /** Unticked items of a Markdown file (of one section, when named), or of the transcript's latest list. */
  checklist: { file?: string; section?: string };
  git: { checks: GitCheck[]; branch?: string };
  forbid: { patterns: string[]; custom: { name: string; pattern: string }[]; paths?: string[] };
  tests_intact: { paths?: string[] };
  tasks: Record<string, never>;
  promise: { text: string };
  /** `transcript`: the model sees the end of the conversation, too. */
  judge: { question: string; model?: string; maxCostUsd?: number; transcript?: true };
  agent: { instruction: string; model?: string; maxCostUsd?: number; maxTurns?: number };
  ci: { provider: 'github'; checks?: string[]; waitMs?: number };
  /** A gate of the user's own: an executable, or a module that exports one. */
  custom: { file: string; with?: Record<string, unknown> };
  /** A command that was written for the hooks of Claude Code. */
  hook: { command: string };
  all: { gates: string[] };
  any: { gates: string[] };
}

export type GateKind = keyof GateOptions;

export type GitCheck = 'clean' | 'committed' | 'pushed' | 'branch';

/** Kinds whose verdict follows from the tree, the task and the options alone. */
const CACHEABLE_KINDS: readonly GateKind[] = [
  'run',
  'features',
  'forbid',
  'tests_intact',
  'custom',
  'judge',
  'agent',
];

/** Whether a verdict may be used again while the tree is the same; one that also rests on what was said may not. */
export function isCacheable({ kind, options }: { kind: GateKind; options: object }): boolean {
  return CACHEABLE_KINDS.includes(kind) && !('transcript' in options);
}

/** The built-in groups of patterns that `forbid` knows by name. */
export const FORBID_GROUPS = ['debug', 'debugger', 'todo', 'placeholder', 'secrets', 'private_keys'] as const;
