import { clientVersion } from '../../client/sdk/client-version.ts';
import { SCOPES, type Scope, settingsPath } from '../../client/settings/files.ts';
import { hasOurCap, stopTimeouts } from '../../client/settings/our-hooks.ts';
import { isStartedByPlugin } from '../../client/settings/our-plugin.ts';
import { type OurHook, ourHooksIn, parsedSettings } from '../../client/settings/settings.ts';
import { type HooksState, hooksWouldRunAt } from '../../client/settings/would-run.ts';
import { DEFAULT_JUDGE_MS } from '../../core/contract/contract.ts';
import { defined } from '../../core/text/defined.ts';
import { readSmall } from '../../files/whole-file.ts';
import { isOtherToolsLine } from '../../home/hook-line.ts';
import { homeRoot } from '../../home/layout.ts';
import { claudeConfigDir } from '../wiring/project.ts';
import type { ProjectPorts } from '../wiring/project-ports.ts';

/** The part of the hook's timeout that is kept for recording and answering. */
const MARGIN_MS = 60_000;
const SHORTEST_MS = 20_000;

function settingsTexts(project: string, config: string): string[] {
  return SCOPES.map((scope) => settingsText(scope, { project, claudeConfigDir: config }));
}

function settingsText(scope: Scope, places: { project: string; claudeConfigDir: string }): string {
  try {
    return readSmall(settingsPath(scope, places)) ?? '';
  } catch {
    return '';
  }
}

/** Whether a session that begins in this project now would be held, and if not, why. Writes nothing. */
export function hooksWouldRun(project: string, env: NodeJS.ProcessEnv): HooksState {
  const places = { project, claudeConfigDir: claudeConfigDir(env) };
  if (isStartedByPlugin(places, env)) return { held: true };
  return hooksWouldRunAt({
    ...places,
    home: homeRoot(env),
    env,
    ...defined({ clientVersion: clientVersion(env) }),
  });
}

/** Warns about a loop whose session is not held, because the hooks are missing or switched off. */
export function warnWithoutHooks(
  { project, session }: { project: string; session: string },
  { store, env }: Pick<ProjectPorts, 'store' | 'env'>,
  out: (line: string) => void,
): void {
  const recorded = store.projectOfSession(session);
  warnOldCap(project, env, out);
  // Claude Code reads the settings of the folder it was started in, which may be a package of the project.
  const states = [recorded ?? project, project].map((folder) => hooksWouldRun(folder, env));
  const [state] = states;
  if (state?.held === false && !states.some(({ held }) => held)) {
    out(`WARNING: ${state.why}. Nothing is held until then.`);
  } else if (recorded === undefined && env.CLAUDE_CODE_SESSION_ID === session) {
    out(
      'WARNING: this session did not begin with the hooks of untildone. If Claude Code was started in another folder ' +
        'than the one they are installed in, it is NOT held: start it there, or run: untildone install --scope user',
    );
  }
}

/** Warns about a setting of an older version, which reaches every session and not only those that are held. */
function warnOldCap(project: string, env: NodeJS.ProcessEnv, out: (line: string) => void): void {
  const places = { project, claudeConfigDir: claudeConfigDir(env) };
  for (const scope of SCOPES.filter((each) => hasOurCap(settingsText(each, places)))) {
    const flag = scope === 'project' ? '' : ` --scope ${scope}`;
    out(
      `WARNING: ${settingsPath(scope, places)} has CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=0 from an older version of untildone. It ` +
        `takes Claude Code's own limit away from every session. Remove it with: untildone install${flag}`,
    );
  }
}

/** Warns about hooks of an older version, which ask about Bash and edits only and answer no permission question. */
export function warnOldHooks(project: string, env: NodeJS.ProcessEnv, out: (line: string) => void): void {
  const ours = settingsTexts(project, claudeConfigDir(env))
    .map((text) => ourHooksIn(parsedSettings(text)))
    .filter((hooks) => hooks.length > 0);
  const isNew = (hooks: readonly OurHook[]) =>
    hooks.some(({ command }) => isOtherToolsLine(command)) &&
    hooks.some(({ event }) => event === 'PermissionRequest');
  if (ours.length === 0 || ours.some(isNew)) return;
  out(
    'WARNING: the installed hooks are those of an older version: "allow", and rules for tools that only read, do nothing ' +
      'yet: untildone install',
  );
}

/** How long the gates may be judged. Claude Code ends the hook at its timeout, and open gates prove nothing then. */
export function judgeTime(project: string, config: string): number {
  const seconds = settingsTexts(project, config).flatMap(stopTimeouts);
  if (seconds.length === 0) return DEFAULT_JUDGE_MS;
  return Math.max(SHORTEST_MS, Math.min(...seconds) * 1000 - MARGIN_MS);
}
