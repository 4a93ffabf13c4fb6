/** The untildone home: whether it can be used, by whom, and whether its scripts start this program. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { whenOf } from '../../engine/core/text/moment.ts';
import { newerThan } from '../../engine/core/text/version.ts';
import { holdLock, isLocked } from '../../engine/files/lock.ts';
import { isDiskFull } from '../../engine/files/unwritable.ts';
import { namesIn, readSmall } from '../../engine/files/whole-file.ts';
import { homeAt, readKey } from '../../engine/home/layout.ts';
import { programTrouble } from '../../engine/home/program-words.ts';
import type { ProgramRecord } from '../../engine/home/records/program-record.ts';
import {
  chooseProgram,
  parseHookScript,
  planScripts,
  refreshScripts,
  type StaleFile,
} from '../../engine/home/scripts.ts';
import { isInsideClient } from '../../engine/hook/start/person.ts';
import { type Finding, found, inOrder, joinLooked, type Looked, NOTHING, type Patient } from './finding.ts';

export interface HomeLooked extends Looked {
  /** False when nothing else in the home can be looked at. */
  readonly usable: boolean;
  /** The time of a file that was written just now. */
  readonly probe?: number;
}

export function lookAtHome(patient: Patient): HomeLooked {
  const { home, isUsed } = patient;
  const stat = statOf(home);
  if (stat === undefined)
    return {
      usable: true,
      ...found({
        id: 'home_missing',
        severity: isUsed ? 'error' : 'note',
        what: 'there is no untildone home yet: nothing was installed or started by this user',
        where: home,
        todo: 'untildone install',
      }),
    };
  if ('problem' in stat || !stat.isDirectory())
    return {
      usable: false,
      ...found({
        id: 'home_unusable',
        severity: 'error',
        what: `the untildone home cannot be used: ${'problem' in stat ? stat.problem : 'it is not a folder'}`,
        where: home,
        todo: 'move it out of the way, or name another: UNTILDONE_HOME=/some/folder',
      }),
    };
  const written = writable(home);
  const parts = [
    owner(home, stat),
    written.looked,
    modes(home, stat),
    key(home),
    room(home),
    hookProgram(patient),
    staleLocks(home),
    place(patient),
  ];
  const looked = joinLooked(parts);
  const isWhole = looked.findings.every(({ severity }) => severity === 'note');
  return {
    usable: true,
    probe: written.probe,
    findings: looked.findings,
    ok: [...(isWhole ? [`the untildone home (${home})`] : []), ...looked.ok],
  };
}

function statOf(path: string): Stats | { problem: string } | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function owner(home: string, { uid }: Stats): Looked {
  const own = process.getuid?.();
  if (own === undefined || uid === own) return NOTHING;
  return found({
    id: 'home_owner',
    severity: own === 0 ? 'warning' : 'error',
    what: `the untildone home belongs to another user (${uid}), not to you (${own})`,
    where: home,
    todo: `chown -R ${own} ${home}; or run untildone as its owner, without sudo`,
  });
}

/** Writes a file and removes it. */
function writable(home: string): { looked: Looked; probe?: number } {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(home, '.doctor-'));
    const file = join(folder, 'probe');
    writeFileSync(file, 'x'.repeat(4096));
    const probe = statSync(file).mtimeMs;
    rmSync(file);
    return { looked: NOTHING, probe };
  } catch (error) {
    const { message } = error as Error;
    const looked = isDiskFull(error)
      ? found({
          id: 'disk_full',
          severity: 'error',
          what: `the disk of the untildone home is full (${message}): no journal can be written`,
          where: home,
          todo: 'make room; old loops go with: untildone prune',
        })
      : found({
          id: 'home_not_writable',
          severity: 'error',
          what: `the untildone home cannot be written (${message}): sessions are held only a few times, and nothing is recorded`,
          where: home,
          todo: `make it writable (chmod u+rwx ${home}), or name another: UNTILDONE_HOME=/some/folder`,
        });
    return { looked };
  } finally {
    if (folder !== undefined) removeQuietly(folder);
  }
}

