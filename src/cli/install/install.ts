import {
  hookScriptPath,
  readSettings,
  type Scope,
  SettingsFileRefused,
  settingsPath,
} from '../../engine/client/settings/files.ts';
import { foreignHooks, pluginSwitches } from '../../engine/client/settings/other-hooks.ts';
import { plannedEvents, unknownEvents } from '../../engine/client/settings/our-events.ts';
import { type AddedHooks, addHooks } from '../../engine/client/settings/our-hooks.ts';
import {
  type AddedSandbox,
  addSandbox,
  removeSandbox,
  type SandboxPlan,
} from '../../engine/client/settings/our-sandbox.ts';
import { addStatusline, otherStatusline } from '../../engine/client/settings/our-statusline.ts';
import { parsedSettings } from '../../engine/client/settings/settings.ts';
import { drivesRalphLoop, formatDrivenBy } from '../../engine/core/import/import-hooks.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { defined } from '../../engine/core/text/defined.ts';
import { chosenProgramWords, troubleWords } from '../../engine/core/words/hook-program.ts';
import { homeAt } from '../../engine/home/layout.ts';
import { type Program, VERSION } from '../../engine/home/program.ts';
import { programTrouble } from '../../engine/home/program-words.ts';
import { addStatuslineScript, planScripts } from '../../engine/home/scripts.ts';
import { isInsideClient } from '../../engine/hook/start/person.ts';
import {
  type Change,
  describePath,
  installationAt,
  installHooks,
  printDiff,
  refusalsTo,
  type SettingsPlace,
  settingsTexts,
  uninstallHooks,
} from './settings-change.ts';

export interface InstallOptions extends SettingsPlace {
  hookEntry: string;
  nodePath: string;
  version?: string;
  /** Adds the status line of untildone, unless you have one of your own. */
  statusline?: boolean;
  /** Seconds; long enough for the slowest gates. */
  judgeTimeout?: number;
  /** A state file of a known format is here: it may hold a session as soon as the hooks are installed. */
  hasForeignState?: boolean;
  /** Claude Code's sandbox, where the contract asks for walls; `problem`: why it would not start here. */
  sandbox?: SandboxPlan & { problem?: string };
  /** Why no shell of this system can read the installed line; absent when one can. */
  shellProblem?: string;
  /** The version of the Claude Code of this machine, if it is known. */
  clientVersion?: string;
}

/** Says what changes and what comes next. Exit code: 0 installed (or already there), 2 refused. */
export async function install(options: InstallOptions, out: (line: string) => void): Promise<number> {
  return refusalsTo(out, options, () => {
    if (options.statusline) refuseOtherStatusline(options);
    const { words } = planProgram(options);
    const { change, added } = changeSettings(options);
    if (options.statusline && !options.dryRun) addStatuslineScript(options.home);
    if (options.diff || options.dryRun) printDiff(change, out);
    for (const line of installReport(options, change, added, words)) out(line);
  });
}

/** Adds the hooks, or only tells what that would change. Throws for a file that must not, or cannot, be changed. */
export function changeSettings(options: InstallOptions): { change: Change; added: Added } {
  const at = installationAt(options, { program: programOf(options), chosen: mayChoose(options) });
  const plan = defined({ judgeTimeout: options.judgeTimeout });
  const add = (text: string | undefined, original: string | undefined) =>
    withStatusline(withSandbox(addHooks(text, plan, original), text, original, options), text, options);
  return installHooks(at, add, settingsTexts, options);
}

function programOf({ hookEntry, nodePath, version = VERSION }: InstallOptions): Program {
  return { hookEntry, nodePath, version };
}

/** Which program the hooks run, you choose in a terminal: inside of a session nobody can tell you from the agent. */
function mayChoose({ home }: InstallOptions): boolean {
  return !isInsideClient(homeAt(home), process.env);
}

export interface ProgramChange {
  /** The hooks would run another program than until now, or one that was changed. */
  changes: boolean;
  /** What that means, or why the program stays; undefined where the hooks run this one already. */
  words?: string;
}

/** What installing does about the program that the hooks run. Changes nothing. */
export function planProgram(options: InstallOptions): ProgramChange {
  const program = programOf(options);
  const plan = planScripts(options.home, program);
  const trouble = programTrouble(plan, program, process.env);
  if (trouble === undefined) return { changes: false };
  if (!mayChoose(options)) return { changes: false, words: `Warning: ${troubleWords(trouble)}` };
  const before = plan.kind === 'changed' ? plan.record : plan.kind === 'other' ? plan : undefined;
  return { changes: true, words: chosenProgramWords(program, before) };
}

