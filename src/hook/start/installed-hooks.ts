import { SCOPES, settingsPath } from '../../client/settings/files.ts';
import { stopTimeouts } from '../../client/settings/our-hooks.ts';
import { type HooksState, hooksWouldRunAt } from '../../client/settings/would-run.ts';
import { DEFAULT_JUDGE_MS } from '../../core/contract/contract.ts';
import { readSmall } from '../../files/whole-file.ts';
import { isOurLine, OTHER_TOOLS_LINE } from '../../home/hook-line.ts';
import { homeRoot } from '../../home/layout.ts';
import { claudeConfigDir } from '../wiring/project.ts';
import type { World } from '../wiring/world.ts';

/** The part of the hook's timeout that is kept for recording and answering. */
const MARGIN_MS = 60_000;
const SHORTEST_MS = 20_000;

function settingsTexts(project: string, config: string): string[] {
  return SCOPES.map((scope) => {
    try {
      return readSmall(settingsPath(scope, { project, claudeConfigDir: config })) ?? '';
    } catch {
      return '';
    }
  });
}

/** Whether a session that begins in this project now would be held, and if not, why. Writes nothing. */
export function hooksWouldRun(project: string, env: NodeJS.ProcessEnv): HooksState {
  return hooksWouldRunAt({ project, home: homeRoot(env), claudeConfigDir: claudeConfigDir(env) });
}

/** Warns about a loop whose session is not held, because the hooks are missing or switched off. */
export function warnWithoutHooks(
  { project, session }: { project: string; session: string },
  { store, env }: Pick<World, 'store' | 'env'>,
  out: (line: string) => void,
): void {
  const recorded = store.projectOfSession(session);
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

/** Warns about hooks of an older version, which ask about Bash and edits only and answer no permission question. */
export function warnOldHooks(project: string, env: NodeJS.ProcessEnv, out: (line: string) => void): void {
  const ours = settingsTexts(project, claudeConfigDir(env)).filter(isOurLine);
  const line = JSON.stringify(OTHER_TOOLS_LINE);
  if (ours.length === 0 || ours.some((text) => text.includes(line) && text.includes('"PermissionRequest"')))
    return;
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
