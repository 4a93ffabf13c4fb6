/** Commands that the files of a folder let one guess: scripts, targets, and what is usual in a language. */
import type { FolderFacts, PackageManager } from './project-facts.ts';
import type { WitnessedUnit } from './witness/from-ci.ts';
import { type Leaf, leafOf } from './witness/leaf.ts';
import { chainsIn } from './witness/pieces.ts';
import { managerCall, pythonCall, scriptCall, spelled } from './witness/spelling.ts';
import { ROLES, type Role, unitsOf, withoutDoubles } from './witness/units.ts';

/** The names under which projects keep these scripts and targets, the usual one first. */
const SCRIPTS: Record<Role, readonly string[]> = {
  tests: ['test', 'test:ci', 'test:unit'],
  lint: ['lint', 'lint:check', 'check:lint'],
  format: [],
  types: ['typecheck', 'type-check', 'check-types', 'check:types', 'types', 'tsc'],
  build: ['build'],
};

const TARGETS: Record<Role, readonly string[]> = {
  tests: ['test', 'tests', 'check'],
  lint: ['lint'],
  format: [],
  types: ['typecheck', 'types'],
  build: ['build'],
};

/** Scripts and make targets of a folder win over the usual commands of its languages. */
export function guesses(facts: FolderFacts): WitnessedUnit[] {
  const scripts = ROLES.flatMap((role) => fromScripts(role, facts));
  const targets = ROLES.flatMap((role) => fromMake(role, facts)).filter(({ role }) => !has(scripts, role));
  const usual = languageCommands(facts).filter(({ role }) => !has(targets, role));
  const found = [...oneForRole([...scripts, ...targets]), ...usual];
  const others = (facts.others ?? []).map(({ tests, why, language }) =>
    single('tests', tests, why, language),
  );
  return withoutDoubles([...found, ...(has(found, 'tests') ? [] : others)]);
}

function has(commands: readonly WitnessedUnit[], role: Role): boolean {
  return commands.some((found) => found.role === role);
}

/** A script may hold what has a script of its own: that one stands for it. */
function oneForRole(units: readonly WitnessedUnit[]): WitnessedUnit[] {
  return units.filter((unit, at) => !units.slice(0, at).some(({ role }) => role === unit.role));
}

function fromScripts(role: Role, facts: FolderFacts): WitnessedUnit[] {
  const { node } = facts;
  if (!node) return [];
  const script = SCRIPTS[role].find((name) => endsByItself(node.scripts[name]));
  if (script === undefined) {
    const checkTypes = role === 'types' && node.typescript;
    return checkTypes ? [single(role, typeCheck(facts), 'tsconfig.json', 'node')] : [];
  }
  return named(
    role,
    `npm run ${script}`,
    scriptCall(script, facts),
    `"${script}" in package.json`,
    'node',
    facts,
  );
}

/** What a name stands for: taken apart where it does several things, and one command where that cannot be told. */
function named(
  role: Role,
  call: string,
  command: string,
  where: string,
  language: string,
  facts: FolderFacts,
): WitnessedUnit[] {
  const pieces = chainsIn(call, facts)[0] ?? [];
  const units = unitsOf(pieces);
  const leaves = pieces.flatMap((piece) => piece.leaves);
  const [only, second] = units;
  if (only && second && units.some((unit) => unit.role === role))
    return units.map((unit) => ({
      ...unit,
      command: unit.pieces.map((piece) => spelled(piece, facts)).join(' && '),
      where,
      language,
    }));
  const onlyFixes = only === undefined && leaves.some(({ fixes }) => fixes);
  return onlyFixes ? [] : [{ pieces, leaves, role, command, where, language }];
}

/** One command for a script of many packages; those without it are passed over. */
export function inAllPackages(facts: FolderFacts, members: readonly FolderFacts[]): WitnessedUnit[] {
  const manager = facts.node?.manager ?? 'npm';
  return ROLES.flatMap((role) => {
    const named = SCRIPTS[role].find((name) => members.some(({ node }) => endsByItself(node?.scripts[name])));
    if (named === undefined) return [];
    const count = members.filter(({ node }) => node?.scripts[named] !== undefined).length;
    const command = ALL_PACKAGES[manager](managerCall(facts), named);
    return [single(role, command, `"${named}" of ${count} packages`, 'node')];
  });
}

const ALL_PACKAGES: Record<PackageManager, (call: string, script: string) => string> = {
  npm: (call, script) => `${call} run ${script} --workspaces --if-present`,
  pnpm: (call, script) => `${call} -r --if-present run ${script}`,
  yarn: (call, script) => `${call} workspaces foreach --all run ${script}`,
  bun: (call, script) => `${call} run --filter '*' ${script}`,
};

function single(role: Role, command: string, where: string, language: string): WitnessedUnit {
  const leaf: Leaf = { ...leafOf(command.split(' ')), kind: role };
  return { pieces: [{ text: command, leaves: [leaf] }], leaves: [leaf], role, command, where, language };
}

/** Whether a script ends: it does not watch files, and is not the placeholder of `npm init`. */
function endsByItself(script: string | undefined): boolean {
  if (script === undefined || script.trim() === '') return false;
  return !/no test specified/.test(script) && !/(^|\s)(--watch(All)?|-w)(\s|$)/.test(script);
}

const TYPE_CHECK: Record<PackageManager, string> = {
  npm: 'npx --no-install tsc --noEmit',
  pnpm: 'exec tsc --noEmit',
  yarn: 'tsc --noEmit',
  bun: 'x tsc --noEmit',
};

function typeCheck(facts: FolderFacts): string {
  const manager = facts.node?.manager ?? 'npm';
  return manager === 'npm' ? TYPE_CHECK.npm : `${managerCall(facts)} ${TYPE_CHECK[manager]}`;
}

function fromMake(role: Role, facts: FolderFacts): WitnessedUnit[] {
  const target = TARGETS[role].find((name) => facts.makeTargets.includes(name));
  if (target === undefined) return [];
  return named(role, `make ${target}`, `make ${target}`, `"${target}" in the Makefile`, 'make', facts);
}

function languageCommands(facts: FolderFacts): WitnessedUnit[] {
  const { python, rust, go, java } = facts;
  const py = (role: Role, tool: string, args = '') =>
    single(role, `${pythonCall(tool, facts)}${args}`, `pyproject.toml names ${tool}`, 'python');
  return [
    ...(python?.pytest ? [py('tests', 'pytest')] : []),
    ...(python?.unittest ? [py('tests', 'unittest', ` discover -v -s ${python.unittest}`)] : []),
    ...(python?.ruff ? [py('lint', 'ruff', ' check .')] : []),
    ...(python?.mypy ? [py('types', 'mypy', ' .')] : []),
    ...(java ? [single('tests', java.tests, java.why, 'java')] : []),
    ...(rust ? [single('tests', 'cargo test', 'Cargo.toml', 'rust')] : []),
    ...(go
      ? [single('tests', 'go test ./...', 'go.mod', 'go'), single('lint', 'go vet ./...', 'go.mod', 'go')]
      : []),
  ];
}
