/** What a call checks, and whether its passing would tell less than it seems to. */
import { checks } from '../chains/all.ts';
import { baseName, SHELLS } from '../shell/calls.ts';
import { plainWords } from '../shell/options.ts';
import { byProgram } from './by-program.ts';
import { byVerb } from './by-words.ts';
import { type CheckKind, kindByName, type Weakness } from './check-names.ts';
import { isNarrow, weakness } from './narrowing.ts';

/** A call of a program, without what stands before it. */
interface ProgramCall {
  program: string;
  args: readonly string[];
  /** The variables that are set for it: `CI=1`. */
  assigns?: readonly string[];
}

export interface Check {
  kind: CheckKind;
  /** Only a part of what it could check: some files, or tests of some name. */
  narrow: boolean;
  weak?: Weakness;
  /** What was called, for people: `npm test`. */
  name: string;
}

/** Whether it is known what calls of a program check; of the project's own scripts only their names are. */
export function knowsProgram(program: string): boolean {
  return MANAGERS.test(program) || CHECKS.has(program);
}

/** Undefined for a call that checks nothing. */
export function checkOf(call: ProgramCall): Check | undefined {
  const skipped = skippedHooks(call);
  if (skipped) return skipped;
  const found = find(call.program, call.args, 0);
  if (!found || asksOnly(found.args)) return undefined;
  const { kind, program, args } = found;
  return {
    kind,
    narrow: isNarrow(program, kind, args),
    weak: weakness(program, args),
    name: found.name,
  };
}

interface Found {
  kind: CheckKind;
  program: string;
  args: readonly string[];
  name: string;
}

const DEEPEST = 3;
const MANAGERS = /^(?:npm|pnpm|yarn|bun|npx|bunx)$/;
/** Options of package managers with a value, before the name of the script. */
const MANAGER_VALUES = [
  '-w',
  '--workspace',
  '--prefix',
  '-C',
  '--dir',
  '--cwd',
  '-F',
  '--filter',
  '--loglevel',
];
const TEST_SCRIPTS = /^(?:t|tst)$/;
const NO_SCRIPTS =
  /^(?:install|i|ci|add|remove|uninstall|update|audit|publish|pack|link|init|create|config|cache|why|outdated|ls|list|view|info|version|login|logout|whoami|set|get|help|dlx|import|patch|store|prune|dedupe|rebuild|root|bin|search)$/;
/** Programs that run a command of somewhere else: the first word that checks something counts. */
const CARRIERS =
  /^(?:docker|podman|docker-compose|kubectl|ssh|nix|nix-shell|devbox|direnv|mise|asdf|vagrant|heroku|fly|dotenv|c8|nyc|xvfb-run|script|caffeinate|unbuffer|flock|op|doppler|infisical|act|dbt|with-env)$/;

function find(program: string, args: readonly string[], depth: number): Found | undefined {
  if (depth > DEEPEST) return undefined;
  if (MANAGERS.test(program)) return scriptOf(program, args, depth);
  if (CARRIERS.test(program)) return carried(args, depth);
  const kind = kindOf(program, args);
  if (kind) return { kind, program, args, name: nameOf(program, args) };
  return CHECKS.has(program) ? undefined : ownScript(program, args);
}

/** Whether there is such a program is not asked. */
const CHECKS = byProgram([...checks, { untildone: { verify: 'all' } }]);

function kindOf(program: string, args: readonly string[]): CheckKind | undefined {
  const known = CHECKS.get(program);
  if (known === undefined || typeof known === 'string') return known;
  if (typeof known === 'object') return byVerb(args, known);
  const found = known(args);
  return typeof found === 'object' ? kindOf(found.program, found.args) : found;
}

/** `npm test`, `pnpm run lint`, `yarn vitest`. */
function scriptOf(program: string, args: readonly string[], depth: number): Found | undefined {
  const at = args.findIndex(
    (word, i) => !word.startsWith('-') && !MANAGER_VALUES.includes(args[i - 1] ?? ''),
  );
  const word = args[at];
  if (word === undefined) return undefined;
  const isRun = /^(?:run|run-script|rum|urn)$/.test(word);
  const script = isRun ? plainWords(args.slice(at + 1), MANAGER_VALUES)[0] : word;
  if (script === undefined || (!isRun && NO_SCRIPTS.test(script))) return undefined;
  const rest = args.slice(args.indexOf(script, at) + 1).filter((each) => each !== '--');
  if (program === 'bun' && word === 'test')
    return { kind: 'tests', program: 'bun-test', args: rest, name: 'bun test' };
  const known = !isRun && CHECKS.has(script) ? find(script, rest, depth + 1) : undefined;
  if (known) return { ...known, name: `${program} ${known.name}` };
  const kind = TEST_SCRIPTS.test(script) ? 'tests' : kindByName(script);
  const options = args.slice(0, at).filter((each) => each === '--if-present');
  return (
    kind && {
      kind,
      program: 'script',
      args: [...options, ...rest],
      name: `${program} ${isRun ? 'run ' : ''}${script}`,
    }
  );
}

function carried(args: readonly string[], depth: number): Found | undefined {
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? '';
    if (word.startsWith('-') || /[:/=]/.test(word)) continue;
    const found = find(baseName(word), args.slice(i + 1), depth + 1);
    if (found) return found;
  }
  return undefined;
}

/** A script of the project, by the name of its file: `./scripts/test.sh`, `node test/run.js`. */
function ownScript(program: string, args: readonly string[]): Found | undefined {
  const interpreted =
    SHELLS.test(program) || /^(?:node|tsx|ts-node|python3?|ruby|perl|php|deno)$/.test(program);
  const file = interpreted ? args.find((word) => !word.startsWith('-')) : program;
  if (file === undefined || (!interpreted && !/[-_.]|^tests?$|^check$|^lint$/.test(program)))
    return undefined;
  const kind = kindByName(baseName(file));
  return (
    kind && {
      kind,
      program: 'script',
      args: [],
      name: interpreted ? `${program} ${baseName(file)}` : program,
    }
  );
}

/** The program with the word that says what it does. */
function nameOf(program: string, args: readonly string[]): string {
  const [first] = args;
  return first !== undefined && /^[a-z][a-z:-]{1,20}$/.test(first) ? `${program} ${first}` : program;
}

/** Questions about the program itself. */
function asksOnly(args: readonly string[]): boolean {
  return args.some((word) =>
    /^(?:--help|-h|--version|-V|--init|--showConfig|--print-config|--show-config|--watch|--watchAll|-w|watch)$/.test(
      word,
    ),
  );
}

/** A commit or a push that leaves out the hooks of the project. */
function skippedHooks({ program, args, assigns = [] }: ProgramCall): Check | undefined {
  if (program !== 'git') return undefined;
  const [verb = ''] = plainWords(args, ['-C', '-c']);
  const isCommit = verb === 'commit';
  if (!isCommit && verb !== 'push' && verb !== 'merge') return undefined;
  const isSkipped =
    args.includes('--no-verify') ||
    (isCommit && args.some((word) => /^-[a-zA-Z]*n[a-zA-Z]*$/.test(word) && !word.startsWith('-m'))) ||
    assigns.some((word) => /^(?:HUSKY=0|HUSKY_SKIP_HOOKS=1|SKIP=\S)/.test(word));
  return isSkipped
    ? { kind: 'all', narrow: false, weak: 'hooks_skipped', name: `git ${verb} --no-verify` }
    : undefined;
}