function withStatusline(added: Added, before: string | undefined, { statusline }: InstallOptions): Added {
  if (!statusline) return added;
  const text = addStatusline(added.text);
  return { ...added, text, changed: text !== before };
}

/** Claude Code shows one status line, that of the strongest scope. Yours is not replaced, wherever it is. */
function refuseOtherStatusline(place: SettingsPlace): void {
  for (const scope of WEAKEST_FIRST) {
    const path = settingsPath(scope, place);
    const command = otherStatusline(readSettings(path).text ?? '');
    if (command !== undefined)
      throw new SettingsFileRefused(
        `${path} has a status line of yours (${oneLine(command, COMMAND_LIMIT)}), which stays; nothing was changed. To show both, ` +
          'let your script hand its stdin on: input=$(cat); printf \'%s\' "$input" | untildone statusline',
      );
  }
}

export interface Added extends AddedHooks {
  sandboxKept?: AddedSandbox['kept'];
}

/** The sandbox is one of a project: it is written where the contract asks for it, and taken out where it does so no more. */
function withSandbox(
  added: AddedHooks,
  before: string | undefined,
  original: string | undefined,
  { sandbox, scope }: InstallOptions,
): Added {
  const { text, kept } =
    sandbox && scope !== 'user'
      ? addSandbox(added.text, sandbox)
      : { text: removeSandbox(added.text, original), kept: undefined };
  return { ...added, text, changed: text !== before, sandboxKept: kept };
}

function sandboxReport({ sandbox, scope, home }: InstallOptions, { sandboxKept }: Added): string[] {
  if (!sandbox) return [];
  const asked = `The contract asks for walls (sandbox: ${sandbox.choice}).`;
  if (scope === 'user')
    return [`${asked} These are settings of a project: untildone install --scope project writes them.`];
  const lines = {
    none: `${asked} The shell of the agent runs in Claude Code's sandbox: it reaches neither ${home} nor your credentials.`,
    whole: `${asked} Kept your own settings of Claude Code's sandbox, which hide the home of untildone.`,
    open: `Warning: ${asked} Your own settings of Claude Code's sandbox stay, and they leave it open: set "enabled": true, "allowUnsandboxedCommands": false, and name ~/.untildone in "filesystem": "denyRead" and "denyWrite".`,
  };
  return [
    lines[sandboxKept ?? 'none'],
    ...(sandbox.problem === undefined ? [] : [`Warning: ${sandbox.problem}`]),
  ];
}

function installReport(options: InstallOptions, change: Change, added: Added, program?: string): string[] {
  const { scope, dryRun, home } = options;
  const where = describePath(options, change.path);
  const lines = [];
  if (!added.changed) lines.push(`Already installed in ${where}.`);
  else if (dryRun)
    lines.push(`Dry run, nothing was written. This would change ${where} and ${hookScriptPath(home)}.`);
  else lines.push(`Installed in ${where}.`, ...whatItMeans(home));
  if (program !== undefined) lines.push(program);
  lines.push(...whatToKnow(options, added));
  if (dryRun) return lines;
  if (scope === 'project')
    lines.push('Commit the file to share it; on a machine without untildone its hooks do nothing.');
  if (scope === 'local' && change.before === undefined)
    lines.push('Keep the file out of git: it is yours alone.');
  const flag = scope === 'project' ? '' : ` --scope ${scope}`;
  lines.push(
    options.hasForeignState
      ? 'Next: go on as before. A state file of a loop is here already; which session it holds from now on: untildone status'
      : options.sandbox
        ? 'Next: in a terminal, for the session that is to be held: untildone start "<task>" --session ID. Until then none is held.'
        : 'Next: in a Claude Code session, let it run: untildone start "<task>". Until then no session is held.',
  );
  lines.push(`To undo this: untildone uninstall${flag}`);
  return lines;
}

/** What else you have to know about the settings. */
export function whatToKnow(options: InstallOptions, added: Added): string[] {
  return [
    ...capReport(added, options.dryRun),
    ...(added.hooksDisabled
      ? ['Warning: "disableAllHooks" is true in this file. Until you remove it, no session is held.']
      : []),
    ...(options.shellProblem === undefined ? [] : [`Warning: ${options.shellProblem}`]),
    ...tooOldClient(options, added),
    ...(options.statusline && added.changed
      ? ['  Claude Code shows the loop of its session in its status line.']
      : []),
    ...sandboxReport(options, added),
    ...otherStopHooks(options),
  ];
}

