/** A fresh clone of a public project in a folder, a home and an environment of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Place } from '../cheats/stage/place.ts';
import type { Source } from './source.ts';

/** What reaches a registry through the certificates and proxies of this machine, and what finds compilers. Nothing secret. */
const PASSED = [
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'RUSTUP_HOME', 'JAVA_HOME'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
];

/** The clone that is given, below `folder`; bare or not. Undefined where it is not there, or lacks the commit. */
export function findClone(
  { name, commit }: Pick<Source, 'name' | 'commit'>,
  folder: string,
): string | undefined {
  const [, short = name] = name.split('/');
  const plus = name.replace('/', '+');
  return [join(plus, 'repo'), plus, name, short]
    .map((path) => join(folder, path))
    .find((path) => existsSync(path) && gitOutput(path, ['cat-file', '-t', commit]) === 'commit');
}

/** The project as it was at the parent of the played commit. */
export function freshPlace(source: Source, clone: string, root: string): Place {
  rmSync(root, { recursive: true, force: true });
  const place = newPlace(root, source.env);
  git(place, root, ['clone', '--quiet', '--no-checkout', clone, 'project']);
  git(place, place.project, ['checkout', '--quiet', '-B', 'work', `${source.commit}^`]);
  return place;
}

/** An empty folder with a home beside it. */
export function newPlace(root: string, env: Readonly<Record<string, string>> = {}): Place {
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  for (const folder of [home, join(root, 'tmp')]) mkdirSync(folder, { recursive: true });
  const person = '[user]\n\tname = You\n\temail = you@example.com\n';
  writeFileSync(join(home, '.gitconfig'), `${person}[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n`);
  writeFileSync(join(home, '.npmrc'), `prefix=${join(home, '.local')}\nupdate-notifier=false\nfund=false\n`);
  return { root, home, project, env: { ...environment(root, home), ...env } };
}

function environment(root: string, home: string): Record<string, string> {
  const passed = PASSED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const rustup = join(homedir(), '.rustup');
  return {
    ...(existsSync(rustup) ? { RUSTUP_HOME: rustup } : {}),
    ...Object.fromEntries(passed),
    PATH: [join(home, '.local', 'bin'), ...folders()].join(delimiter),
    HOME: home,
    TMPDIR: join(root, 'tmp'),
    LANG: 'C.UTF-8',
    ANTHROPIC_API_KEY: 'no-key',
  };
}

/** The folders of PATH without those that npm adds for our own scripts. */
function folders(): string[] {
  const all = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return [...new Set(all)].filter((folder) => !folder.includes('node_modules'));
}

export function missingProgram({ programs }: Pick<Source, 'programs'>): string | undefined {
  return programs.find((name) => !folders().some((folder) => existsSync(join(folder, name))));
}

export function git({ env }: Place, cwd: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr.trim().slice(0, 500)}`);
}

/** What git prints, without the last line break; undefined where it fails. */
export function gitOutput(cwd: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
  return status === 0 ? stdout.replace(/\n$/, '') : undefined;
}
