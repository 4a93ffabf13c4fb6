/** The settings of Claude Code: whether they can be read, and whether our hooks are in them as they should be. */
import {
  readSettings,
  type Scope,
  SettingsFileRefused,
  settingsPath,
} from '../../engine/client/settings/files.ts';
import { JsonRefused, parseStrict } from '../../engine/client/settings/json-text.ts';
import { plannedEvents, unknownEvents } from '../../engine/client/settings/our-events.ts';
import { addHooks, removeHooks, stopTimeouts } from '../../engine/client/settings/our-hooks.ts';
import { ourPlugin } from '../../engine/client/settings/our-plugin.ts';
import {
  callsUs,
  NEEDED,
  type OurHook,
  ourHooksIn,
  parsedSettings,
  type Settings,
  SHORTEST_TIMEOUT_S,
} from '../../engine/client/settings/settings.ts';
import { decisiveVariable, harmfulVariable } from '../../engine/client/settings/variables.ts';
import { managedSettings } from '../../engine/client/settings/would-run.ts';
import { isOlderLine, isOtherToolsLine, quotesOurLine } from '../../engine/home/hook-line.ts';
import { blockCapFrom } from '../../engine/hook/wiring/ports.ts';
import { installationAt, installHooks, settingsTexts } from '../install/settings-change.ts';
import { type Finding, found, inOrder, joinLooked, type Looked, NOTHING, type Patient } from './finding.ts';

export interface SettingsOfScope {
  readonly scope: Scope | 'managed';
  readonly path: string;
  /** Empty when there is none, or when it cannot be read. */
  readonly text: string;
  readonly settings: Settings;
  /** Why nothing can be taken from it. */
  readonly problem?: { id: 'settings_not_json' | 'settings_unreadable'; what: string; todo: string };
}

/** All settings that count in this project, the weakest first. */
export function settingsHere(patient: Patient): SettingsOfScope[] {
  const weakestFirst = ['user', 'project', 'local'] as const satisfies readonly Scope[];
  const own = weakestFirst.map((scope) => settingsAt(scope, settingsPath(scope, patient)));
  return [...own, ...managedSettings(patient.managed).map(({ path }) => settingsAt('managed', path))];
}

function settingsAt(scope: SettingsOfScope['scope'], path: string): SettingsOfScope {
  let text = '';
  try {
    text = readSettings(path).text ?? '';
    if (text.trim() !== '') requireObject(text);
    return { scope, path, text, settings: parsedSettings(text.replace(/^\uFEFF/, '')) };
  } catch (error) {
    return { scope, path, text, settings: {}, problem: problemOf(error as Error, scope) };
  }
}

function requireObject(text: string): void {
  const root = parseStrict(text);
  if (root.type !== 'object') throw new JsonRefused('the settings must be an object, { ... }', text, 0);
}

function problemOf(error: Error, scope: SettingsOfScope['scope']): SettingsOfScope['problem'] {
  const whose = scope === 'managed' ? 'ask whoever manages it to correct it' : 'correct it';
  if (error instanceof JsonRefused)
    return {
      id: 'settings_not_json',
      what: `line ${error.line}, column ${error.column}: ${error.message.replace(/;[^;]*run this again$/, '')}. Claude Code takes nothing from this file`,
      todo: whose,
    };
  const todo = error instanceof SettingsFileRefused ? whose : 'make it readable for you';
  return { id: 'settings_unreadable', what: `cannot be read: ${error.message}`, todo };
}

/** `client`: the version of Claude Code, if it says one. */
export function lookAtSettings(patient: Patient, files: readonly SettingsOfScope[], client?: string): Looked {
  return joinLooked([
    ...files.map((file) => unreadable(file)),
    ...files.map((file) => notTaken(file, client)),
    ...files.map((file) => ourHooks(file, patient)),
    installed(files, patient),
    twoVersions(files),
    switchedOff(files),
    managedOnly(files),
    variables(files, patient),
    cap(files, patient),
  ]);
}

function unreadable({ path, problem, text }: SettingsOfScope): Looked {
  if (!problem) return NOTHING;
  const severity = quotesOurLine(text) ? 'error' : 'warning';
  return found({ id: problem.id, severity, what: problem.what, where: path, todo: problem.todo });
}

