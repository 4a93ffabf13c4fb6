import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CommandPart,
  commandParts,
  formerCommandParts,
  type PartsRule,
  partName,
  scriptIn,
} from '../../core/contract/command-parts.ts';
import { CONTRACT_FILE } from '../../core/contract/contract.ts';
import { isShellScript, roleOf } from '../../core/contract/definition-or-work.ts';
import { makeRule } from '../../core/contract/make-rule.ts';
import { globMatches, pathMatcher } from '../../core/text/globs.ts';
import { sha256 } from '../../files/digest.ts';
import { readSmall } from '../../files/whole-file.ts';

const DEPTH = 5;

/**
 * The scripts, make targets and files by which some commands define what they check, each by name with its text. What
 * these lead to is included; what is the work itself is not. A `pre` or `post` script that is missing has an empty text,
 * so that adding it is a change.
 */
export function resolveParts(
  project: string,
  commands: readonly string[],
  rule: PartsRule = {},
): Record<string, string> {
  return resolve(project, commands, rule).definition;
}

/** The files that some commands run and that are the work. */
export function workOf(project: string, commands: readonly string[], rule: PartsRule = {}): string[] {
  return resolve(project, commands, rule).work;
}

interface Resolved {
  definition: Record<string, string>;
  work: string[];
}

/** The scripts, targets and files by which a command was found. */
interface Way {
  folder: string;
  /** Names of scripts and targets, outermost first. */
  via: readonly string[];
  /** It stands in a script file, which looks at what it does. */
  inScript?: boolean;
  depth: number;
}

function resolve(project: string, commands: readonly string[], rule: PartsRule): Resolved {
  const found: Record<string, string> = {};
  const work = new Set<string>();
  const isWork = workChooser(project, rule);
  const partsIn = rule.asFormerly ? formerCommandParts : commandParts;
  const visit = (command: string, way: Way) => {
    for (const part of partsIn(command, way.folder).flatMap((one) => inPackages(project, one))) {
      const name = partName(part);
      const text = Object.hasOwn(found, name) ? undefined : textOf(project, part);
      if (part.kind === 'file' && isWork(part, text ?? '', way)) work.add(name);
      else if (text !== undefined) {
        found[name] = text;
        const next = leadsTo(part, text, way);
        if (next && way.depth < DEPTH && !(next.inScript && rule.asFormerly))
          visit(commandsIn(part, text), next);
      }
    }
  };
  for (const command of commands) visit(command, { folder: '.', via: [], depth: 0 });
  return { definition: found, work: [...work].filter((name) => !Object.hasOwn(found, name)) };
}

/** Where the commands inside a part run. */
function leadsTo(part: CommandPart, text: string, way: Way): Way | undefined {
  const depth = way.depth + 1;
  if (part.kind === 'script') return { folder: part.folder, via: [...way.via, part.script], depth };
  if (part.kind === 'target') return { folder: part.folder, via: [...way.via, part.target], depth };
  const isShell = part.kind === 'file' && isShellScript(part.path, text);
  // A launcher of a build tool is long, and runs nothing of the project.
  return isShell && text.length < 50_000 ? { ...way, inScript: true, depth } : undefined;
}

type IsWork = (part: CommandPart & { kind: 'file' }, text: string, way: Way) => boolean;

function workChooser(project: string, { work = [], frozen = [], asFormerly }: PartsRule): IsWork {
  if (asFormerly) return () => false;
  const isDeclared = work.length === 0 ? () => false : pathMatcher(work);
  let products: ReadonlySet<string> | undefined;
  return ({ path, call }, text, { via, inScript }) => {
    if (frozen.includes(path)) return false;
    if (isDeclared(path)) return true;
    products ??= productsOf(project);
    const examined = inScript ? { ...call, isExamined: true } : call;
    return roleOf(path, examined, { via, text, isProduct: products.has(path) }) === 'work';
  };
}

/** The files that package.json names as the programs of the project. */
function productsOf(project: string): ReadonlySet<string> {
  try {
    const { bin, main, module, exports } = JSON.parse(read(project, '.', 'package.json') ?? '{}') as Record<
      string,
      unknown
    >;
    return new Set(textsIn([bin, main, module, exports]).map((path) => path.replace(/^\.?\//, '')));
  } catch {
    return new Set();
  }
}

function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > 5) return [];
  return Object.values(value).flatMap((inner) => textsIn(inner, depth + 1));
}

function inPackages(project: string, part: CommandPart): CommandPart[] {
  if (part.kind !== 'packages') return [part];
  return packageFolders(project, part.folder, part.which).flatMap((folder) => scriptIn(part.script, folder));
}

export function hashParts(parts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, sha256(text)]));
}

