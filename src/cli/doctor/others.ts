/** What fights with our hooks: other Stop hooks, loops of other systems, and processes that drive them. */
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { foreignHooks, type PlacedHook, pluginSwitches } from '../../engine/client/settings/other-hooks.ts';
import { drivesRalphLoop, formatDrivenBy } from '../../engine/core/import/import-hooks.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { namesIn } from '../../engine/files/whole-file.ts';
import { type Finding, found, joinLooked, type Looked, NOTHING, type Patient } from './finding.ts';
import type { SettingsOfScope } from './settings.ts';

const COMMAND_LIMIT = 160;

export function lookAtOthers(files: readonly SettingsOfScope[]): Looked {
  const readable = files.filter(({ problem, text }) => !problem && text.trim() !== '');
  const plugins = new Map<string, string>();
  for (const { text, path } of readable)
    for (const [name, isOn] of switchesIn(text))
      if (isOn) plugins.set(name, path);
      else plugins.delete(name);
  const switched = [...plugins].map(
    ([name, path]): Finding => ({
      id: 'other_loop',
      severity: 'warning',
      what: `the plugin ${oneLine(name, COMMAND_LIMIT)} drives loops of its own: both count every stop`,
      where: path,
      todo: `switch it off there; untildone takes its loops up itself (untildone ralph-loop --help)`,
    }),
  );
  return found(...readable.flatMap(otherStopHooks), ...switched);
}

function switchesIn(text: string): [string, boolean][] {
  try {
    return pluginSwitches(text).filter(([name]) => drivesRalphLoop(name));
  } catch {
    return [];
  }
}

function otherStopHooks({ text, path }: SettingsOfScope): Finding[] {
  try {
    return foreignHooks(text, path)
      .filter(({ event }) => event === 'Stop')
      .map((hook) => aboutHook(hook, path));
  } catch {
    // A key that stands twice, which Claude Code reads all the same.
    return [];
  }
}

function aboutHook({ type, command, prompt = '' }: PlacedHook, where: string): Finding {
  const shown = oneLine(command ?? prompt, COMMAND_LIMIT);
  const format = formatDrivenBy(command ?? '');
  if (format !== undefined)
    return {
      id: 'other_loop',
      severity: 'warning',
      what: `the Stop hook "${shown}" drives loops of the format ${format}, which untildone takes up, too: both count every stop`,
      where,
      todo: 'remove that hook: untildone import shows how',
    };
  const program = missingProgramIn(command ?? '');
  if (program !== undefined)
    return {
      id: 'hooks_moved',
      severity: 'warning',
      what: `a Stop hook starts an untildone that was moved or deleted: ${program}`,
      where,
      todo: 'remove that hook, then run: untildone install',
    };
  const kind = type === 'command' ? `Stop hook "${shown}"` : `Stop hook of type ${type} ("${shown}")`;
  return {
    id: 'other_stop_hook',
    severity: 'note',
    what: `the ${kind} runs beside that of untildone: when it holds, the session goes on although the loop has ended`,
    where,
    todo: 'keep it if you want both; untildone import --from harness makes a gate of it',
  };
}

/** The program of untildone that a hand-written hook names by its path and that is gone. */
function missingProgramIn(command: string): string | undefined {
  const words = command.match(/"[^"]+"|'[^']+'|[^\s"';&|]+/g) ?? [];
  return words
    .map((word) => word.replace(/^["']|["']$/g, ''))
    .find((word) => isAbsolute(word) && /untildone/.test(word) && !existsSync(word));
}

export interface Process {
  pid: number;
  command: string;
  folder?: string;
}

/** The processes of this machine, as far as the system tells; undefined where it does not. */
export function processesHere(): Process[] | undefined {
  if (process.platform !== 'linux') return undefined;
  return namesIn('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return command === '' ? [] : [{ pid: Number(name), command, folder: linkOf(`/proc/${name}/cwd`) }];
    } catch {
      // It has ended, or belongs to somebody else.
      return [];
    }
  });
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Controllers of other systems that still run in this project. */
export function lookAtControllers(
  { project }: Pick<Patient, 'project'>,
  processes: readonly Process[] | undefined,
): Looked {
  const inProject = (folder = '') => folder === project || folder.startsWith(`${project}/`);
  const running = (processes ?? []).filter(
    ({ command, folder }) => inProject(folder) && formatDrivenBy(command) !== undefined,
  );
  if (running.length === 0) return NOTHING;
  return joinLooked(
    running.map(({ pid, command }) =>
      found({
        id: 'old_controller',
        severity: 'warning',
        what: `a controller of another system runs in this project: process ${pid}, ${oneLine(command, COMMAND_LIMIT)}`,
        todo: `end it (kill ${pid}), or leave the loop to it`,
      }),
    ),
  );
}
