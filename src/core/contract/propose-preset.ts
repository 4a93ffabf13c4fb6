/** A contract with a preset for a project: its own conditions are made of what the project can run. */

import type { PresetName } from './contract.ts';
import { OWN_CONDITIONS, REVIEW_FROM } from './presets.ts';
import {
  commandGates,
  DEFAULT_LIMITS_LINE,
  gate,
  INTACT,
  inColumns,
  type ProjectFacts,
  type ProposedGate,
  type Role,
  SCHEMA_LINE,
} from './propose.ts';

export interface ProposedPreset {
  text: string;
  /** What a person has to add before the contract is one. */
  missing: MissingCondition[];
}

export interface MissingCondition {
  /** Of the gate. */
  name: string;
  /** What was looked for: "nothing that ...". */
  what: string;
  example: string;
}

type Condition = keyof typeof OWN_CONDITIONS;

const CONDITIONS: Record<Condition, { roles: readonly Role[]; why: string; what: string }> = {
  correctness_passed: {
    roles: ['tests', 'build'],
    why: 'it does what it should',
    what: 'nothing that tests or builds the project',
  },
  quality_passed: {
    roles: ['lint', 'types'],
    why: 'it is written as it should be',
    what: 'nothing that lints it or checks its types',
  },
};

export function proposePreset(preset: PresetName, facts: ProjectFacts): ProposedPreset {
  const commands = commandGates(facts);
  const conditions = (Object.keys(CONDITIONS) as Condition[]).map((name) => conditionFrom(name, commands));
  const gates = [...conditions.flatMap(({ gates: own }) => own), INTACT];
  const missing = conditions.flatMap(({ missing: one }) => (one ? [one] : []));
  const noTests = !commands.some(({ role }) => role === 'tests') && !missing.some(isCorrectness);
  return {
    text: [
      SCHEMA_LINE,
      '# What "done" means here: the conditions of VERIFIED_DONE, phase by phase: plan, implement, verify, retrospect.',
      '# Commands run only after a person has approved them: untildone trust',
      '# The plan is approved when it is written: untildone approve plan (or: untildone reject plan --note "why")',
      '',
      `preset: ${preset}`,
      `# From ${REVIEW_FROM} on, and when absent, a model reviews the work and tries to prove it wrong:`,
      '# complexity: 5',
      '',
      'gates:',
      ...(noTests ? NO_TESTS : []),
      ...missing.flatMap(commentFor),
      ...inColumns(gates),
      '',
      DEFAULT_LIMITS_LINE,
      '',
    ].join('\n'),
    missing,
  };
}

const NO_TESTS = [
  '  # No command that tests this project was found; a build alone shows little. Better: a test.',
];

function isCorrectness({ name }: MissingCondition): boolean {
  return name === 'correctness_passed';
}

function commentFor({ name, what, example }: MissingCondition): string[] {
  return [
    `  # MISSING: ${what} was found. Name your command, and take away the "#":`,
    `  # ${name}: ${example}`,
  ];
}

/** One command is the condition itself; of several, all. */
function conditionFrom(
  name: Condition,
  commands: readonly (ProposedGate & { role: Role })[],
): { gates: ProposedGate[]; missing?: MissingCondition } {
  const { roles, why, what } = CONDITIONS[name];
  const own = commands.filter(({ role }) => roles.includes(role));
  const [only, second] = own;
  if (!only) return { gates: [], missing: { name, what, example: OWN_CONDITIONS[name] } };
  if (!second) return { gates: [gate(name, only.body, only.why)] };
  return { gates: [...own, gate(name, `{ all: [${own.map((part) => part.name).join(', ')}] }`, why)] };
}
