/** Proposes the text of a contract for a project, with comments for you to edit it. */
import type { ProjectFacts } from './project-facts.ts';
import { commandGates, packageNotes, witnessNotes } from './propose-gates.ts';
import {
  asFoundHere,
  installCommands,
  type ProposedRoom,
  proofGates,
  proposeRoom,
  type RoomChoices,
  roomLines,
} from './propose-room.ts';
import { gate, inColumns, type ProposedGate, yamlText } from './propose-text.ts';

export const SCHEMA_LINE =
  '# yaml-language-server: $schema=./node_modules/untildone/schema/untildone.schema.json';

export const TRUST_LINE = '# Commands run only after you have trusted them: untildone trust';
export const DEFAULT_LIMITS_LINE = 'limits: { iterations: 50, duration: 8h, cost_usd: 20, tokens: 20M }';
export const INTACT = gate('intact', '{ tests_intact: true }', 'tests were not deleted, skipped or emptied');

export function proposeContract(found: ProjectFacts, { asFound = false }: RoomChoices = {}): string {
  const facts = asFound ? asFoundHere(found) : found;
  const commands = commandGates(facts);
  const lists = listGates(facts);
  const guards = [
    gate('tidy', '{ forbid: [debugger, placeholder, secrets, private_keys] }', 'also: debug, todo'),
    INTACT,
    gate('honest', '{ suppressions: true }', 'no checker was muted; no code asks whether it is being tested'),
  ];
  const room = proposeRoom(facts);
  const tests = commands.filter(({ role }) => role === 'tests');
  const gates = [...commands, ...lists, ...guards, ...proofGates(tests, room)];
  return [
    SCHEMA_LINE,
    '# What "done" means here: a loop may stop when every gate in "done" passes.',
    TRUST_LINE,
    '',
    ...packageNotes(facts),
    ...roomLines(room, facts.needs ?? []),
    'gates:',
    ...(commands.some(({ role }) => role === 'tests') ? [] : NO_TESTS),
    ...inColumns(gates),
    ...suggestions(facts),
    ...witnessNotes(facts),
    '',
    `done: [${gates.map(({ name }) => name).join(', ')}]`,
    '',
    ...standing(commands),
    ...worktreeSetup(facts, room),
    ...(lists.length === 0 ? WITHOUT_LIST : []),
    DEFAULT_LIMITS_LINE,
    '',
  ].join('\n');
}

const NO_TESTS = [
  '  # No command that tests this project and comes to an end was found. Name yours, and add "tests" to "done":',
  '  # tests: { run: make test, timeout: 10m }',
];

/** What a worktree needs before anything can run in it. With a clean room, the same setup serves both. */
function worktreeSetup(facts: ProjectFacts, room: ProposedRoom): string[] {
  const commands = installCommands(facts);
  if (room.kind === 'clean' || commands.length === 0) return [];
  const value =
    commands.length === 1 ? yamlText(commands[0] ?? '') : `[${commands.map(yamlText).join(', ')}]`;
  return [
    '# Prepares a worktree (untildone run --worktree, --parallel): what git ignores is not there.',
    `run: { setup: ${value} }`,
    '',
  ];
}

const WITHOUT_LIST = [
  '# When all gates pass already before the work begins, only a change is asked for besides. These can show more:',
  '# a feature list, a checklist, or a question to a model:',
  '#   review: { judge: "Does the diff do what the task asks, edge cases included?" }',
  '',
];

function listGates({ featureList, plan }: ProjectFacts): ProposedGate[] {
  return [
    ...(featureList === undefined
      ? []
      : [gate('features', `{ features: ${yamlText(featureList)} }`, 'every feature passes')]),
    ...(plan === undefined ? [] : [gate('plan', `{ checklist: ${yamlText(plan)} }`, 'every item is ticked')]),
  ];
}

/** Lines that are off until you remove the "#". */
function suggestions({ git, githubWorkflows }: ProjectFacts): string[] {
  return [
    ...(git ? ['  # saved: { git: [clean, committed] }  # everything is committed'] : []),
    ...(githubWorkflows ? ['  # checks: { ci: github }  # the checks of the pushed commit passed'] : []),
  ];
}

function standing(commands: readonly ProposedGate[]): string[] {
  const quick = commands.find(({ name }) => name === 'lint') ?? commands.find(({ name }) => name === 'types');
  if (!quick) return [];
  return [
    '# Standing gates hold every session, loop or not, at most so many times a prompt:',
    `# every_stop: { gates: [${quick.name}], blocks: 2 }`,
    '',
  ];
}