function removeQuietly(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Others must not read the home: it has the key, and what your tests print. */
function modes(home: string, stat: Stats): Looked {
  if (process.platform === 'win32') return NOTHING;
  const open = (mode: number) => (mode & 0o077) !== 0;
  const findings: Finding[] = [];
  if (open(stat.mode))
    findings.push({
      id: 'home_open',
      severity: 'warning',
      what: `other users can look into the untildone home (mode ${octal(stat.mode)})`,
      where: home,
      todo: `chmod 700 ${home}`,
      fix: () => changeMode(home, 0o700),
    });
  const { keyFile } = homeAt(home);
  const keyStat = statSync(keyFile, { throwIfNoEntry: false });
  if (keyStat?.isFile() && open(keyStat.mode))
    findings.push({
      id: 'key_open',
      severity: 'error',
      what: `other users can read the key that seals journals and signs receipts (mode ${octal(keyStat.mode)})`,
      where: keyFile,
      todo: `chmod 600 ${keyFile}; if others use this machine, treat receipts up to now as unsigned`,
      fix: () => changeMode(keyFile, 0o600),
    });
  return found(...findings);
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8);
}

function changeMode(path: string, mode: number): string {
  const before = octal(statSync(path).mode);
  chmodSync(path, mode);
  return `changed the mode of ${path} from ${before} to ${mode.toString(8)}`;
}

function key(root: string): Looked {
  const home = homeAt(root);
  if (!existsSync(home.keyFile) && namesIn(home.projects).length === 0) return NOTHING;
  try {
    readKey(home);
    return NOTHING;
  } catch (error) {
    return found({
      id: 'key_damaged',
      severity: 'error',
      what: (error as Error).message,
      where: home.keyFile,
      todo: `restore it from a backup; or move ${root} away to begin anew, then: untildone install`,
    });
  }
}

const LEAST_ROOM = 100 * 1024 * 1024;

function room(home: string): Looked {
  try {
    const { bavail, bsize, ffree, files } = statfsSync(home);
    const free = bavail * bsize;
    // Some file systems count no files.
    if (free >= LEAST_ROOM && (files === 0 || ffree > 1000)) return NOTHING;
    return found({
      id: 'disk_nearly_full',
      severity: 'warning',
      what: `the disk of the untildone home has little room left: ${Math.round(free / 1024 / 1024)} MiB, ${ffree} files`,
      where: home,
      todo: 'make room; old loops go with: untildone prune',
    });
  } catch {
    return NOTHING;
  }
}

/** What installed hooks run. Commands bring the scripts up to date by themselves; the doctor says what is wrong first. */
function hookProgram(patient: Patient): Looked {
  const { home, program, env } = patient;
  const plan = planScripts(home, program);
  if (plan.kind === 'stale' && plan.files.length > 0) return staleScripts(plan.files, patient);
  const trouble = programTrouble(plan, program, env);
  // What is wrong with the key is said already.
  if (trouble === undefined || (plan.kind === 'unreadable' && plan.cause === 'key'))
    return 'record' in plan ? inOrder(...recordLines(plan.record, patient)) : NOTHING;
  const isGone = plan.kind === 'other' && plan.state === 'gone';
  if (isGone) return goneProgram(plan.hookEntry, trouble.todo, patient);
  const isElsewhere = plan.kind === 'other' && plan.state === 'there';
  const isOlder = isElsewhere && newerThan(program.version, plan.version ?? '0');
  const severity = !isElsewhere ? 'error' : isOlder ? 'warning' : 'note';
  const id = plan.kind === 'unreadable' ? 'program_unknown' : `program_${plan.kind}`;
  return found({ id, severity, where: home, ...trouble });
}

