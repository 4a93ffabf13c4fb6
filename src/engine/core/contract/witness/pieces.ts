/** What a command line runs, down to the calls of programs: names of scripts, targets and environments are looked up. */
import { baseName, unwrapped } from '../../shell/calls.ts';
import { simpleCommands } from '../../shell/words.ts';
import { globMatches } from '../../text/globs.ts';
import type { FolderFacts } from '../project-facts.ts';
import { type Leaf, leafOf } from './leaf.ts';
import { chainOf, statementsIn } from './statements.ts';

/** One command of a chain. */
export interface Piece {
  /** As it is written. */
  text: string;
  /** Everything that it comes down to. */
  leaves: readonly Leaf[];
  /** What the name in it stands for, where this is a chain of commands. */
  inner?: readonly Piece[];
  /** It only measures the coverage of what is inside, or makes an environment for it: that stands for it. */
  opens?: true;
  /** The lines around it belong to a script, where tools are called by their bare name. */
  ofScript?: true;
}

const DEEPEST = 8;
/** More commands than any project has: names that lead to each other in ever more ways end here. */
const MOST_LOOKED_UP = 500;

interface Way {
  facts: FolderFacts;
  depth: number;
  left: { lookups: number };
  ofScript?: true;
}

/** The pieces of a line; undefined where it is more than a chain. */
export function piecesOf(line: string, facts: FolderFacts): Piece[] | undefined {
  return piecesOn(line, { facts, depth: 0, left: { lookups: MOST_LOOKED_UP } });
}

function piecesOn(line: string, way: Way): Piece[] | undefined {
  return chainOf(line)?.map((text) => pieceOf(text, way));
}

function pieceOf(text: string, way: Way): Piece {
  const place = way.ofScript ? { ofScript: way.ofScript } : {};
  const words = programWords(text);
  const { measured, lines } = namedBy(words, way);
  if (lines === undefined) return { text, leaves: words.length === 0 ? [] : [leafOf(words)], ...place };
  const next = { ...way, depth: way.depth + 1, ...(measured ? {} : { ofScript: true as const }) };
  const inner = lines.map((line) => piecesOn(line, next));
  const leaves = inner.flatMap(
    (pieces, at) => pieces?.flatMap((piece) => piece.leaves) ?? looseLeaves(lines[at] ?? '', next),
  );
  const isChain = inner.every((pieces) => pieces !== undefined);
  return {
    text,
    leaves,
    ...(isChain ? { inner: inner.flatMap((pieces) => pieces ?? []) } : {}),
    ...(measured || OPENED.test(words[0] ?? '') ? { opens: true as const } : {}),
    ...place,
  };
}

/** Programs that make an environment of their own, and shells. */
const OPENED = /^(?:tox|nox|sh|bash|zsh)$/;

/** The lines that words are a name for; `measured`: it is one command, whose coverage is measured. */
function namedBy(
  words: readonly string[],
  { facts, depth, left }: Way,
): { lines?: string[]; measured?: true } {
  if (depth >= DEEPEST || left.lookups <= 0) return {};
  left.lookups--;
  const wrapped = wrappedIn(words, facts);
  if (wrapped !== undefined) return { lines: [wrapped], measured: true };
  const lines = linesOf(words, facts);
  return lines === undefined ? {} : { lines };
}

/** The calls of a line that is no chain. */
function looseLeaves(line: string, way: Way): Leaf[] {
  return simpleCommands(line).flatMap(({ words }) => {
    const own = withoutRunners(words);
    if (own.length === 0) return [];
    const { lines } = namedBy(own, way);
    const next = { ...way, depth: way.depth + 1, ofScript: true as const };
    if (lines === undefined) return [leafOf(own)];
    return lines.flatMap((one) => piecesOn(one, next)?.flatMap((piece) => piece.leaves) ?? []);
  });
}

/** The words of the program itself: without assignments, `npx`, `uv run`, `time`. */
export function programWords(text: string): string[] {
  const [command] = simpleCommands(text);
  return withoutRunners(command?.words ?? []);
}

/** Options of `uv run` and the like that have a value. */
const WITH_VALUE =
  /^(?:--(?:group|extra|python|with|with-requirements|package|project|from|only-group|env-file|directory)|-p|-w)$/;