function notTaken({ settings, path }: SettingsOfScope, client: string | undefined): Looked {
  const isOurs = ourHooksIn(settings).length > 0;
  const why = isOurs && client !== undefined ? unknownEvents(client, settings) : undefined;
  if (!why) return NOTHING;
  const what = `${why.what}: nobody is held by the hooks there`;
  return found({ id: 'hooks_not_taken', severity: 'error', what, where: path, todo: why.todo });
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What is wrong with our hooks in one file. */
function ourHooks(file: SettingsOfScope, patient: Patient): Looked {
  const ours = ourHooksIn(file.settings);
  if (ours.length === 0) return NOTHING;
  const fault = faultIn(ours, file);
  if (!fault) return inOrder(`the hooks in ${file.path}`);
  const { scope } = file;
  const flag = scope === 'project' ? '' : ` --scope ${scope}`;
  return found({
    ...fault,
    where: file.path,
    todo: scope === 'managed' ? 'ask whoever manages it' : `untildone install${flag}`,
    ...(scope === 'managed' ? {} : { fix: () => rewrite(scope, patient) }),
  });
}

type Fault = Pick<Finding, 'id' | 'severity' | 'what'>;

function faultIn(ours: readonly OurHook[], { settings, text }: SettingsOfScope): Fault | undefined {
  const unwhole: string[] = NEEDED.filter((event) => !callsUs(settings, event));
  const severity = unwhole.includes('Stop') ? 'error' : 'warning';
  const keyOf = ({ event, command }: OurHook) => `${event} ${isOtherToolsLine(command)}`;
  const doubled = ours.filter((hook, at) => ours.findIndex((other) => keyOf(other) === keyOf(hook)) !== at);
  const { judged, others } = plannedEvents();
  const planned = [...judged, ...others];
  if (ours.some(({ command, event }) => isOlderLine(command) || !planned.includes(event)))
    return { id: 'hooks_older', severity: 'warning', what: 'the hooks are those of an older version' };
  if (doubled.length > 0)
    return {
      id: 'hooks_doubled',
      severity,
      what: `hooks of untildone stand there twice: ${namesOf(doubled)}`,
    };
  const missing = planned.filter((event) => !ours.some((hook) => hook.event === event));
  if (missing.length > 0)
    return {
      id: 'hooks_incomplete',
      severity: missing.includes('Stop') ? 'error' : 'warning',
      what: `hooks of untildone are missing there: ${missing.join(', ')}`,
    };
  if (unwhole.length === 0 && !addHooks(text, planOf(text)).changed) return undefined;
  return {
    id: 'hooks_changed',
    severity,
    what: `hooks of untildone were changed by hand${unwhole.length === 0 ? '' : `: ${unwhole.join(', ')} would not run, or not whole`}`,
  };
}

function namesOf(hooks: readonly OurHook[]): string {
  return [...new Set(hooks.map(({ event }) => event))].join(', ');
}

/** A timeout that is long enough stays: it may be yours. */
function planOf(text: string): { judgeTimeout?: number } {
  const [timeout] = stopTimeouts(text).filter((seconds) => seconds >= SHORTEST_TIMEOUT_S);
  return timeout === undefined ? {} : { judgeTimeout: timeout };
}

/** Takes our hooks out of a file and adds them as install does. `untildone uninstall` restores what was there before them. */
function rewrite(scope: Scope, patient: Patient): string {
  const place = { ...patient, scope, dryRun: false };
  const add = (text: string | undefined, original: string | undefined) => {
    const plan = text === undefined ? {} : planOf(text);
    const bare = text === undefined ? undefined : removeHooks(text, original).text;
    return addHooks(bare, plan, original);
  };
  const at = installationAt(place, { program: patient.program, chosen: false });
  const { change } = installHooks(at, add, settingsTexts, place);
  return `wrote the hooks into ${change.path} (untildone uninstall${scope === 'project' ? '' : ` --scope ${scope}`} takes them out)`;
}

function installed(files: readonly SettingsOfScope[], patient: Patient): Looked {
  if (files.some(({ settings }) => ourHooksIn(settings).length > 0)) return NOTHING;
  if (ourPlugin(patient)) return inOrder('the hooks of the plugin');
  // A file that cannot be read is told already; it may be the one with the hooks.
  if (files.some(({ problem, text }) => problem && quotesOurLine(text))) return NOTHING;
  const canFix = patient.isUsed && files.every(({ scope, problem }) => scope !== 'project' || !problem);
  return found({
    id: 'hooks_missing',
    severity: patient.isUsed ? 'error' : 'warning',
    what: 'no hooks of untildone are installed for this project: nobody is held in it',
    where: settingsPath('project', patient),
    todo: 'untildone install (or untildone install --scope user, for all projects)',
    ...(canFix ? { fix: () => rewrite('project', patient) } : {}),
  });
}

/** Claude Code runs identical lines once; those of two versions are two hooks, which both judge. */
function twoVersions(files: readonly SettingsOfScope[]): Looked {
  const stops = files.flatMap(({ settings, path }) =>
    ourHooksIn(settings)
      .filter(({ event }) => event === 'Stop')
      .map(({ command }) => ({ command, path })),
  );
  const lines = new Set(stops.map(({ command }) => command));
  const places = [...new Set(stops.map(({ path }) => path))];
  if (lines.size < 2 || places.length < 2) return NOTHING;
  return found({
    id: 'hooks_of_two_versions',
    severity: 'warning',
    what: 'hooks of two versions are installed in two places, so everything is judged twice',
    where: places.join(', '),
    todo: 'write them anew in each place: untildone install, untildone install --scope user, or take one out: untildone uninstall',
  });
}

function switchedOff(files: readonly SettingsOfScope[]): Looked {
  const managed = files.find((file) => file.scope === 'managed' && file.settings.disableAllHooks === true);
  const own = files.filter(({ scope }) => scope !== 'managed');
  // For a switch, the strongest scope that names it decides.
  const deciding = own.findLast(({ settings }) => typeof settings.disableAllHooks === 'boolean');
  const off = managed ?? (deciding?.settings.disableAllHooks === true ? deciding : undefined);
  if (!off) return NOTHING;
  return found({
    id: 'hooks_disabled',
    severity: 'error',
    what: '"disableAllHooks" is true: Claude Code runs no hook, and nobody is held',
    where: off.path,
    todo: managed ? 'ask whoever manages these settings' : 'remove that line',
  });
}

function managedOnly(files: readonly SettingsOfScope[]): Looked {
  const managed = files.filter(({ scope }) => scope === 'managed');
  const isOurs = managed.some(({ settings }) => callsUs(settings, 'Stop'));
  const findings = managed.flatMap(({ path, settings }): Finding[] => {
    const { allowManagedHooksOnly, allowManagedModsOnly, strictPluginOnlyCustomization: plugins } = settings;
    const only = allowManagedHooksOnly === true || plugins === true || asList(plugins).includes('hooks');
    const todo = 'ask whoever manages these settings to add the hooks of untildone';
    return [
      ...(only && !isOurs
        ? [
            {
              id: 'hooks_managed_only',
              severity: 'error' as const,
              what: 'your organization allows only its own hooks: nobody is held',
              where: path,
              todo,
            },
          ]
        : []),
      ...(allowManagedModsOnly === true
        ? [
            {
              id: 'mods_managed_only',
              severity: 'note' as const,
              what: 'your organization allows only its own mods: the plugin works with its command hooks',
              where: path,
              todo: 'nothing',
            },
          ]
        : []),
    ];
  });
  return found(...findings);
}

const CAP = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';

function variables(files: readonly SettingsOfScope[], { env }: Patient): Looked {
  const findings = files.flatMap(({ scope, path, settings }): Finding[] => {
    const { [CAP]: _, ...given } = asObject(settings.env);
    const decisive = decisiveVariable(given, env, { isYours: scope === 'user' });
    const name = decisive ?? harmfulVariable(given, env);
    if (name === undefined) return [];
    const todo = 'remove it there; set it in your shell instead';
    return [
      {
        id: 'settings_variable',
        severity: decisive === undefined ? 'warning' : 'error',
        what: decisive
          ? `"${name}" in its "env" changes what the hooks run, or where they look: nobody can say that they hold`
          : `"${name}" in its "env" changes what the hooks do, or what gates find`,
        where: path,
        todo: scope === 'managed' ? 'ask whoever manages it' : todo,
      },
    ];
  });
  return found(...findings);
}

const FEW_HOLDS = 3;

/** Claude Code lets a session go after so many holds in a row without a tool call. */
function cap(files: readonly SettingsOfScope[], { env }: Patient): Looked {
  const named = files.findLast(({ settings }) => asObject(settings.env)[CAP] !== undefined);
  const value = named ? String(asObject(named.settings.env)[CAP]) : env[CAP];
  const where = named?.path ?? (env[CAP] === undefined ? undefined : `the environment (${CAP})`);
  const most = blockCapFrom({ [CAP]: value });
  if (most === 0 && where !== undefined)
    return found({
      id: 'block_cap_off',
      severity: 'note',
      what: `${CAP} is ${value}: Claude Code never lets a session go by itself, also one that another hook holds for ever`,
      where,
      todo: 'remove it, unless you want that',
    });
  if (most > 0 && most < FEW_HOLDS)
    return found({
      id: 'block_cap_low',
      severity: 'warning',
      what: `${CAP} is ${value}: Claude Code lets a session go after ${most} ${most === 1 ? 'hold' : 'holds'} in a row without a tool call, and the loop ends as "capped"`,
      where: where ?? '',
      todo: 'remove it (8 is usual), or set a larger number',
    });
  return inOrder(`the block cap: ${most} holds in a row without a tool call`);
}
