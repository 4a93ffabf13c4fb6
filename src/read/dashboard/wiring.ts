import type { HooksState } from '../../engine/client/settings/would-run.ts';
import { homeFrom } from '../../engine/home/layout.ts';
import { VERSION } from '../../engine/home/program.ts';
import { openProject } from '../../engine/hook/wiring/project-ports.ts';
import { wallsOnMachine } from '../../engine/project/walls/walls-for.ts';
import { hooksStateOf } from '../../engine/run/person/hooks-state.ts';
import { turnEnds } from '../../engine/run/person/turn-ends.ts';
import { auditInThread } from '../reflect/audit/audit-thread.ts';
import { KnownElsewhere } from './server/known-elsewhere.ts';
import { claudeSessions } from './server/other-sessions.ts';
import type { DashboardPorts } from './server/world.ts';

const HOOKS_MS = 5_000;

/** What the dashboard needs, of this machine. */
export function dashboardWorld(env: NodeJS.ProcessEnv, only: readonly string[]): DashboardPorts {
  const home = homeFrom(env);
  const clock = { now: () => Date.now() };
  const known = new Map<string, { at: number; state: HooksState }>();
  const elsewhere = new KnownElsewhere(home, only, clock);
  return {
    home,
    env,
    clock,
    only,
    version: VERSION,
    // Settings are asked about for every loop, and change rarely.
    hooksAt(project) {
      const kept = known.get(project);
      if (kept && clock.now() - kept.at < HOOKS_MS) return kept.state;
      const state = hooksStateOf(project, env);
      known.set(project, { at: clock.now(), state });
      return state;
    },
    turnEndOf: (session) => turnEnds(home, env, clock.now())(session),
    open: () => openProject(undefined),
    sessions: claudeSessions(env),
    lookBack: (since, project) => elsewhere.lookBack(since, project),
    audit: (request, progress, signal) => auditInThread(request, env, progress, signal),
    wallsHere: (sandbox) => wallsOnMachine(sandbox, { env, untildoneHome: home.root }),
  };
}
