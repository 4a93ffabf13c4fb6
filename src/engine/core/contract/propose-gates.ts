/** The commands of a proposed contract: as the project's own CI runs them, else as its files let one guess. */
import { oneLine } from '../text/clip.ts';
import { pathMatcher } from '../text/globs.ts';
import type { FolderFacts, LeftOut, Machine, PackageFacts, ProjectFacts } from './project-facts.ts';
import { guesses, inAllPackages } from './propose-guesses.ts';
import { envText, gate, type ProposedGate, yamlText } from './propose-text.ts';
import {
  type LeftToCi,
  missingTool,
  type Witness,
  type WitnessedUnit,
  witnessOf,
} from './witness/from-ci.ts';
import { chainsIn } from './witness/pieces.ts';
import { managerCall } from './witness/spelling.ts';
import { ROLES, type Role, withoutDoubles } from './witness/units.ts';

const TIMEOUTS: Record<Role, string> = { tests: '10m', lint: '5m', format: '5m', types: '5m', build: '10m' };

export type CommandGate = ProposedGate & {
  role: Role;
  command: string;
  folder?: string;
  env?: Readonly<Record<string, string>>;
};

const ANYWHERE: Machine = { hasProgram: () => true };

/** The commands of the project, then those of the folders below it. */
export function commandGates(facts: ProjectFacts): CommandGate[] {
  const below = packageGates(facts).packages.flatMap(({ gates }) => gates);
  const taken = new Set<string>();
  const named = [...folderGates(facts, facts).gates, ...below].map((found) => {
    // `a/b` and `a-b` make the same name.
    let name = found.name;
    for (let i = 2; taken.has(name); i++) name = `${found.name}-${i}`;
    taken.add(name);
    return { ...found, name };
  });
  return named.sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
}

/** More folders would make a contract that nobody reads. */
const MOST_PACKAGES = 20;
const MOST_NOTES = 10;
/** From so many packages of a workspace on, one command runs a script of all of them. */
const MANY_MEMBERS = 5;

const NOT_IN_CI = 'CI does not run its commands';

/** The gates of the folders below the project, and the folders without any. */
function packageGates(facts: ProjectFacts): {
  packages: { folder: string; gates: CommandGate[] }[];
  leftOut: LeftOut[];
} {
  const packages: { folder: string; gates: CommandGate[] }[] = [];
  const leftOut: LeftOut[] = [];
  const isTested = folderGates(facts, facts).isWitnessed;
  const together = new Set(workspaceUnits(facts).map(({ role }) => role));
  for (const one of facts.packages ?? []) {
    const { gates: own, isWitnessed } = folderGates(one, facts, one.folder);
    const gates = own.filter(
      ({ role, language }) =>
        !isCovered(role, language, one, facts) &&
        !(language === 'node' && together.has(role) && isMember(one, facts)),
    );
    if (own.length > 0 && isTested && !isWitnessed && !isMember(one, facts))
      leftOut.push({ folder: one.folder, why: NOT_IN_CI });
    else if (own.length === 0)
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
    const own = guesses(place).filter((guess) => guess.role === role);
    if (own.some((guess) => guess.language === 'make')) return true;
    if (language === 'python') return place.python !== undefined;
    if (language === 'rust') return place.rust;
    const isOf = pathMatcher((place.node?.workspaces ?? []).map(anchored))(place.below);
    return language === 'node' && isOf && own.some((guess) => guess.language === 'node');
  });
}

function isMember({ folder }: PackageFacts, { node }: ProjectFacts): boolean {
  return pathMatcher((node?.workspaces ?? []).map(anchored))(folder);
}

/** The folders whose commands nobody runs: what they depend on is not installed. */
export function foldersNotInCi(facts: ProjectFacts): string[] {
  return packageGates(facts).leftOut.flatMap(({ folder, why }) => (why === NOT_IN_CI ? [folder] : []));
}

/** Scripts of a large workspace whose root has none of that name, run in all packages that have it. */
function workspaceUnits(facts: ProjectFacts): WitnessedUnit[] {
  const members = (facts.packages ?? []).filter((one) => one.node && isMember(one, facts));
  if (members.length < MANY_MEMBERS || !facts.node) return [];
  const own = new Set(guesses(facts).map(({ role }) => role));
  return inAllPackages(facts, members).filter(({ role }) => !own.has(role));
}

function anchored(glob: string): string {
  return glob.startsWith('!') ? `!/${glob.slice(1)}` : `/${glob}`;
}