function withoutRunners(words: readonly string[]): string[] {
  const [first = '', second = ''] = words;
  const isRun = /^(?:uv|poetry|pipenv|rye)$/.test(first) && second === 'run';
  if (!isRun && first !== 'uvx' && first !== 'pipx') {
    const { words: rest } = unwrapped(words);
    return rest.length === words.length ? [...rest] : withoutRunners(rest);
  }
  let at = isRun || first === 'pipx' ? 2 : 1;
  while (words[at]?.startsWith('-')) at += WITH_VALUE.test(words[at] ?? '') ? 2 : 1;
  return withoutRunners(words.slice(at).map((word, i) => (i === 0 ? word.replace(/@.*$/, '') : word)));
}

const MEASURED =
  /^(?:npm|pnpm|yarn|bun|node|mocha|jest|ava|tap|tape|vitest|uvu|tsx|ts-node|npx|jasmine|python[\d.]*)$/;

/** The command whose coverage a call measures. */
function wrappedIn([first = '', ...args]: readonly string[], facts: FolderFacts): string | undefined {
  const program = baseName(first);
  if (program === 'nyc' || program === 'c8') {
    const dashes = args.indexOf('--');
    const at = dashes >= 0 ? dashes + 1 : args.findIndex((word) => MEASURED.test(word));
    return at < 0 || args[0] === 'report' ? undefined : args.slice(at).map(quoted).join(' ');
  }
  const rest =
    program === 'coverage' ? args : args[0] === '-m' && args[1] === 'coverage' ? args.slice(2) : undefined;
  if (rest?.[0] !== 'run') return undefined;
  let at = 1;
  while (rest[at]?.startsWith('-') && rest[at] !== '-m')
    at += /^--(?:rcfile|data-file|context|concurrency)$/.test(rest[at] ?? '') ? 2 : 1;
  const named = rest.slice(at);
  return named.length === 0 || facts.python === undefined
    ? undefined
    : ['python', ...named].map(quoted).join(' ');
}

