/** What the project's own CI says about tests, lint, types and build. */
import type { CiStep, FolderFacts, Machine } from '../project-facts.ts';
import { chainsIn, type Piece, programWords } from './pieces.ts';
import { pythonTool, spelled } from './spelling.ts';
import { type CommandUnit, unitsOf } from './units.ts';

export interface WitnessedUnit extends CommandUnit {
  command: string;
  where: string;
  language: string;
  env?: Readonly<Record<string, string>>;
}

/** A command of CI that is no gate, and why. */
export interface LeftToCi {
  command: string;
  where: string;
  why: string;
}

export interface Witness {
  units: WitnessedUnit[];
  leftOut: LeftToCi[];
}

/** `folder`: the steps that run there; absent: those of the project's root. */
export function witnessOf(
  steps: readonly CiStep[],
  facts: FolderFacts,
  machine: Machine,
  folder?: string,
): Witness {
  const found: Witness = { units: [], leftOut: [] };
  for (const step of steps.filter(({ cwd }) => cwd === folder)) {
    for (const pieces of chainsIn(step.run, facts)) {
      const units = unitsOf(pieces).map((unit) => witnessed(unit, step, facts));
      for (const unit of units) {
        const why = step.needs === undefined ? missingTool(unit, facts, machine) : `it needs ${step.needs}`;
        if (why === undefined) found.units.push(unit);
        else found.leftOut.push({ command: unit.command, where: step.where, why });
      }
    }
  }
  return chosen(found, facts);
}

function witnessed(unit: CommandUnit, { where, env }: CiStep, facts: FolderFacts): WitnessedUnit {
  const command = unit.pieces.map((piece) => spelled(piece, facts)).join(' && ');
  return { ...unit, command, where, language: languageOf(unit), ...(env ? { env } : {}) };
}

/** One command for each role of a language: the first, or a script of the project that covers all of them. */
function chosen({ units, leftOut }: Witness, facts: FolderFacts): Witness {
  const kept: WitnessedUnit[] = [];
  const rest: LeftToCi[] = [];
  for (const unit of units) {
    const at = kept.findIndex(({ role, language }) => role === unit.role && language === unit.language);
    const before = kept[at];
    if (!before) kept.push(unit);
    else if (isMore(unit, before)) kept[at] = unit;
    else if (isOther(before, unit))
      rest.push({ command: unit.command, where: unit.where, why: ONE_IS_ENOUGH });
  }
  const covering = kept.map((unit) => coveringScript(unit, units, facts) ?? unit);
  const words = new Set(covering.map(({ command }) => command));
  const left = [...leftOut, ...rest].filter(({ command }) => !words.has(command));
  return { units: covering, leftOut: [...new Map(left.map((one) => [one.command, one])).values()] };
}

const ONE_IS_ENOUGH = 'one such command is a gate already';

/** Whether a check does all that another one does, and more. */
function isMore(unit: CommandUnit, other: CommandUnit): boolean {
  const own = new Set(leafTexts(unit));
  const less = new Set(leafTexts(other));
  return unit.role !== 'tests' && own.size > less.size && isSubset(less, own);
}

function isOther(one: WitnessedUnit, other: WitnessedUnit): boolean {
  return one.command !== other.command && leafTexts(one).join('\n') !== leafTexts(other).join('\n');
}

function leafTexts({ leaves }: CommandUnit): string[] {
  return leaves.filter(({ kind }) => kind !== 'nothing').map(({ words }) => words.join(' '));
}

