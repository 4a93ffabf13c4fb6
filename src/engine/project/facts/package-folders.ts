import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LeftOut } from '../../core/contract/project-facts.ts';
import { runGitSync } from '../git.ts';

const MANIFESTS = [
  'package.json',
  'pyproject.toml',
  'Cargo.toml',
  'go.mod',
  'Makefile',
  'makefile',
  'GNUmakefile',
];
const DEEPEST = 3;
const MOST_FOLDERS = 200;
const MOST_NAMES = 20_000;
const GIT_MS = 10_000;

/** Folders of others, or that a build makes: nobody expects gates for them. */
const NOT_OURS =
  /^(?:\..*|node_modules|bower_components|vendor|third[_-]party|site-packages|venv|dist|build|out|target|coverage)$/i;
const NO_PACKAGES =
  /^(?:examples?|samples?|demos?|fixtures?|__fixtures__|testdata|tests?|templates?|docs?|bench(?:marks?)?)$/i;

/** Finds the folders below a project that have a manifest of their own: packages, services, crates. */
export function packageFolders(project: string): { packages: string[]; leftOut: LeftOut[] } {
  const folders = new Set((listedByGit(project) ?? walked(project, '', { left: MOST_NAMES })).map(folderOf));
  const found = [...folders]
    .filter((folder) => folder !== '' && !folder.split('/').some((part) => NOT_OURS.test(part)))
    .filter((folder) => existsSync(join(project, folder)))
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
  const packages: string[] = [];
  const leftOut: LeftOut[] = [];
  for (const folder of found.slice(0, MOST_FOLDERS)) {
    const parts = folder.split('/');
    if (parts.some((part) => NO_PACKAGES.test(part)))
      leftOut.push({ folder, why: 'it looks like examples, test data or documents' });
    else if (parts.length > DEEPEST)
      leftOut.push({ folder, why: `it lies more than ${DEEPEST} folders deep` });
    else packages.push(folder);
  }
  return { packages, leftOut };
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

/** The manifests that git knows or would add; undefined without git. */
function listedByGit(project: string): string[] | undefined {
  const globs = MANIFESTS.map((name) => `:(glob)**/${name}`);
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...globs];
  const { exitCode, stdout } = runGitSync({ args: list, cwd: project, env: {} }, GIT_MS);
  return exitCode === 0 ? stdout.split('\0').filter((path) => path !== '') : undefined;
}

function walked(project: string, folder: string, names: { left: number }): string[] {
  let entries: { name: string; isDirectory(): boolean }[];
  try {
    entries = readdirSync(join(project, folder), { withFileTypes: true });
  } catch {
    return [];
  }
  names.left -= entries.length;
  const depth = folder === '' ? 0 : folder.split('/').length;
  return entries.flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (MANIFESTS.includes(entry.name)) return [path];
    const goesOn = entry.isDirectory() && depth < DEEPEST && names.left > 0 && !NOT_OURS.test(entry.name);
    return goesOn ? walked(project, path, names) : [];
  });
}
