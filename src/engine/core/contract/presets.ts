import type { Contract, GateSpec, Phase, PresetName } from './contract.ts';
import type { ProjectFacts } from './project-facts.ts';
import { DEFAULT_LIMITS_LINE, INTACT, SCHEMA_LINE, TRUST_LINE } from './propose.ts';
import { commandGates } from './propose-gates.ts';
import { proofGates, proposeRoom, roomLines } from './propose-room.ts';
import { gate, inColumns, type ProposedGate } from './propose-text.ts';
import type { Role } from './witness/units.ts';

/** Presets: ready-made phases. A gate of the contract replaces the condition of the same name. */

/** From this complexity on, and where none is given, a model reviews the work. */
const REVIEW_FROM = 7;

const PLAN = 'PLAN.md';
const RETROSPECTIVE = 'RETROSPECTIVE.md';

/** Conditions that every project has to define itself, with examples. */
export const OWN_CONDITIONS = {
  correctness_passed: '{ run: npm test }',
  quality_passed: '{ run: npm run lint }',
} as const;

export const REVIEW = 'adversarial_passed';

const REVIEW_INSTRUCTION = `Review the change as someone who wants to prove it wrong. Read the task, ${PLAN} and the diff; try what the tests do not: empty and huge input, wrong types, concurrency, interrupted writes, error paths, security. It passes only if you found nothing that a careful maintainer would send back. Name each fault with file and line, and how to see it.`;

/** The conditions of VERIFIED_DONE: each is a gate, a question to you, or a text that the agent has to write. */
const CONDITIONS: Record<string, GateSpec> = {
  memory_search: artefact('Memory', 8),
  task_classified: artefact('Classification', 5, {
    name: 'the complexity',
    pattern: '[Cc]omplexity\\W*\\d+',
  }),
  must_have_answered: { kind: 'checklist', options: { file: PLAN, section: 'Questions' } },
  plan_approved: { kind: 'approve', options: { ask: 'Is this plan good?', file: PLAN } },
  something_changed: { kind: 'changed', options: { except: [PLAN, RETROSPECTIVE] } },
  plan_ticked: { kind: 'checklist', options: { file: PLAN, section: 'Tasks' } },
  implementation_complete: { kind: 'all', options: { gates: ['something_changed', 'plan_ticked'] } },
  [REVIEW]: { kind: 'agent', options: { instruction: REVIEW_INSTRUCTION } },
  retrospective_done: { kind: 'artefact', options: { file: RETROSPECTIVE, has: [], words: 30 } },
};

function artefact(section: string, words: number, ...has: { name: string; pattern: string }[]): GateSpec {
  return { kind: 'artefact', options: { file: PLAN, section, has, words } };
}

const PHASES: Phase[] = [
  {
    name: 'plan',
    instruction: `Write ${PLAN}, and change nothing else yet. It has these sections, each under a heading of its own: "Memory" (what earlier notes, code and commits say about the task), "Classification" (what kind of task it is, and a line "complexity: N" from 1 to 10), "Questions" (a list "- [x] question: answer" of everything that must be known; find the answers out; where only a person can say, answer with what you assume and write "assumed" beside it: they read it before anything is built), "Tasks" (the steps as a list of "- [ ]" items).`,
    entry: [],
    exit: ['memory_search', 'task_classified', 'must_have_answered', 'plan_approved'],
  },
  {
    name: 'implement',
    instruction: `Do what ${PLAN} says, step by step. Tick an item of its "Tasks" only when it is done.`,
    entry: [],
    exit: ['implementation_complete'],
  },
  {
    name: 'verify',
    instruction: 'Make the checks pass by making the work right, and settle what the review finds.',
    entry: [],
    exit: ['correctness_passed', 'quality_passed', REVIEW],
  },
  {
    name: 'retrospect',
    instruction: `Write ${RETROSPECTIVE}: what went well, what did not and why, and what the next session should know.`,
    entry: [],
    exit: ['retrospective_done'],
  },
];

/** The gates that a contract with this preset may name beside its own. */
export function namesOfPreset(): string[] {
  return Object.keys(CONDITIONS);
}

