import { readSmall } from '../adapters/atomic-file.ts';
import { type Scope, settingsPath } from '../adapters/settings-files.ts';
import { DEFAULT_JUDGE_MS } from '../core/contract.ts';
import { stopTimeouts } from '../wire/claude-settings.ts';
import { isOurLine } from '../wire/hook-line.ts';

const SCOPES: Scope[] = ['project', 'local', 'user'];
/** What is left of the client's own timeout for writing down and answering. */
const MARGIN_MS = 60_000;
const SHORTEST_MS = 20_000;

function settingsTexts(project: string, claudeConfigDir: string): string[] {
  return SCOPES.map((scope) => {
    try {
      return readSmall(settingsPath(scope, { project, claudeConfigDir })) ?? '';
    } catch {
      return '';
    }
  });
}

/** A loop whose session has no hooks of ours holds nothing: that has to be said where the person looks. */
export function warnWithoutHooks(
  project: string,
  claudeConfigDir: string,
  out: (line: string) => void,
): void {
  if (settingsTexts(project, claudeConfigDir).some(isOurLine)) return;
  out(
    'WARNING: no hooks of untildone are installed for this project, so nothing is held yet: untildone install',
  );
}

/** How long gates may be judged: the client ends our hook at its timeout, and what is open then proves nothing. */
export function judgeTime(project: string, claudeConfigDir: string): number {
  const seconds = settingsTexts(project, claudeConfigDir).flatMap(stopTimeouts);
  if (seconds.length === 0) return DEFAULT_JUDGE_MS;
  return Math.max(SHORTEST_MS, Math.min(...seconds) * 1000 - MARGIN_MS);
}
