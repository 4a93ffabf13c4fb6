/** The files of a tree that a file of code loads or names, as far as its text tells. Pure. */

/** The files of one tree, by their path and by the ends of it. */
export interface TreePaths {
  has(path: string): boolean;
  /** The files whose path is this text, or ends with it after a slash. */
  ending(text: string): readonly string[];
  /** The files of a folder, without those below it. */
  inFolder(folder: string): readonly string[];
  /** The files of a package of this tree, by the name under which it is imported; empty for others. */
  ofPackage(name: string): readonly string[];
}

export interface Loads {
  paths: ReadonlySet<string>;
  /** The text loads something whose name it works out while it runs. */
  more: boolean;
}

/** `packages`: the folders of packages by name. */
export function treePaths(
  paths: Iterable<string>,
  packages: ReadonlyMap<string, string> = new Map(),
): TreePaths {
  const all = new Set(paths);
  const byEnd = new Map<string, string[]>();
  const byFolder = new Map<string, string[]>();
  for (const path of all) {
    push(byFolder, folderOf(path), path);
    push(byEnd, nameOf(path), path);
  }
  return {
    has: (path) => all.has(path),
    ending: (text) => {
      const end = text.replace(/^\/+/, '');
      return (byEnd.get(nameOf(end)) ?? []).filter((path) => path === end || path.endsWith(`/${end}`));
    },
    inFolder: (folder) => byFolder.get(folder) ?? [],
    ofPackage: (name) => {
      const folder = packages.get(name);
      if (folder === undefined) return [];
      return [...all].filter((path) => folder === '' || path.startsWith(`${folder}/`)).filter(isFollowed);
    },
  };
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
export const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const SCRIPT = /\.[cm]?[jt]sx?$|\.(?:vue|svelte)$/;

/** Whether the imports of such a file can be read. */
export const isFollowed = (path: string) => SCRIPT.test(path) || /\.(?:py|go)$/.test(path);

/** What a file loads; undefined for a language whose imports are not read. */
export function loadedBy(path: string, text: string, tree: TreePaths): Loads | undefined {
  if (SCRIPT.test(path)) return { paths: loadedByScript(path, text, tree), more: SCRIPT_MORE.test(text) };
  if (path.endsWith('.py')) return { paths: loadedByPython(path, text, tree), more: PYTHON_MORE.test(text) };
  if (path.endsWith('.go')) return { paths: loadedByGo(path, text, tree), more: false };
  return undefined;
}

const SCRIPT_MORE =
  /\b(?:require|import)\s*\(\s*(?!['"`]|\))|\b(?:require|import)\s*\(\s*`[^`]*\$\{|\brequire-?all\b|import\.meta\.glob/;
const PYTHON_MORE =
  /\b(?:__import__|import_module|spec_from_file_location|pkgutil|runpy)\b|(?<![.\w])exec\s*\(/;

const QUOTED = /'([^'\n]{1,300})'|"([^"\n]{1,300})"|`([^`\n$]{1,300})`/g;

function quotedIn(text: string): string[] {
  return [...text.matchAll(QUOTED)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

const ENDINGS = [
  '',
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.json',
  '.vue',
  '.svelte',
];

const IMPORTED = /\b(?:from|import|require)\s{0,20}\(?\s{0,20}['"`]([^'"`\n]{1,300})['"`]/g;

function loadedByScript(path: string, text: string, tree: TreePaths): Set<string> {
  const found = new Set<string>();
  const imported = new Set([...text.matchAll(IMPORTED)].map((match) => match[1] ?? ''));
  for (const word of quotedIn(text)) {
    const files = /^\.{1,2}(?:\/|$)/.test(word)
      ? candidates(joined(folderOf(path), word) ?? '').filter(tree.has)
      : named(word, imported.has(word), tree);
    for (const file of files) found.add(file);
  }
  return found;
}

/** What a name may stand for that is not relative: an alias, a package of this tree, the path of a program. */
function named(word: string, isImported: boolean, tree: TreePaths): string[] {
  const isPath = /[/.]/.test(word);
  if (!isImported) return isPath ? [...tree.ending(word)] : [];
  const packages = word.split('/', 2);
  const ofPackage = [...tree.ofPackage(packages[0] ?? ''), ...tree.ofPackage(packages.join('/'))];
  const place = word.replace(/^(?:[@~#]|\w*:)\/+/, '');
  return [...ofPackage, ...candidates(place).flatMap(tree.ending)];
}

function candidates(written: string): string[] {
  const place = written.replace(/[?#].*$/, '');
  // TypeScript is imported by the name of what it is compiled to.
  const stems = [place, place.replace(/\.([cm]?)jsx?$/, '')];
  const folder = place === '' ? '' : `${place.replace(/\/$/, '')}/`;
  return stems.flatMap((stem) => [
    ...ENDINGS.map((end) => `${stem}${end}`),
    ...ENDINGS.slice(1).map((end) => `${folder}index${end}`),
  ]);
}

function joined(folder: string, path: string): string | undefined {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of path.split('/'))
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '.' && part !== '') parts.push(part);
  return parts.join('/');
}

const PYTHON_FROM = /^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)/gm;
const PYTHON_IMPORT = /^[ \t]*import[ \t]+([^\n#]+)/gm;
const DOTTED = /^[A-Za-z_]\w*(?:\.\w+)+$/;

function loadedByPython(path: string, text: string, tree: TreePaths): Set<string> {
  const found = new Set<string>();
  const addModule = (dotted: string, under?: string) => {
    const parts = dotted.split('.').filter(Boolean);
    // Every package on the way is loaded, too.
    for (let size = parts.length; size > 0; size--) {
      const inner = parts.slice(0, size).join('/');
      for (const end of [`${inner}.py`, `${inner}/__init__.py`])
        for (const file of under === undefined ? tree.ending(end) : [`${under}${end}`])
          if (tree.has(file)) found.add(file);
    }
  };
  for (const [, dots = '', module = '', names = ''] of text.matchAll(PYTHON_FROM)) {
    const under = dots === '' ? undefined : folderUp(path, dots.length);
    const imported = names.replace(/[()\\]/g, ' ').split(',');
    for (const name of imported.map((each) => /\w+/.exec(each)?.[0] ?? ''))
      addModule([module, name].filter(Boolean).join('.'), under);
    if (under !== undefined && tree.has(`${under}__init__.py`)) found.add(`${under}__init__.py`);
  }
  for (const [, names = ''] of text.matchAll(PYTHON_IMPORT))
    for (const name of names.split(',')) addModule(/[\w.]+/.exec(name)?.[0] ?? '');
  for (const word of quotedIn(text))
    if (DOTTED.test(word)) addModule(word);
    else if (word.includes('/') || /\.\w+$/.test(word)) for (const file of tree.ending(word)) found.add(file);
  for (const file of aroundPython(path)) if (tree.has(file)) found.add(file);
  return found;
}

/** What Python and pytest load before a file of a folder. */
function aroundPython(path: string): string[] {
  const parts = folderOf(path).split('/').filter(Boolean);
  const folders = ['', ...parts.map((_, i) => `${parts.slice(0, i + 1).join('/')}/`)];
  return folders.flatMap((folder) => [`${folder}conftest.py`, `${folder}__init__.py`]);
}

function folderUp(path: string, dots: number): string {
  const parts = folderOf(path).split('/').filter(Boolean);
  const left = parts.slice(0, Math.max(0, parts.length - (dots - 1)));
  return left.length === 0 ? '' : `${left.join('/')}/`;
}

const GO_IMPORT =
  /^[ \t]{0,40}(?:import[ \t]{1,20})?(?:[\w.]{1,100}[ \t]{1,20})?"([^"\n]{1,300})"[ \t]{0,40}$/gm;

/** A package is all files of its folder; `ending` finds the folder by the end of its import path. */
function loadedByGo(path: string, text: string, tree: TreePaths): Set<string> {
  const own = folderOf(path);
  const isTest = (file: string) => file.endsWith('_test.go');
  const filesIn = (folder: string) =>
    tree.inFolder(folder).filter((file) => file.endsWith('.go') && (!isTest(file) || folder === own));
  const found = new Set(filesIn(own));
  for (const [, module = ''] of text.matchAll(GO_IMPORT)) {
    const parts = module.split('/');
    // The module's own name comes first: the longest end that is a folder of this tree is the package.
    for (let from = 0; from <= parts.length; from++) {
      const files = filesIn(parts.slice(from).join('/')).filter((file) => !isTest(file));
      if (files.length === 0 || (from === parts.length && !module.includes('.'))) continue;
      for (const file of files) found.add(file);
      break;
    }
  }
  return found;
}