/** The commands in a make rule: the rules that it needs, its recipe without `@` and `-`, and the values of variables. */
function commandsIn(part: CommandPart, text: string): string {
  if (part.kind !== 'target') return text;
  const lines = text.split('\n').flatMap((line) => {
    if (/^[\t ]/.test(line)) return [line.replace(/^[\t ]*[@+-]*/, '')];
    const [, value] = /^[^:=]*(?::[?+!:]*)?=(.*)$/.exec(line) ?? [];
    if (value !== undefined) return [value];
    const [, needed = '', inline = ''] = /^[^:]*::?([^;|#]*)[^;]*;?(.*)$/.exec(line) ?? [];
    return [...(needed.trim() === '' ? [] : [`make ${needed.trim()}`]), inline];
  });
  return lines.join('\n');
}

/** Names of makefiles, in the order in which make looks for them. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

function textOf(project: string, part: CommandPart): string | undefined {
  switch (part.kind) {
    case 'packages':
      return undefined;
    case 'script':
      return packageScript(read(project, part.folder, 'package.json'), part.script);
    case 'settings': {
      const there = packageScript(read(project, part.folder, 'package.json'), part.script);
      return there === undefined ? undefined : managerSettings(project, part.folder);
    }
    case 'target': {
      const makefile = MAKEFILES.map((name) => read(project, part.folder, name)).find((t) => t !== undefined);
      return makefile === undefined
        ? undefined
        : makeRule(withIncluded(project, part.folder, makefile), part.target);
    }
    case 'file':
      return read(project, '.', part.path);
    case 'shadow':
      return read(project, '.', part.path) ?? '';
  }
}

/** The makefile with included files put in, because they may bring another recipe. Computed names are not followed. */
function withIncluded(project: string, folder: string, makefile: string, seen = new Set<string>()): string {
  return makefile.replace(/^ *[-s]?include[ \t]+([^\n#$*?[]+)(?:#.*)?$/gm, (line, names: string) => {
    const fresh = names.split(/\s+/).filter((name) => name !== '' && !seen.has(name));
    for (const name of fresh) seen.add(name);
    const texts = fresh.map((name) => withIncluded(project, folder, read(project, folder, name) ?? '', seen));
    return [line, ...texts].join('\n');
  });
}

/** Settings files of package managers, with the lines that change how scripts run. Other lines may hold secrets. */
const MANAGER_SETTINGS: Record<string, RegExp> = {
  '.npmrc': /^[ \t]*(?:script-shell|shell-emulator|node-options|if-present|workspaces?|prefix)\s*=.*$/gm,
  'pnpm-workspace.yaml': /^[ \t]*(?:scriptShell|shellEmulator|nodeOptions)\s*:.*$/gm,
  '.yarnrc.yml': /^[ \t]*yarnPath\s*:.*$/gm,
  '.yarnrc': /^[ \t]*(?:yarn-path|script-shell)\s.*$/gm,
  'bunfig.toml': /^[ \t]*(?:preload|shell|root)\s*=.*$/gm,
};

/** The settings lines of a package's folder and of the project's root, which rule in all packages. */
function managerSettings(project: string, folder: string): string {
  const folders = [...new Set([folder, '.'])];
  return folders
    .flatMap((at) =>
      Object.entries(MANAGER_SETTINGS).flatMap(
        ([file, lines]) => read(project, at, file)?.match(lines) ?? [],
      ),
    )
    .map((line) => line.trim())
    .join('\n');
}

function packageScript(text: string | undefined, script: string): string | undefined {
  if (text === undefined) return undefined;
  try {
    const scripts = (JSON.parse(text) as { scripts?: Record<string, unknown> }).scripts ?? {};
    const value = scripts[script];
    if (typeof value === 'string') return value;
    return typeof scripts[script.replace(/^(?:pre|post)/, '')] === 'string' ? '' : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for a file that cannot be read, which differs from its text at the start and so counts as a change. */
function read(project: string, folder: string, file: string): string | undefined {
  try {
    return readSmall(join(project, folder, file));
  } catch {
    return undefined;
  }
}

const MOST_PACKAGES = 1_000;

/** The folders, relative to the project, of the workspace packages that a name, a folder or a glob selects. */
function packageFolders(project: string, folder: string, which: string): string[] {
  const root = join(project, folder);
  const folders = globsOf(root).flatMap((glob) => foldersFor(root, glob.replace(/^\.\//, '').split('/')));
  return [...new Set(folders)]
    .slice(0, MOST_PACKAGES)
    .filter((at) => {
      const name = manifest(join(root, at))?.name;
      return name !== undefined && [at, name].some((one) => globMatches(which, one));
    })
    .map((at) => join(folder, at));
}

function globsOf(root: string): string[] {
  const { workspaces } = manifest(root) ?? {};
  const named = Array.isArray(workspaces) ? workspaces : (workspaces as { packages?: unknown })?.packages;
  const listed = text(join(root, 'pnpm-workspace.yaml')).match(/^[ \t]*-[ \t]+.+$/gm) ?? [];
  return [
    ...(Array.isArray(named) ? named : []),
    ...listed.map((line) => line.replace(/^[ \t]*-[ \t]+/, '').replace(/["']|(?<!\s)\s*#.*$/g, '')),
  ].filter((glob): glob is string => typeof glob === 'string' && !glob.startsWith('!'));
}

/** The folders that a workspace glob selects; `packages/**` is read as `packages/*`. */
function foldersFor(root: string, [part, ...rest]: readonly string[], at = ''): string[] {
  if (part === undefined || part === '') return at === '' ? [] : [at];
  if (!part.includes('*')) return foldersFor(root, rest, join(at, part));
  return subfolders(join(root, at))
    .filter((name) => globMatches(part.replace('**', '*'), name))
    .slice(0, MOST_PACKAGES)
    .flatMap((name) => foldersFor(root, rest, join(at, name)));
}

function subfolders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((e) => e.isDirectory() && e.name !== 'node_modules').map((e) => e.name);
  } catch {
    return [];
  }
}

function manifest(folder: string): { name: string; workspaces?: unknown } | undefined {
  try {
    const { name, workspaces } = JSON.parse(text(join(folder, 'package.json'))) as Record<string, unknown>;
    return { name: typeof name === 'string' ? name : '', workspaces };
  } catch {
    return undefined;
  }
}

function text(path: string): string {
  try {
    return readSmall(path) ?? '';
  } catch {
    return '';
  }
}

/** SHA-256 of a project's untildone.yaml as it is now; undefined when there is none. */
export function contractFileDigest(project: string): string | undefined {
  const text = readSmall(join(project, CONTRACT_FILE));
  return text === undefined ? undefined : sha256(text);
}