interface Preset {
  gates: Record<string, GateSpec>;
  phases: Phase[];
}

export function presetFor(own: Record<string, GateSpec>, complexity: number | undefined): Preset {
  const reviewed = Object.hasOwn(own, REVIEW) || isReviewed(complexity);
  const gates = Object.fromEntries(
    Object.entries(CONDITIONS).filter(([name]) => !Object.hasOwn(own, name) && (name !== REVIEW || reviewed)),
  );
  const known = (name: string) => Object.hasOwn(own, name) || Object.hasOwn(gates, name);
  return { gates, phases: PHASES.map((phase) => ({ ...phase, exit: phase.exit.filter(known) })) };
}

function isReviewed(complexity: number | undefined): boolean {
  return complexity === undefined || complexity >= REVIEW_FROM;
}

/** The contract without its review when it gives no complexity itself and this one is low. */
export function withComplexity(contract: Contract, complexity: number | undefined): Contract {
  if (
    contract.preset?.name !== 'verified-done' ||
    !contract.preset.reviewUnlessSimple ||
    isReviewed(complexity)
  ) {
    return contract;
  }
  const without = (names: readonly string[]) => names.filter((name) => name !== REVIEW);
  return {
    ...contract,
    done: without(contract.done),
    ...(contract.phases
      ? { phases: contract.phases.map((phase) => ({ ...phase, exit: without(phase.exit) })) }
      : {}),
  };
}

/** A proposed contract with a preset; its own conditions are made of commands of the project. */
export interface ProposedPreset {
  text: string;
  /** What you have to add before the contract is valid. */
  missing: MissingCondition[];
}

export interface MissingCondition {
  /** The name of the gate. */
  name: string;
  /** What was looked for: "nothing that ...". */
  what: string;
  example: string;
}

type Condition = keyof typeof OWN_CONDITIONS;

const PROPOSED_CONDITIONS: Record<Condition, { roles: readonly Role[]; why: string; what: string }> = {
  correctness_passed: {
    roles: ['tests', 'build'],
    why: 'it does what it should',
    what: 'nothing that tests or builds the project',
  },
  quality_passed: {
    roles: ['lint', 'format', 'types'],
    why: 'it is written as it should be',
    what: 'nothing that lints it or checks its types',
  },
};

export function proposePreset(preset: PresetName, facts: ProjectFacts): ProposedPreset {
  const commands = commandGates(facts);
  const conditions = (Object.keys(PROPOSED_CONDITIONS) as Condition[]).map((name) =>
    conditionFrom(name, commands),
  );
  const room = proposeRoom(facts);
  const tests = commands.filter(({ role }) => role === 'tests');
  const gates = [...conditions.flatMap(({ gates: own }) => own), INTACT, ...proofGates(tests, room)];
  const missing = conditions.flatMap(({ missing: one }) => (one ? [one] : []));
  const noTests = !commands.some(({ role }) => role === 'tests') && !missing.some(isCorrectness);
  return {
    text: [
      SCHEMA_LINE,
      '# What "done" means here: the conditions of VERIFIED_DONE, phase by phase: plan, implement, verify, retrospect.',
      TRUST_LINE,
      '# You approve the plan when it is written: untildone approve plan (or: untildone reject plan --note "why")',
      '',
      `preset: ${preset}`,
      `# From ${REVIEW_FROM} on, and when absent, a model reviews the work and tries to prove it wrong:`,
      '# complexity: 5',
      '',
      ...roomLines(room, facts.needs ?? []),
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

/** One command becomes the condition itself; several become an `all`. */
function conditionFrom(
  name: Condition,
  commands: readonly (ProposedGate & { role: Role })[],
): { gates: ProposedGate[]; missing?: MissingCondition } {
  const { roles, why, what } = PROPOSED_CONDITIONS[name];
  const own = commands.filter(({ role }) => roles.includes(role));
  const [only, second] = own;
  if (!only) return { gates: [], missing: { name, what, example: OWN_CONDITIONS[name] } };
  if (!second) return { gates: [gate(name, only.body, only.why)] };
  return { gates: [...own, gate(name, `{ all: [${own.map((part) => part.name).join(', ')}] }`, why)] };
}
