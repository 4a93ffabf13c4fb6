import { readTurnEnd } from '../../client/transcript/file.ts';
import { isJudging } from '../../home/interrupted-judging.ts';
import type { Home } from '../../home/layout.ts';
import { transcriptOf } from '../../hook/start/inputs.ts';

/** A Stop is on its way to the hook for a moment after its turn ended. */
const ON_ITS_WAY_MS = 5_000;

/** When the last turn of a session ended; undefined when that is not known, or when its Stop may be judged just now. */
export function turnEnds(home: Home, env: NodeJS.ProcessEnv, now: number) {
  return (session: string): number | undefined => {
    const transcript = isJudging(home, session) ? undefined : transcriptOf(session, env);
    const at = transcript === undefined ? undefined : readTurnEnd(transcript);
    return at !== undefined && now - at > ON_ITS_WAY_MS ? at : undefined;
  };
}
