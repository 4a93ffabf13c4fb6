/** Proposes the text of a contract for a project, with comments for you to edit it. */
import { oneLine } from '../text/clip.ts';
import { pathMatcher } from '../text/globs.ts';
import type { FolderFacts, LeftOut, PackageFacts, PackageManager, ProjectFacts } from './project-facts.ts';
import { installCommands, type ProposedRoom, proofGates, proposeRoom, roomLines } from './propose-room.ts';
import { gate, inColumns, type ProposedGate, yamlText } from './propose-text.ts';

export type Role = 'tests' | 'lint' | 'types' | 'build';

/** The names under which projects keep these scripts and targets, the usual one first. */
const SCRIPTS: Record<Role, readonly string[]> = {
  tests: ['test', 'test:ci', 'test:unit'],
  lint: ['lint', 'lint:check', 'check:lint'],
  types: ['typecheck', 'type-check', 'check-types', 'check:types', 'types', 'tsc'],
  build: ['build'],
};

const TARGETS: Record<Role, readonly string[]> = {
  tests: ['test', 'tests', 'check'],
  lint: ['lint'],
  types: ['typecheck', 'types'],
  build: ['build'],
};

const TIMEOUTS: Record<Role, string> = { tests: '10m', lint: '5m', types: '5m', build: '10m' };
const ROLES = Object.keys(SCRIPTS) as Role[];

export const SCHEMA_LINE =
  '# yaml-language-server: $schema=./node_modules/untildone/schema/untildone.schema.json';

export const TRUST_LINE = '# Commands run only after you have trusted them: untildone trust';
export const DEFAULT_LIMITS_LINE = 'limits: { iterations: 50, duration: 8h, cost_usd: 20, tokens: 20M }';
export const INTACT = gate('intact', '{ tests_intact: true }', 'tests were not deleted, skipped or emptied');

