/** Spells commands of CI, scripts and tasks so that they run here: with the project's own manager and interpreter. */
import { baseName } from '../../shell/calls.ts';
import type { FolderFacts, PackageManager } from '../project-facts.ts';
import { type Piece, programWords, quoted } from './pieces.ts';

/** Runs a tool of node_modules, without fetching one. */
const EXECUTES: Record<PackageManager, string> = {
  npm: 'npx --no-install',
  pnpm: 'pnpm exec',
  yarn: 'yarn run',
  bun: 'bunx --no-install',
};

/** The manager as it is called here: `corepack pnpm`. */
export function managerCall(facts: FolderFacts): string {
  return facts.node?.call ?? facts.node?.manager ?? 'npm';
}

export function executes(tool: string, facts: FolderFacts): string {
  const manager = facts.node?.manager ?? 'npm';
  return `${EXECUTES[manager].replace(/^(?:pnpm|yarn)(?= )/, managerCall(facts))} ${tool}`;
}

export function scriptCall(script: string, facts: FolderFacts): string {
  const isTest = script === 'test' && facts.node?.manager !== 'bun';
  // `bun test` is the runner of bun itself, not the script.
  return `${managerCall(facts)} ${isTest ? '' : 'run '}${/^[\w:./-]+$/.test(script) ? script : quoted(script)}`;
}

/** What starts a tool of Python: `uv run`, `.venv/bin/python -m`. */
export function pythonCall(tool: string, { python, dependencies }: FolderFacts): string {
  return `${python?.runner || `${dependencies?.python?.python ?? 'python3'} -m`} ${tool}`;
}

const PYTHON_TOOLS =
  /^(?:pytest|py\.test|unittest|ruff|mypy|flake8|black|isort|pylint|bandit|codespell|pycodestyle|pydocstyle|coverage|nox|tox|pyright|stubtest|vulture|doctest)$/;
/** Tools whose module has another name than the program. */
const MODULES: Record<string, string> = {
  'py.test': 'pytest',
  stubtest: 'mypy.stubtest',
  codespell: 'codespell_lib',
};

/** The tool of Python that words call, by the name of its module. */
export function pythonTool(
  words: readonly string[],
): { module: string; args: readonly string[] } | undefined {
  const [first = '', ...args] = words;
  const program = baseName(first);
  if (/^(?:python[\d.]*|pypy3?)$/.test(program) && args[0] === '-m' && args[1] !== undefined)
    return { module: args[1], args: args.slice(2) };
  return PYTHON_TOOLS.test(program) ? { module: MODULES[program] ?? program, args } : undefined;
}

/** Programs that are there without any package manager. */
const OF_THE_SYSTEM =
  /^(?:node|deno|bash|sh|make|gmake|cmake|ctest|go|cargo|ruby|rake|bundle|perl|prove|php|java|mvn|gradle|python[\d.]*|gcc|cc|bats|npm|pnpm|yarn|bun|corepack|test|rm|mkdir|cp|mv|echo|cd|git)$/;
const MANAGERS = /^(?:npm|pnpm|yarn|bun)$/;

export function spelled({ text, ofScript }: Piece, facts: FolderFacts): string {
  const words = programWords(text);
  const [first = '', ...args] = words;
  const assigned = /^(?:(?:cross-env|env)\s+)?((?:[A-Za-z_]\w*=\S*\s+)*)/.exec(text)?.[1] ?? '';
  const tool = facts.python ? pythonTool(words) : undefined;
  if (tool) return `${assigned}${pythonCall(tool.module, facts)}${argsOf(text, tool.args)}`;
  if (/^python[\d.]*$/.test(first) && facts.python)
    return assigned + [interpreter(facts), ...args.map(quotedGlob)].join(' ');
  const isOwnScript = MANAGERS.test(first) && facts.node !== undefined;
  if (isOwnScript) return assigned + ownScript(text, args, facts);
  if (first === 'go') return assigned + ['go', ...args.filter((word) => !OF_CI_IN_GO.test(word))].join(' ');
  if (first === 'cargo')
    return assigned + ['cargo', ...args.filter((word) => !/^(?:--verbose|-v+)$/.test(word))].join(' ');
  const isTool =
    ofScript && facts.node !== undefined && !OF_THE_SYSTEM.test(baseName(first)) && !first.includes('/');
  // What a matrix leaves empty is nothing.
  if (!isTool) return text.replace(/\s[A-Z_]{1,40}=(?:""|'')(?=\s|$)/g, '');
  return assigned + withoutCoverage(executes(text.slice(text.indexOf(first)), facts));
}

/** What CI adds for its log and its measure of coverage. The race detector compiles everything once more. */
const OF_CI_IN_GO = /^(?:-v|-race|-cover(?:profile=.*|mode=.*|pkg=.*)?|-count=1)$/;

function interpreter({ python, dependencies }: FolderFacts): string {
  return python?.runner ? `${python.runner} python` : (dependencies?.python?.python ?? 'python3');
}

function plainPython(args: readonly string[]): string[] {
  return args.filter(
    (word) =>
      !/^(?:--cov(?:-\S+)?(?:=.*)?|-v+|--verbose|--color=\S+|--tb=\S+|--junit-?xml=\S+|--durations=\S+)$/.test(
        word,
      ),
  );
}

/** What is quoted stays as it is written. */
function argsOf(text: string, args: readonly string[]): string {
  const [first] = args;
  if (first !== undefined && /["']/.test(text)) {
    const from =
      Math.max(text.indexOf(` ${first}`), text.indexOf(` "${first}`), text.indexOf(` '${first}`)) + 1;
    if (from > 0) return ` ${text.slice(from)}`;
  }
  return plainPython(args)
    .map((word) => ` ${quotedGlob(word)}`)
    .join('');
}

function quotedGlob(word: string): string {
  return /^[\w./:=,@%+*~$[\]-]+$/.test(word) ? word : quoted(word);
}

function ownScript(text: string, args: readonly string[], facts: FolderFacts): string {
  const named = args.filter((word) => !word.startsWith('-'));
  const isRun = named[0] === 'run' || named[0] === 'run-script';
  const script = isRun ? named[1] : named[0] === 't' ? 'test' : named[0];
  const scripts = facts.node?.scripts ?? {};
  const given = args.slice(args.indexOf(script ?? '') + 1);
  if (script !== undefined && Object.hasOwn(scripts, script))
    return [scriptCall(script, facts), ...given.map(quotedGlob)].join(' ');
  if (/^\/.+\/$/.test(script ?? '')) return text;
  const isTool = !isRun && script !== undefined && !/^(?:exec|x|dlx|test|start)$/.test(script);
  return isTool ? withoutCoverage(executes([script, ...given.map(quotedGlob)].join(' '), facts)) : text;
}

/** A runner that measures no coverage, and does not wait for changes. */
function withoutCoverage(command: string): string {
  const plain = command.replace(/ --coverage(?:[.=]\S+)?(?=\s|$)/g, '');
  return plain.replace(/( vitest)(?=$| (?!run\b|related\b|bench\b|--run\b|typecheck\b))/, '$1 run');
}
