/** Proposes the text of a contract for a project, with comments for you to edit it. */
import { oneLine } from '../text/clip.ts';

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

export interface ProjectFacts {
  /** package.json: its scripts, by name. */
  node?: { manager: PackageManager; scripts: Record<string, string>; typescript: boolean };
  python?: { runner: '' | 'uv run' | 'poetry run'; pytest: boolean; ruff: boolean; mypy: boolean };
  rust: boolean;
  go: boolean;
  makeTargets: readonly string[];
  /** A Markdown file with `- [ ]` items. */
  plan?: string;
  featureList?: string;
  git: boolean;
  githubWorkflows: boolean;
}

export type Role = 'tests' | 'lint' | 'types' | 'build';

export interface ProposedGate {
  name: string;
  /** The YAML of the gate. */
  body: string;
  why: string;
}

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
  ];
  const gates = [...commands, ...lists, ...guards];
  return [
    SCHEMA_LINE,
    '# What "done" means here: a loop may stop when every gate in "done" passes.',
    TRUST_LINE,
    '',
    'gates:',
    ...(commands.some(({ name }) => name === 'tests') ? [] : NO_TESTS),
    ...inColumns(gates),
    ...suggestions(facts),
    '',
    `done: [${gates.map(({ name }) => name).join(', ')}]`,
    '',
    ...standing(commands),
    ...(lists.length === 0 ? WITHOUT_LIST : []),
    DEFAULT_LIMITS_LINE,
    '',
  ].join('\n');
}

const NO_TESTS = [
  '  # No command that tests this project and comes to an end was found. Name yours, and add "tests" to "done":',
  '  # tests: { run: make test, timeout: 10m }',
];

const WITHOUT_LIST = [
  '# When all gates pass already before the work begins, they cannot show that it was done. Then add a gate that can:',
  '# a feature list, a checklist, or a question to a model:',
  '#   review: { judge: "Does the diff do what the task asks, edge cases included?" }',
  '',
];

export function gate(name: string, body: string, why: string): ProposedGate {
  return { name, body, why };
}

interface FoundCommand {
  role: Role;
  command: string;
  why: string;
}

/** Scripts and make targets of the project win over the usual commands of its languages. */
export function commandGates(facts: ProjectFacts): (ProposedGate & { role: Role })[] {
  const scripts = ROLES.flatMap((role) => fromScripts(role, facts));
  const targets = ROLES.flatMap((role) => fromMake(role, facts)).filter(({ role }) => !has(scripts, role));
  const named = new Map([...scripts, ...targets].map((found) => [found.role as string, found]));
  for (const { language, ...found } of languageCommands(facts)) {
    if (has(targets, found.role)) continue;
    named.set(named.has(found.role) ? `${found.role}-${language}` : found.role, found);
  }
  return [...named]
    .map(([name, { role, command, why }]) => ({
      role,
      ...gate(name, `{ run: ${yamlText(command)}, timeout: ${TIMEOUTS[role]} }`, why),
    }))
    .sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
}

function has(commands: readonly FoundCommand[], role: Role): boolean {
  return commands.some((found) => found.role === role);
}

function fromScripts(role: Role, { node }: ProjectFacts): FoundCommand[] {
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

function fromMake(role: Role, { makeTargets }: ProjectFacts): FoundCommand[] {
  const target = TARGETS[role].find((name) => makeTargets.includes(name));
  return target === undefined
    ? []
    : [{ role, command: `make ${target}`, why: `"${target}" in the Makefile` }];
}

function languageCommands({ python, rust, go }: ProjectFacts): (FoundCommand & { language: string })[] {
  const py = (role: Role, tool: string, args = '') => {
    const command = `${python?.runner || 'python3 -m'} ${tool}${args}`;
    return { role, command, why: `pyproject.toml names ${tool}`, language: 'python' };
  };
  return [
    ...(python?.pytest ? [py('tests', 'pytest')] : []),
    ...(python?.ruff ? [py('lint', 'ruff', ' check .')] : []),
    ...(python?.mypy ? [py('types', 'mypy', ' .')] : []),
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

export function inColumns(gates: readonly ProposedGate[]): string[] {
  const widest = (texts: string[]) => Math.min(60, Math.max(...texts.map((text) => text.length)));
  const nameWidth = widest(gates.map(({ name }) => name)) + 1;
  const bodyWidth = widest(gates.map(({ body }) => body));
  return gates.map(
    ({ name, body, why }) =>
      `  ${`${name}:`.padEnd(nameWidth)} ${body.padEnd(bodyWidth)}  # ${oneLine(why, 80)}`,
  );
}

/** A text for a flow map: plain where YAML reads it as it is, otherwise quoted as JSON. */
function yamlText(text: string): string {
  const plain = /^[A-Za-z][\w./@=+-]*( [\w./@=+-]+)*$/.test(text);
  return plain && !/^(true|false|null|yes|no|on|off)$/i.test(text) ? text : JSON.stringify(text);
}