export function quoted(word: string): string {
  return /^[\w./:=,@%+*~$-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The lines that a name stands for; undefined for a call of a program. */
function linesOf(words: readonly string[], facts: FolderFacts): string[] | undefined {
  const [first = '', ...args] = words;
  const program = baseName(first);
  if (program === 'corepack') return linesOf(args, facts);
  if (program === 'node' && /(?:^|\/)\.yarn\/releases\//.test(args[0] ?? ''))
    return linesOf(['yarn', ...args.slice(1)], facts);
  if (/^(?:npm|pnpm|yarn|bun)$/.test(program)) return scriptLines(program, args, facts);
  if (/^(?:run-[sp]|npm-run-all\d?)$/.test(program)) return listedScripts(args, facts);
  if (/^(?:ba|da|z)?sh$/.test(program) && args[0] === '-c' && args[1] !== undefined) return [args[1]];
  return taskLines(program, args, facts);
}

/** Options of package managers before the name of a script that lead elsewhere. */
const ELSEWHERE =
  /^(?:-w|--workspace|--workspaces|-ws|-F|--filter|-r|--recursive|--prefix|-C|--dir|--cwd)(?:=|$)/;

function scriptLines(program: string, args: readonly string[], { node }: FolderFacts): string[] | undefined {
  if (!node || args.some((word, i) => ELSEWHERE.test(word) && !args.slice(0, i).includes('--')))
    return undefined;
  const plain = args.filter((word) => !/^(?:-s|--silent|--if-present|-q|--quiet)$/.test(word));
  const isRun = plain[0] === 'run' || plain[0] === 'run-script';
  const [named, ...given] = isRun ? plain.slice(1) : plain;
  const name = !isRun && (named === 't' || named === 'tst') ? 'test' : named;
  if (name === undefined) return undefined;
  const fits = program === 'pnpm' ? /^\/(.+)\/$/.exec(name)?.[1] : undefined;
  if (fits !== undefined) return scriptsLike(fits, node.scripts).map((one) => `${program} run ${one}`);
  const script = Object.hasOwn(node.scripts, name) ? node.scripts[name] : undefined;
  const rest = given.filter((word, i) => !(i === 0 && word === '--'));
  if (script !== undefined && !(program === 'bun' && name === 'test' && !isRun)) {
    const around = program === 'npm' || program === 'bun' || program === 'yarn';
    const [before, after] = [`pre${name}`, `post${name}`].map((each) =>
      around ? node.scripts[each] : undefined,
    );
    return [before, [script, ...rest.map(quoted)].join(' '), after].filter(
      (line): line is string => line !== undefined && line.trim() !== '',
    );
  }
  // `yarn vitest`, `pnpm tsc`: a tool by its name.
  const isTool =
    !isRun && (program === 'yarn' || program === 'pnpm') && !NOT_TOOLS.test(name) && !name.startsWith('-');
  return isTool ? [[name, ...given.map(quoted)].join(' ')] : undefined;
}

const NOT_TOOLS =
  /^(?:install|i|ci|add|remove|update|up|audit|publish|pack|link|init|create|config|cache|why|list|ls|exec|dlx|workspace|workspaces|version|info|run|node|set|store|rebuild|dedupe|import|patch|env|root|bin|stage|login|enable)$/;

function scriptsLike(pattern: string, scripts: Readonly<Record<string, string>>): string[] {
  // What a project wrote as a pattern is only compared where it is a plain beginning or end.
  const [, begins, plain = '', ends] = /^(\^?)([\w:.-]+)(\$?)$/.exec(pattern) ?? [];
  if (plain === '') return [];
  return Object.keys(scripts).filter((name) =>
    begins
      ? ends
        ? name === plain
        : name.startsWith(plain)
      : ends
        ? name.endsWith(plain)
        : name.includes(plain),
  );
}

function listedScripts(args: readonly string[], { node }: FolderFacts): string[] | undefined {
  if (!node) return undefined;
  const names = args.filter((word) => !word.startsWith('-'));
  const all = names.flatMap((name) =>
    Object.keys(node.scripts).filter(
      (script) =>
        script === name.split(' ')[0] || (name.includes('*') && globMatches(name.replace('**', '*'), script)),
    ),
  );
  return all.map((script) => `npm run ${script}`);
}

const PYTHON_ENVIRONMENT = /^(?:py|pypy|cpython)?-?[\d.]*(?:-\w+)?$/;

function taskLines(program: string, args: readonly string[], facts: FolderFacts): string[] | undefined {
  const find = (call: string) => facts.tasks?.find((task) => task.call === call)?.lines;
  const words = args.filter((word) => !word.startsWith('-') && !word.includes('='));
  const all = (calls: readonly string[]) => {
    const found = calls.map(find);
    return calls.length === 0 || found.includes(undefined)
      ? undefined
      : found.flatMap((lines) => lines ?? []);
  };
  switch (program) {
    case 'make':
    case 'gmake':
      return args.includes('-C') || args.includes('-f')
        ? undefined
        : all(words.map((name) => `make ${name}`));
    case 'just':
    case 'task':
    case 'poe':
      return all(words.slice(0, 1).map((name) => `${program} ${name}`));
    case 'composer':
      return all(
        words
          .filter((word) => !/^run(?:-script)?$/.test(word))
          .slice(0, 1)
          .map((name) => `composer ${name}`),
      );
    case 'pdm':
    case 'hatch':
      return all(words[0] === 'run' ? [`${program} run ${words[1] ?? ''}`] : []);
    case 'nox': {
      const at = args.findIndex((word) => word === '-s' || word === '-e' || word === '--session');
      const named =
        at < 0
          ? facts.tasks?.filter(({ call }) => call.startsWith('nox -s ')).map(({ call }) => call)
          : [`nox -s ${args[at + 1] ?? ''}`];
      return all(named ?? []);
    }
    case 'tox':
      return toxLines(args, all);
    default:
      return undefined;
  }
}

function toxLines(
  args: readonly string[],
  all: (calls: readonly string[]) => string[] | undefined,
): string[] | undefined {
  const at = args.findIndex((word) => word === '-e' || word === '--env');
  const joined = args.find((word) => word.startsWith('-e') && word.length > 2)?.slice(2);
  const names = (at >= 0 ? (args[at + 1] ?? '') : (joined ?? '')).split(',').filter((name) => name !== '');
  if (names.length === 0) return all(['tox']);
  return names.flatMap(
    (name) => all([`tox -e ${name}`]) ?? (PYTHON_ENVIRONMENT.test(name) ? (all(['tox']) ?? []) : []),
  );
}

/** The statements of a script, each as its pieces. What is no chain is left out. */
export function chainsIn(script: string, facts: FolderFacts): Piece[][] {
  return (statementsIn(script) ?? []).flatMap((line) => {
    const pieces = piecesOf(line, facts);
    return pieces ? [pieces] : [];
  });
}