function recordLines(
  { hookEntry, version, upgraded, by, at, checkout }: ProgramRecord,
  { now }: Patient,
): string[] {
  const how = {
    install: 'installed',
    'first use': 'since',
    'hook.sh': 'found in hook.sh',
    upgrade: 'upgraded',
    build: 'built',
  };
  const whose = checkout ? '; it is a checkout: whoever builds it decides what the hooks run' : '';
  const before = upgraded === undefined ? '' : `; before that ${upgraded.from}`;
  return [
    `the hooks run untildone ${version} (${hookEntry}), ${how[by]} ${whenOf(at, now)}${before}${whose}`,
  ];
}

function staleScripts(files: readonly StaleFile[], { home, program }: Patient): Looked {
  const script = join(home, 'hook.sh');
  const written = parseHookScript(readSmall(script) ?? '');
  const isThere = files.every(({ path, why }) => path !== script || why !== 'missing');
  const isEdited = files.some(({ why }) => why === 'edited') || written.version === program.version;
  const theirs = written.version === undefined ? 'an older version' : `version ${written.version}`;
  return found({
    id: isThere ? 'scripts_stale' : 'scripts_missing',
    severity: 'error',
    what: !isThere
      ? 'the script that the hooks run is missing, so they do nothing but tell you so'
      : isEdited
        ? 'the scripts that the hooks run were changed by hand'
        : `the scripts that the hooks run are those of ${theirs}; this is ${program.version}`,
    where: files.map(({ path }) => path).join(', '),
    todo: 'untildone install (any other command of untildone mends it, too)',
    fix: () => {
      const refreshed = refreshScripts(home, program);
      if (refreshed.kind === 'unwritable') throw new Error(refreshed.problem);
      if (refreshed.kind === 'untouched')
        throw new Error('this program is not installed, or the home is not yours');
      return `wrote ${refreshed.paths.join(', ')}`;
    },
  });
}

/** Nothing is taken from a program that is gone. All the same, a person has to say that this one takes its place. */
function goneProgram(hookEntry: string, todo: string, { home, program, env }: Patient): Looked {
  return found({
    id: 'scripts_stale',
    severity: 'error',
    what: `the hooks start ${hookEntry}, which was moved or deleted; this is version ${program.version}`,
    where: join(home, 'hook.sh'),
    todo,
    fix: () => {
      if (isInsideClient(homeAt(home), env)) throw new Error('only you can do that, in a terminal');
      chooseProgram(home, program, 'install');
      return `wrote ${join(home, 'hook.sh')}`;
    },
  });
}

/** Locks whose owner died. The next process takes them over; they are named because they tell that something was killed. */
function staleLocks(home: string): Looked {
  const loops = namesIn(join(home, 'projects')).flatMap((project) => {
    const folder = join(home, 'projects', project, 'loops');
    return namesIn(folder).flatMap((loop) =>
      ['lock', 'run.lock'].map((name) => join(folder, loop, name)).filter((path) => existsSync(path)),
    );
  });
  const own = locksIn(home);
  const stale = [...own, ...loops].filter((path) => !isLocked(path));
  if (stale.length === 0) return NOTHING;
  return found({
    id: 'locks_stale',
    severity: 'note',
    what: `${stale.length === 1 ? 'a lock was' : `${stale.length} locks were`} left by a process that was killed`,
    where: stale.slice(0, 3).join(', ') + (stale.length > 3 ? ', ...' : ''),
    todo: 'nothing: the next process takes it over. untildone doctor --fix removes it now',
    fix: () => {
      for (const path of stale) holdLock(path)?.release();
      return `removed ${stale.join(', ')}`;
    },
  });
}

function locksIn(home: string): string[] {
  return readdirSync(home, { withFileTypes: true })
    .filter((each) => each.isFile() && each.name.endsWith('.lock'))
    .map(({ name }) => join(home, name));
}

function place({ home, project }: Patient): Looked {
  if (!`${home}/`.startsWith(`${project}/`) || project === '/') return NOTHING;
  return found({
    id: 'home_in_project',
    severity: 'warning',
    what: 'the untildone home lies inside of the project: the agent, or git clean, can remove it',
    where: home,
    todo: 'name a folder outside of it: UNTILDONE_HOME=/some/folder, and move the home there',
  });
}
