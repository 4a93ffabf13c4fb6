/** Commands that each do one thing, so that nothing is run twice. */

import { checkOf } from '../../commands/checks.ts';
import type { Leaf, LeafKind } from './leaf.ts';
import { type Piece, programWords } from './pieces.ts';

/** A command of a contract, as pieces with `&&` between them. */
export interface CommandUnit {
  pieces: readonly Piece[];
  leaves: readonly Leaf[];
  role: Role;
}

export const ROLES = ['tests', 'lint', 'format', 'types', 'build'] as const;

export type Role = (typeof ROLES)[number];

const CHECKS: readonly LeafKind[] = ['tests', 'lint', 'format', 'types'];
/** What a command with several kinds is, the strongest first. */
const STRONGEST: readonly Role[] = ['tests', 'types', 'lint', 'format', 'build'];

/** The units of a chain: taken apart where it only checks, or where it also installs. A chain that builds stays whole. */
export function unitsOf(pieces: readonly Piece[]): CommandUnit[] {
  const leaves = pieces.flatMap((piece) => piece.leaves);
  const kinds = new Set(leaves.map(({ kind }) => kind));
  const roles = CHECKS.filter((kind) => kinds.has(kind));
  const mustPart =
    kinds.has('install') ||
    kinds.has('gives_away') ||
    (roles.length > 1 && onlyChecks(kinds) && !compilesFirst(leaves));
  if (!mustPart) return whole(pieces, leaves);
  return pieces.flatMap((piece) => {
    const own = new Set(piece.leaves.map(({ kind }) => kind));
    if (!own.has('install') && !own.has('gives_away') && CHECKS.filter((kind) => own.has(kind)).length <= 1)
      return whole([piece], piece.leaves);
    // A call that cannot be opened and that installs is no check.
    return piece.inner ? unitsOf(piece.inner) : [];
  });
}

/** Whether tests come behind a compiler that may write what they test. */
function compilesFirst(leaves: readonly Leaf[]): boolean {
  const compiler = leaves.findIndex(
    ({ words }) => /^(?:tsc|vue-tsc|tsgo)$/.test(words[0] ?? '') && !words.includes('--noEmit'),
  );
  return compiler >= 0 && leaves.slice(compiler).some(({ kind }) => kind === 'tests');
}

function onlyChecks(kinds: ReadonlySet<LeafKind>): boolean {
  return ![...kinds].some((kind) => kind === 'build' || kind === 'other' || kind === 'all');
}

function whole(pieces: readonly Piece[], leaves: readonly Leaf[]): CommandUnit[] {
  const role = roleOf(pieces, leaves);
  // A check that changes what it checks is none.
  const onlyFixes = role !== 'tests' && leaves.some(({ kind, fixes }) => fixes && kind !== 'build');
  return role === undefined || onlyFixes ? [] : [{ pieces: pieces.flatMap(opened), leaves, role }];
}

/** What the name of a script says counts where the calls in it say nothing else, and where it says that it tests or builds. */
function roleOf(pieces: readonly Piece[], leaves: readonly Leaf[]): Role | undefined {
  const [only, second] = pieces;
  const [first = '', ...args] = only && !second ? programWords(only.text) : [];
  const named = only?.inner && !only.opens ? checkOf({ program: first, args })?.kind : undefined;
  if (named === 'tests' || named === 'build') return named;
  const strongest = STRONGEST.find((one) => leaves.some(({ kind }) => kind === one));
  return strongest ?? STRONGEST.find((one) => one === named);
}

/** The commands themselves where a piece only measures their coverage, or makes an environment for them. */
function opened(piece: Piece): Piece[] {
  const { inner, opens } = piece;
  const checks = inner?.filter(({ leaves }) =>
    leaves.some(({ kind }) => !/^(?:report|nothing|install)$/.test(kind)),
  );
  const [only, second] = checks ?? [];
  if (checks === undefined || only === undefined) return [piece];
  if (opens) return checks.flatMap(opened);
  const measures = only.opens || inner?.some(({ leaves }) => leaves.some(({ kind }) => kind === 'report'));
  return measures && second === undefined ? opened(only) : [piece];
}

/** The units whose checks no other unit makes. The first of equal ones stays. */
export function withoutDoubles<Some extends CommandUnit>(units: readonly Some[]): Some[] {
  const kept: Some[] = [];
  const byStrength = [...units].sort(
    (a, b) => checkNames(b).length - checkNames(a).length || ROLES.indexOf(a.role) - ROLES.indexOf(b.role),
  );
  for (const unit of byStrength) {
    const elsewhere = new Set(kept.flatMap(checkNames));
    const own = checkNames(unit);
    // Of commands that nobody knows, equal words may do something else.
    const isKnown = unit.leaves.some(({ kind }) => CHECKS.includes(kind) || kind === 'build');
    if (!isKnown || own.some((name) => !elsewhere.has(name))) kept.push(unit);
  }
  return units.filter((unit) => kept.includes(unit));
}

/** What a unit checks, in words that are the same however it is called. */
function checkNames({ leaves }: CommandUnit): string[] {
  const counted = leaves.filter(({ kind }) => !/^(?:nothing|report|install)$/.test(kind));
  return [...new Set(counted.map(nameOf))];
}

const UNIMPORTANT =
  /^(?:--coverage(?:\..*|=.*)?|--cov\S*|-v|--verbose|--reporter=?\S*|--color|--run|run|-race|-cover\S*|-count=1)$/;

function nameOf({ words }: Leaf): string {
  const plain = words.filter((word) => !UNIMPORTANT.test(word));
  return (/^python[\d.]*$/.test(plain[0] ?? '') && plain[1] === '-m' ? plain.slice(2) : plain).join(' ');
}