/** CI may run in parts what a script of the project runs as one. */
function coveringScript(
  unit: WitnessedUnit,
  all: readonly WitnessedUnit[],
  facts: FolderFacts,
): WitnessedUnit | undefined {
  const parts = all.filter(({ role, language }) => role === unit.role && language === unit.language);
  if (
    unit.role !== 'tests' ||
    unit.language !== 'node' ||
    new Set(parts.map(({ command }) => command)).size < 2
  )
    return undefined;
  const asked = new Set(parts.flatMap(leafTexts));
  const [pieces] = facts.node?.scripts.test === undefined ? [] : chainsIn('npm test', facts);
  const [whole, second] = pieces ? unitsOf(pieces).filter(({ role }) => role === 'tests') : [];
  if (!whole || second || !isSubset(asked, new Set(leafTexts(whole)))) return undefined;
  return {
    ...witnessed(whole, { run: '', where: unit.where }, facts),
    ...(unit.env ? { env: unit.env } : {}),
  };
}

function isSubset(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  return [...some].every((one) => all.has(one));
}

const LANGUAGES: readonly (readonly [RegExp, string])[] = [
  [/^(?:go|gotestsum|golangci-lint|staticcheck|gofmt)$/, 'go'],
  [/^(?:cargo|rustc|rustfmt)$/, 'rust'],
  [/^(?:mvnw?|gradlew?|sbt|ant)$/, 'java'],
  [/^(?:rake|rspec|ruby|rubocop|minitest)$/, 'ruby'],
  [/^(?:php|phpunit|composer|phpstan|pest|psalm)$/, 'php'],
  [/^(?:cmake|ctest|meson|ninja|gcc|cc|clang|bats|prove|perl|shellcheck)$/, 'make'],
  [/^(?:dotnet)$/, 'dotnet'],
  [/^(?:mix)$/, 'elixir'],
];

/** The ecosystem of what a unit checks with. */
export function languageOf({ leaves, role }: CommandUnit): string {
  const words = (leaves.find(({ kind }) => kind === role) ?? leaves[0])?.words ?? [];
  if (pythonTool(words) || /^python[\d.]*$/.test(words[0] ?? '')) return 'python';
  const program = (words[0] ?? '').replace(/^.*\//, '');
  return LANGUAGES.find(([fits]) => fits.test(program))?.[1] ?? 'node';
}

/** Why a command cannot be run here: its program is missing, and nothing that is installed for the project brings it. */
export function missingTool(unit: WitnessedUnit, facts: FolderFacts, machine: Machine): string | undefined {
  if (unit.pieces.some(({ text }) => text.startsWith('!'))) return 'it has to fail';
  return unit.pieces.flatMap((piece) => toolMissing(piece, facts, machine))[0];
}

function toolMissing(piece: Piece, facts: FolderFacts, machine: Machine): string[] {
  const words = programWords(piece.text);
  const tool = facts.python ? pythonTool(words) : undefined;
  if (tool) {
    const name = tool.module.split('.')[0] ?? '';
    // What a setup of the project's own installs is not here yet.
    const isInstalled = facts.dependencies?.python?.run !== undefined && facts.python?.names?.includes(name);
    const isThere = isInstalled || machine.hasModule === undefined || machine.hasModule(name);
    return isThere || tool.module === 'unittest' ? [] : [`${tool.module} is not installed here`];
  }
  const [program = ''] = words;
  const [starter = ''] = piece.text.split(/\s+/);
  if (
    /^(?:bundle|poetry|uv|pipenv|pdm|hatch)$/.test(starter) &&
    !facts.python &&
    !machine.hasProgram(starter)
  )
    return [`${starter} is not installed here`];
  if (/^\.\.?\//.test(program) && machine.hasFile?.(program) === false) return [`there is no ${program}`];
  const isBare = program !== '' && !program.includes('/') && !/[$]/.test(program);
  const byManager = facts.node !== undefined && (piece.ofScript || /^(?:npm|pnpm|yarn|bun)$/.test(program));
  return isBare && !byManager && !machine.hasProgram(program) && !SHELL_WORDS.test(program)
    ? [`${program} is not installed here`]
    : [];
}

const SHELL_WORDS = /^(?:cd|test|true|set|export|\[|!|python[\d.]*|node|npm|npx)$/;
