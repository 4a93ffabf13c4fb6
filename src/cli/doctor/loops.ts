/** Loops of this project that are not what they seem: unreadable, left by their session, or without their driver. */

import { readGoal } from '../../engine/client/transcript/file.ts';
import { hasEnded, type LoopState } from '../../engine/core/loop/state.ts';
import { whenOf } from '../../engine/core/text/moment.ts';
import { homeAt } from '../../engine/home/layout.ts';
import type { FileStore } from '../../engine/home/store.ts';
import { transcriptOf } from '../../engine/hook/start/inputs.ts';
import { type Found, loopsAround, readLoops } from '../../engine/run/person/find-loop.ts';
import { hooksStateOf } from '../../engine/run/person/hooks-state.ts';
import { turnEnds } from '../../engine/run/person/turn-ends.ts';
import { lookAtLoop } from '../../read/loop/look-at-loop.ts';
import { type Finding, found, inOrder, joinLooked, type Looked, NOTHING, type Patient } from './finding.ts';

/** The loops of this project. None when the home cannot be read. */
export function loopsHere(store: FileStore, project: string): Found[] {
  return readLoops(store, loopsAround(store, project));
}

export function lookAtLoops(loops: readonly Found[], store: FileStore, patient: Patient): Looked {
  const looked = joinLooked(loops.map((loop) => findingsOf(loop, store, patient)));
  const unended = loops.filter((loop) => 'state' in loop && !hasEnded(loop.state)).length;
  if (looked.findings.length > 0 || unended === 0) return looked;
  return inOrder(unended === 1 ? 'the loop of this project' : `the ${unended} loops of this project`);
}

function findingsOf(loop: Found, store: FileStore, { env, home, now, project }: Patient): Looked {
  const { ref } = loop;
  if (!('state' in loop))
    return found({
      id: 'loop_unreadable',
      severity: 'error',
      what: `loop ${ref.loop} cannot be read: ${loop.problem}`,
      where: ref.dir,
      todo: `restore it from a backup, or move it away: mv ${ref.dir} /tmp/`,
    });
  const { state } = loop;
  if (hasEnded(state)) return NOTHING;
  const hooksAt = (folder: string) => hooksStateOf(folder, env);
  const turnEndOf = turnEnds(homeAt(home), env, now);
  const { unheld, missedAt } = lookAtLoop(ref, state, { store, now, hooksAt, turnEndOf });
  const transcript = state.run ? undefined : transcriptOf(state.session, env);
  const looked = joinLooked([
    missedAt === undefined ? NOTHING : found(missedStop(ref.loop, missedAt, now)),
    transcript !== undefined && readGoal(transcript) ? found(goal(ref.loop, transcript)) : NOTHING,
  ]);
  if (unheld === undefined) return looked;
  // The report names this reason for the whole project already.
  if (!hooksAt(project).held && unheld === whyOf(hooksAt(project))) return looked;
  return joinLooked([looked, found(unheldLoop(ref.loop, state, unheld))]);
}

function missedStop(loop: string, at: number, now: number): Finding {
  return {
    id: 'stop_missed',
    severity: 'warning',
    what: `loop ${loop}: a turn of its session ended ${whenOf(at, now)}, and its Stop did not reach untildone: nothing was judged then`,
    todo: 'mend what else is found here (hooks that were switched off or removed meanwhile); then prompt the session to go on',
  };
}

function goal(loop: string, where: string): Finding {
  return {
    id: 'goal_in_session',
    severity: 'note',
    what: `the session of loop ${loop} has used /goal, the loop of Claude Code itself: while it is set, both hold`,
    where,
    todo: 'clear it in the session (/goal clear), unless you want both',
  };
}

function whyOf(state: ReturnType<typeof hooksStateOf>): string | undefined {
  return state.held ? undefined : state.why;
}

function unheldLoop(loop: string, state: LoopState, why: string): Finding {
  const [what, ...todo] = why.split('; ');
  return {
    id: state.run ? 'run_died' : 'loop_not_held',
    severity: 'warning',
    what: `loop ${loop} is ${state.status}, but ${what}`,
    todo: `${todo.join('; ') || 'see: untildone status'}; or end it: untildone cancel ${loop}`,
  };
}
