import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JudgingPorts } from '../app/judge.ts';
import type { RunPlan, RunWorld } from '../app/run-loop.ts';
import type { Verdict } from '../core/verdict.ts';
import type { GitFlow, LoopRef } from '../ports.ts';
import { loadAgentBundle } from './load-judges.ts';
import type { Interrupts } from './run-interrupts.ts';
import type { ClientOptions } from './run-options.ts';
import type { RunReporter } from './run-report.ts';
import { transcriptOf } from './start-inputs.ts';
import type { World } from './world.ts';

/** In the environment of everything that a run starts: its hooks are answered in process, never twice. */
export const RUN_MARK = 'UNTILDONE_RUN';

/** Who answers them; where hooks are installed, they end a session whose driver is gone. */
const DRIVER = 'UNTILDONE_RUN_PID';

export function planOf(ref: LoopRef, client: ClientOptions, folder: string): RunPlan {
  const { model, permissionMode, allow, maxTurns, idleMs, sessionMs, systemPrompt } = client;
  return {
    ref,
    idleMs,
    ...(sessionMs === undefined ? {} : { sessionMs }),
    session: {
      cwd: folder,
      permissionMode,
      allow,
      // The cap of the client would end a session as if it were done.
      env: {
        [RUN_MARK]: ref.loop,
        [DRIVER]: String(process.pid),
        CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0',
      },
      client: client.client ?? {},
      ...(model === undefined ? {} : { model }),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(systemPrompt === undefined ? {} : { appendSystemPrompt: systemPrompt }),
    },
  };
}

/** What a run is driven with: the real client, this terminal, the person's git. */
export async function worldOf(driving: {
  ref: LoopRef;
  git: GitFlow | undefined;
  world: World;
  reporter: RunReporter;
  interrupts: Interrupts;
}): Promise<RunWorld> {
  const { ref, git, world, reporter, interrupts } = driving;
  const { agentSessions } = await loadAgentBundle();
  return {
    ports: inProcess(world),
    sessions: agentSessions({ env: world.env, project: world.project }),
    bind: (session) => world.store.bind(session, world.project, ref),
    newSession: () => randomUUID(),
    canResume: (session) => transcriptOf(session, world.env) !== undefined,
    waitUntil: (time) => interrupts.waitUntil(time),
    lastVerdicts: () => lastVerdicts(world, ref),
    report: (event) => reporter.event(event),
    interrupted: () => interrupts.asked(),
    atOnce: interrupts.atOnce,
    judged: async (state, verdicts) => {
      for (const line of (await git?.keep(state, verdicts)) ?? []) reporter.note(line);
    },
  };
}

/** The run itself answers the events of its sessions: nobody else has to be started. */
function inProcess(world: World): JudgingPorts {
  const { spawnRun: _, ...ports } = world;
  return { ...ports, blockCap: 0 };
}

const LOOK_BACK = 1024 * 1024;

/** What the last judged Stop found, with its evidence: only for words, so its seal does not matter. */
export function lastVerdicts({ store }: World, ref: LoopRef): Verdict[] {
  const text = readFileSync(store.journalFile(ref)).subarray(-LOOK_BACK).toString('utf8');
  for (const line of text.split('\n').reverse()) {
    if (!line.includes('"kind":"stop"')) continue;
    try {
      const { entry } = JSON.parse(line) as { entry: { kind: string; verdicts?: Verdict[] } };
      if (entry.kind === 'stop' && entry.verdicts) return entry.verdicts;
    } catch {
      // Cut at the front, or torn: the one before it tells as much.
    }
  }
  return [];
}