export function proposeContract(facts: ProjectFacts): string {
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

interface FoundCommand {
  role: Role;
  command: string;
  why: string;
}

type CommandGate = ProposedGate & { role: Role; command: string; folder?: string };

/** The commands of the project, then those of the folders below it. */
export function commandGates(facts: ProjectFacts): CommandGate[] {
  const below = packageGates(facts).packages.flatMap(({ gates }) => gates);
  const taken = new Set<string>();
  const named = [...folderGates(facts), ...below].map((found) => {
    // `a/b` and `a-b` make the same name.
    let name = found.name;
    for (let i = 2; taken.has(name); i++) name = `${found.name}-${i}`;
    taken.add(name);
    return { ...found, name };
  });
  return named.sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
}

/** More folders would make a contract that nobody reads. */
const MOST_PACKAGES = 8;
const MOST_NOTES = 10;

/** The gates of the folders below the project, and the folders without any. */
function packageGates(facts: ProjectFacts): {
  packages: { folder: string; gates: CommandGate[] }[];
  leftOut: LeftOut[];
} {
  const packages: { folder: string; gates: CommandGate[] }[] = [];
  const leftOut: LeftOut[] = [];
  for (const one of facts.packages ?? []) {
    const own = folderGates(one, one.folder);
    const gates = own.filter(({ role, language }) => !isCovered(role, language, one, facts));
    if (own.length === 0)
      leftOut.push({ folder: one.folder, why: 'no command that tests or checks it was found' });
    else if (gates.length === 0) leftOut.push({ folder: one.folder, why: 'the commands above it cover it' });
    else if (packages.length >= MOST_PACKAGES)
      leftOut.push({ folder: one.folder, why: `there are more than ${MOST_PACKAGES} such folders` });
    else packages.push({ folder: one.folder, gates });
  }
  return { packages, leftOut: [...leftOut, ...(facts.leftOut ?? [])] };
}

/** Whether a command of the project, or of a folder between, does this for the folder as well. */
function isCovered(role: Role, language: string, { folder }: PackageFacts, facts: ProjectFacts): boolean {
  const above = [
    { ...facts, below: folder },
    ...(facts.packages ?? [])
      .filter((other) => folder.startsWith(`${other.folder}/`))
      .map((other) => ({ ...other, below: folder.slice(other.folder.length + 1) })),
  ];
  return above.some((place) => {
    if (fromMake(role, place).length > 0) return true;
    if (language === 'python') return place.python !== undefined;
    if (language === 'rust') return place.rust;
    const isMember = pathMatcher((place.node?.workspaces ?? []).map(anchored))(place.below);
    return language === 'node' && isMember && fromScripts(role, place).length > 0;
  });
}

function anchored(glob: string): string {
  return glob.startsWith('!') ? `!/${glob.slice(1)}` : `/${glob}`;
}

/** Comments about the folders below the project: what was found there, and what was left out. */
function packageNotes(facts: ProjectFacts): string[] {
  const { packages, leftOut } = packageGates(facts);
  if (packages.length + leftOut.length === 0) return [];
  const more = leftOut.length - MOST_NOTES;
  return [
    ...(packages.length > 0
      ? [`# Found in folders: ${packages.map(({ folder }) => oneLine(folder, 80)).join(', ')}`]
      : []),
    ...(leftOut.length > 0 ? ['# Left out:'] : []),
    ...leftOut.slice(0, MOST_NOTES).map(({ folder, why }) => `#   ${oneLine(folder, 80)}: ${why}`),
    ...(more > 0 ? [`#   and ${more} more`] : []),
    '',
  ];
}

/** Scripts and make targets of a folder win over the usual commands of its languages. */
function folderGates(facts: FolderFacts, folder?: string): (CommandGate & { language: string })[] {
  const scripts = ROLES.flatMap((role) => fromScripts(role, facts));
  const targets = ROLES.flatMap((role) => fromMake(role, facts)).filter(({ role }) => !has(scripts, role));
  const named = new Map<string, FoundCommand & { language: string }>();
  for (const found of scripts) named.set(found.role, { ...found, language: 'node' });
  for (const found of targets) named.set(found.role, { ...found, language: 'make' });
  for (const found of languageCommands(facts)) {
    if (has(targets, found.role)) continue;
    named.set(named.has(found.role) ? `${found.role}-${found.language}` : found.role, found);
  }
  const where = folder === undefined ? '' : `, cwd: ${yamlText(folder)}`;
  return [...named]
    .map(([name, { role, command, why, language }]) => ({
      role,
      language,
      command,
      folder,
      ...gate(
        folder === undefined ? name : `${name}-${folderName(folder)}`,
        `{ run: ${yamlText(command)}${where}, timeout: ${TIMEOUTS[role]} }`,
        folder === undefined ? why : `${why} of ${folder}`,
      ),
    }))
    .sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
}

/** A folder as a part of the name of a gate. */
function folderName(folder: string): string {
  return folder
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(-NAME_LENGTH)
    .replace(/^-+/, '');
}

/** Leaves room for the role in front. */
const NAME_LENGTH = 40;

function has(commands: readonly FoundCommand[], role: Role): boolean {
  return commands.some((found) => found.role === role);
}

function fromScripts(role: Role, { node }: FolderFacts): FoundCommand[] {
  if (!node) return [];
  const script = SCRIPTS[role].find((name) => endsByItself(node.scripts[name]));
  if (script !== undefined) {
    return [{ role, command: scriptCommand(node.manager, script), why: `"${script}" in package.json` }];
  }
  const checkTypes = role === 'types' && node.typescript;
  return checkTypes ? [{ role, command: TYPE_CHECK[node.manager], why: 'tsconfig.json' }] : [];
}

/** Whether a script ends: it does not watch files, and is not the placeholder of `npm init`. */
function endsByItself(script: string | undefined): boolean {
  if (script === undefined || script.trim() === '') return false;
  return !/no test specified/.test(script) && !/(^|\s)(--watch(All)?|-w)(\s|$)/.test(script);
}

function scriptCommand(manager: PackageManager, script: string): string {
  // `bun test` is the runner of bun itself, not the script.
  return script === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${script}`;
}

const TYPE_CHECK: Record<PackageManager, string> = {
  npm: 'npx --no-install tsc --noEmit',
  pnpm: 'pnpm exec tsc --noEmit',
  yarn: 'yarn tsc --noEmit',
  bun: 'bun x tsc --noEmit',
};

function fromMake(role: Role, { makeTargets }: Pick<FolderFacts, 'makeTargets'>): FoundCommand[] {
  const target = TARGETS[role].find((name) => makeTargets.includes(name));
  return target === undefined
    ? []
    : [{ role, command: `make ${target}`, why: `"${target}" in the Makefile` }];
}

function languageCommands({
  python,
  rust,
  go,
  java,
  dependencies,
}: FolderFacts): (FoundCommand & { language: string })[] {
  const py = (role: Role, tool: string, args = '') => {
    const command = `${python?.runner || `${dependencies?.python?.python ?? 'python3'} -m`} ${tool}${args}`;
    return { role, command, why: `pyproject.toml names ${tool}`, language: 'python' };
  };
  return [
    ...(python?.pytest ? [py('tests', 'pytest')] : []),
    ...(python?.unittest ? [py('tests', 'unittest', ` discover -v -s ${python.unittest}`)] : []),
    ...(python?.ruff ? [py('lint', 'ruff', ' check .')] : []),
    ...(python?.mypy ? [py('types', 'mypy', ' .')] : []),
    ...(java ? [{ role: 'tests' as const, command: java.tests, why: java.why, language: 'java' }] : []),
    ...(rust ? [{ role: 'tests' as const, command: 'cargo test', why: 'Cargo.toml', language: 'rust' }] : []),
    ...(go ? [{ role: 'tests' as const, command: 'go test ./...', why: 'go.mod', language: 'go' }] : []),
    ...(go ? [{ role: 'lint' as const, command: 'go vet ./...', why: 'go.mod', language: 'go' }] : []),
  ];
}

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
