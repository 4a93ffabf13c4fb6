/** What is on this machine: programs on PATH, and the modules of the interpreter in use. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Machine } from '../../core/contract/project-facts.ts';
import { defined } from '../../core/text/defined.ts';
import { once } from '../../core/text/once.ts';
import { namesIn } from '../../files/whole-file.ts';
import { pathOutside } from '../room/programs.ts';

const ASK_MS = 5_000;

/** `project`: an environment of Python that lies there counts before the interpreter on PATH. */
export function machineOf(env: NodeJS.ProcessEnv, project: string): Machine {
  const names = once(() => sitePackages(env, project).flatMap(namesIn));
  const modules = once(() => new Set(names().map(moduleOf)));
  const packages = once(() => new Set(names().flatMap(packageOf)));
  return {
    hasProgram: (name) => programAt(name, env) !== undefined,
    hasModule: (name) => modules().has(name),
    hasPackage: (name) => packages().has(name),
    ...defined({ environment: environmentIn(project) }),
    hasFile: (path) => existsSync(join(project, path)),
  };
}

function programAt(name: string, { PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  if (!/^[\w.+-]+$/.test(name)) return undefined;
  const folders = PATH.split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Folders of a project in which an environment of Python usually lies. */
export const ENVIRONMENTS = ['.venv', 'venv', 'env', '.env'];

/** The environment of Python in a project. */
export function environmentIn(project: string): string | undefined {
  return ENVIRONMENTS.find((folder) => namesIn(join(project, folder)).includes('pyvenv.cfg'));
}

/** Where the packages of the interpreter lie: of the project's environment, else of `python3` on PATH. */
export function sitePackages(env: NodeJS.ProcessEnv, project: string): string[] {
  const own = environmentIn(project);
  if (own !== undefined) {
    const lib = join(project, own, 'lib');
    return namesIn(lib).map((name) => join(lib, name, 'site-packages'));
  }
  return interpreterPackages(env, project);
}

/** Asks the interpreter itself, without anything of the project: a program that lies there is not started. */
export function interpreterPackages(env: NodeJS.ProcessEnv, project: string): string[] {
  const PATH = pathOutside(env.PATH ?? '', project);
  const python = programAt('python3', { PATH });
  if (python === undefined) return [];
  const question =
    'import json,site,sys;print(json.dumps([p for p in site.getsitepackages()+[site.getusersitepackages()]]))';
  const { status, stdout } = spawnSync(python, ['-I', '-c', question], {
    cwd: '/',
    env,
    timeout: ASK_MS,
    encoding: 'utf8',
  });
  try {
    const paths: unknown = status === 0 ? JSON.parse(stdout) : [];
    return Array.isArray(paths) ? paths.filter((path): path is string => typeof path === 'string') : [];
  } catch {
    return [];
  }
}

/** `six.py` and `_speedups.cpython-311.so` are modules, too. */
function moduleOf(name: string): string {
  return /\.(?:py|so)$/.test(name) ? name.slice(0, name.indexOf('.')) : name;
}

/** `Flask_SQLAlchemy-3.1.dist-info` is flask-sqlalchemy. */
function packageOf(name: string): string[] {
  const found = /^(.+?)-[^-]+\.(?:dist|egg)-info$/.exec(name)?.[1];
  return found === undefined ? [] : [found.toLowerCase().replace(/[-_.]+/g, '-')];
}