/** Comments about the folders below the project: what was found there, and what was left out. */
export function packageNotes(facts: ProjectFacts): string[] {
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

const MOST_LEFT = 4;

/** Lines about commands that are no gates: those of CI that cannot be run here, and those that CI does not run. */
export function witnessNotes(facts: ProjectFacts): string[] {
  const { leftOut, unused } = folderGates(facts, facts);
  const off = unused.map(({ role, command, where }) => {
    const body = `{ run: ${yamlText(command)}, timeout: ${TIMEOUTS[role]} }`;
    return `  # ${role}: ${body}  # ${oneLine(where, 60)}; CI does not run it`;
  });
  const left = leftOut
    .slice(0, MOST_LEFT)
    .map(({ command, why }) => `  #   ${oneLine(command, 80)}: ${oneLine(why, 70)}`);
  const more = leftOut.length - MOST_LEFT;
  return [
    ...off,
    ...(left.length > 0 ? ['  # CI runs besides:', ...left] : []),
    ...(more > 0 ? [`  #   and ${more} more`] : []),
  ];
}

interface FolderGates {
  gates: (CommandGate & { language: string })[];
  leftOut: LeftToCi[];
  /** Commands that the files name, in a language that CI tests without them. */
  unused: WitnessedUnit[];
  /** CI tests something of it. */
  isWitnessed: boolean;
}

/** What CI runs wins over scripts and targets, these over the usual commands of a language. */
function folderGates(facts: FolderFacts, project: ProjectFacts, folder?: string): FolderGates {
  const { ci = [], machine = ANYWHERE } = project;
  const witness: Witness = witnessOf(ci, facts, machine, folder);
  const tested = new Set(
    witness.units.filter(({ role }) => role === 'tests').map(({ language }) => language),
  );
  const guessed = guesses(facts);
  const isWitnessed = (language: string) => tested.has(language) || (language === 'make' && tested.size > 0);
  const isAnyTested = tested.size > 0;
  const added = [
    ...guessed.filter(({ language, role }) => !(isAnyTested && role === 'tests' && OTHERS.test(language))),
    ...(folder === undefined ? workspaceUnits(project) : []),
  ].filter(
    (guess) =>
      !isWitnessed(guess.language) &&
      !witness.units.some((unit) => unit.role === guess.role && unit.language === guess.language),
  );
  const units = withoutDoubles([...witness.units.map((unit) => asScript(unit, guessed)), ...added]);
  const unused = withoutDoubles([...units, ...guessed.filter((guess) => isWitnessed(guess.language))]).filter(
    (one) =>
      !units.includes(one) &&
      !units.some((unit) => unit.role === one.role) &&
      missingTool(one, facts, machine) === undefined,
  );
  const prepared = units.map((unit) => withBuilds(unit, facts));
  return { gates: named(prepared, folder), leftOut: witness.leftOut, unused, isWitnessed: tested.size > 0 };
}

/** Scripts that package managers run after an installation, before what needs what they make. */
function withBuilds(unit: WitnessedUnit, facts: FolderFacts): WitnessedUnit {
  const { role, language, leaves, command } = unit;
  if (language !== 'node' || (role !== 'tests' && role !== 'types')) return unit;
  const there = new Set(leaves.map(({ words }) => words.join(' ')));
  const missing = (facts.dependencies?.node?.builds ?? []).filter((script) => {
    const runs = chainsIn(`npm run ${script}`, facts)[0]?.flatMap((piece) => piece.leaves) ?? [];
    return !runs.every(({ words }) => there.has(words.join(' ')));
  });
  const before = missing.map((script) => `${managerCall(facts)} run ${script}`);
  return before.length === 0 ? unit : { ...unit, command: [...before, command].join(' && ') };
}

/** A script of the project that runs the same is how people call it. */
function asScript(unit: WitnessedUnit, guessed: readonly WitnessedUnit[]): WitnessedUnit {
  // A target of Python may start an interpreter that only its author has.
  if (unit.language === 'python') return unit;
  const same = guessed.find((guess) => guess.role === unit.role && areSame(guess, unit));
  return same && unit.env === undefined
    ? { ...same, where: `${same.where}, as in ${unit.where.split(',')[0]}` }
    : unit;
}

function areSame(one: WitnessedUnit, other: WitnessedUnit): boolean {
  const plain = ({ leaves }: WitnessedUnit) =>
    leaves.map(({ words }) => words.filter((word) => !word.startsWith('-')).join(' '));
  return one.leaves.length > 0 && plain(one).join('\n') === plain(other).join('\n');
}

/** Languages whose tests are only guessed where nothing else is tested. */
const OTHERS = /^(?:ruby|php|perl|shell|native)$/;

function named(units: readonly WitnessedUnit[], folder: string | undefined): FolderGates['gates'] {
  const where = folder === undefined ? '' : `, cwd: ${yamlText(folder)}`;
  const taken = new Map<string, WitnessedUnit>();
  for (const unit of units)
    taken.set(taken.has(unit.role) ? `${unit.role}-${unit.language}` : unit.role, unit);
  return [...taken]
    .map(([name, { role, command, where: why, language, env }]) => ({
      role,
      language,
      command,
      folder,
      ...(env ? { env } : {}),
      ...gate(
        folder === undefined ? name : `${name}-${folderName(folder)}`,
        `{ run: ${yamlText(command)}${where}${envText(env)}, timeout: ${TIMEOUTS[role]} }`,
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