function tooOldClient({ clientVersion }: InstallOptions, { text }: Added): string[] {
  const problem = clientVersion && unknownEvents(clientVersion, parsedSettings(text));
  return problem ? [`Warning: ${problem.what}: NO session is held. To do: ${problem.todo}`] : [];
}

function whatItMeans(home: string): string[] {
  const { judged, others } = plannedEvents();
  return [
    `  Gates are checked at: ${judged.join(', ')}.`,
    `  Rules are kept and notes taken at: ${others.join(', ')}.`,
    `  Every hook runs ${hookScriptPath(home)}, which ends at once in a session that untildone does not hold.`,
    '  To see every line of such a change: untildone install --diff',
  ];
}

function capReport({ capKept, capRemoved }: AddedHooks, dryRun: boolean): string[] {
  const name = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP';
  if (capRemoved)
    return [
      `${dryRun ? 'Would remove' : 'Removed'} ${name}=0, which an older version of untildone wrote. It took Claude Code's ` +
        'own limit away from every session, also from those that untildone does not hold.',
    ];
  if (capKept === undefined) return [];
  return [
    `Kept your ${name} of ${capKept}: Claude Code lets a session go after it was held so often in a row without a tool ` +
      'call. "0" means never.',
  ];
}

/** Says what was done. Exit code: 0 (nothing of ours is left there), 2 refused. */
export async function uninstall(options: SettingsPlace, out: (line: string) => void): Promise<number> {
  return refusalsTo(out, options, () => {
    const { line, outcome } = removeFromSettings(options);
    if (outcome.before !== outcome.after && (options.diff || options.dryRun)) printDiff(outcome, out);
    out(line);
    if (outcome.before !== outcome.after && !options.dryRun)
      out(`Journals and receipts stay in ${options.home}.`);
  });
}

/** Removes the hooks, or only tells what that would change; `line` says it. Throws as `changeSettings` does. */
export function removeFromSettings(options: SettingsPlace): {
  line: string;
  outcome: ReturnType<typeof uninstallHooks>;
} {
  const outcome = uninstallHooks(installationAt(options), settingsTexts, options);
  const where = describePath(options, outcome.path);
  return { line: removalWords(outcome, where, options.dryRun), outcome };
}

function removalWords(
  { before, after, restored }: ReturnType<typeof uninstallHooks>,
  where: string,
  dryRun: boolean,
): string {
  if (before === after) return `Nothing of untildone is installed in ${where}.`;
  if (dryRun) return `Dry run, nothing was written. This would change ${where}.`;
  if (after === undefined) return `Removed ${where}, which install had made.`;
  if (restored) return `Restored ${where} to what it was before install.`;
  return `Removed untildone's hooks from ${where}; everything else in it stays.`;
}

const COMMAND_LIMIT = 160;
/** The scopes in the order in which Claude Code reads them: the last one wins. */
const WEAKEST_FIRST = ['user', 'project', 'local'] as const satisfies readonly Scope[];

/** Warns about other Stop hooks in the settings that would count every stop, too. */
function otherStopHooks(place: Pick<SettingsPlace, 'project' | 'claudeConfigDir'>): string[] {
  const plugins = new Map<string, string>();
  const hooks = WEAKEST_FIRST.flatMap((scope) => {
    const path = settingsPath(scope, place);
    const { commands, switches } = settingsAt(path);
    for (const [name, isOn] of switches) {
      if (isOn) plugins.set(name, path);
      else plugins.delete(name);
    }
    return commands.map((command) => warning(path, `runs ${oneLine(command, COMMAND_LIMIT)}`));
  });
  const switched = [...plugins].map(([name, path]) =>
    warning(path, `switches on the plugin ${oneLine(name, COMMAND_LIMIT)}`),
  );
  return [...hooks, ...switched];
}

function warning(path: string, what: string): string {
  return `Warning: ${path} still ${what}. Remove that, or both count every stop.`;
}

function settingsAt(path: string): { commands: string[]; switches: [name: string, isOn: boolean][] } {
  try {
    const text = readSettings(path).text ?? '';
    const stops = foreignHooks(text, path).filter(({ event }) => event === 'Stop');
    return {
      commands: stops.flatMap(({ command = '' }) => (formatDrivenBy(command) === undefined ? [] : [command])),
      switches: pluginSwitches(text).filter(([name]) => drivesRalphLoop(name)),
    };
  } catch {
    // The command that changes this file says what is wrong with it.
    return { commands: [], switches: [] };
  }
}
