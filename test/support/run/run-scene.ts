/** A run over sessions that a test plays itself. */
import type { Contract } from '../../../src/engine/core/contract/contract.ts';
import type { Answer, HookEvent, StopEvent } from '../../../src/engine/core/loop/event.ts';
import type { RunMode } from '../../../src/engine/core/run/option-values.ts';
import type { SessionFacts } from '../../../src/engine/core/run/session-end.ts';
import type { LoopRef, SessionListener, SessionPlan, SessionUse } from '../../../src/engine/ports/ports.ts';
import { type DriverPorts, runLoop } from '../../../src/engine/run/driver/run-loop.ts';
import type { RunEvent } from '../../../src/engine/run/reporter.ts';
import { type HookScene, hookScene } from '../hook/hook-scene.ts';
import { contractWith, frozenWith, run, type Says } from '../hook/judging.ts';
import { done } from '../hook/session-facts.ts';

/** One session of a script: what the client does between its prompt and its end. */
export type Session = (client: Client) => Promise<SessionFacts | undefined> | SessionFacts | undefined;

interface Client {
  plan: SessionPlan;
  prompt: string;
  /** Any event; what it gets back. */
  send(event: HookEvent): Promise<Answer>;
  /** A Stop of the main agent; what it gets back. */
  stop(message: string, changes?: Partial<StopEvent>): Promise<Answer>;
  /** A tool call, of a subagent if one is named; what it gets back. */
  call(agentId?: string): Promise<Answer>;
  /** Says what was used so far. */
  used(use: SessionUse): void;
  /** Stops until it is let go. */
  stopUntilFree(message: string): Promise<void>;
}

export interface RunScene {
  scene: HookScene;
  ref: LoopRef;
  began: { session: string; resume: boolean; prompt: string; prepared: boolean; budget?: number }[];
  events: RunEvent[];
  waited: number[];
  /** Happens once, while the run waits for the first time. */
  onWait?: () => void;
  interrupt: { asked: boolean };
  /** What the run had spent at each Stop that was judged. */
  spent: number[];
  /** What others leave for the next session. */
  leftUsd?: number;
  go(...sessions: Session[]): Promise<string>;
}

export function runScene(
  says: Record<string, Says>,
  options: { mode?: RunMode; freshEvery?: number; contract?: Contract } = {},
): RunScene {
  const scene = hookScene(says);
  const contract = options.contract ?? contractWith({ tests: run('npm test') });
  const mode = {
    mode: options.mode ?? 'hybrid',
    ...(options.freshEvery ? { freshEvery: options.freshEvery } : {}),
  };
  const ref = scene.store.create({
    loop: 'r1',
    session: 'first',
    project: scene.project,
    dialect: 'native',
    task: 'Build it',
    transcriptOffset: 0,
    contract: frozenWith(contract, { project: scene.project, fingerprint: '' }),
    run: mode,
  });
  const made: RunScene = {
    scene,
    ref,
    began: [],
    events: [],
    waited: [],
    spent: [],
    interrupt: { asked: false },
    go,
  };
  let next = 0;

  async function go(...sessions: Session[]): Promise<string> {
    const script = [...sessions];
    const ports: DriverPorts = {
      judging: scene.ports,
      sessions: {
        missing: async () => undefined,
        prepare: async (plan) => ({ plan, discard: async () => undefined }),
        run: async (session, prompt, listener) => {
          const prepared = 'discard' in session;
          const plan = prepared ? session.plan : session;
          made.began.push({
            session: plan.session,
            resume: plan.resume,
            prompt,
            prepared,
            budget: plan.maxCostUsd,
          });
          const play = script.shift();
          if (!play) throw new Error('the script has no further session');
          const facts = (await play(clientOf(plan, prompt, listener, scene))) ?? done();
          if (facts.result)
            listener.used?.({ tokens: facts.result.tokensTotal, costTotalUsd: facts.result.costTotalUsd });
          return facts;
        },
      },
      bind: (session) => scene.store.bind(session, scene.project, ref),
      newSession: () => `s${++next}`,
      transcriptOf: () => 'a transcript',
      lastVerdicts: () => [],
      report: (event) => made.events.push(event),
      judged: async (_state, _verdicts, spentUsd) => void made.spent.push(spentUsd),
      billed: async () => undefined,
      interrupts: {
        asked: () => made.interrupt.asked,
        atOnce: new AbortController().signal,
        waitUntil: async (time) => {
          made.waited.push(time - scene.now);
          made.onWait?.();
          delete made.onWait;
          scene.now = time;
        },
      },
      publisher: {
        goesOn: async () => undefined,
        leaves: () => undefined,
        get leftUsd() {
          return made.leftUsd;
        },
      },
    };
    const session = { cwd: scene.project, permissionMode: 'acceptEdits', allow: [], env: {}, client: {} };
    return (await runLoop({ ref, session, idleMs: 1000 }, ports)).status;
  }
  return made;
}

function clientOf(plan: SessionPlan, prompt: string, listener: SessionListener, scene: HookScene): Client {
  const stop = (message: string, changes: Partial<StopEvent> = {}) => {
    scene.judges.tree = `tree after "${message}"`;
    return listener.event(
      {
        name: 'Stop' as const,
        session: plan.session,
        cwd: scene.project,
        stopHookActive: false,
        lastMessage: message,
        backgroundTasks: [],
        wakeUps: [],
        ...changes,
      },
      new AbortController().signal,
    );
  };
  return {
    plan,
    prompt,
    send: (event) => listener.event(event, new AbortController().signal),
    stop,
    used: (use) => listener.used?.(use),
    call: (agentId) =>
      listener.event(
        {
          name: 'PreToolUse' as const,
          session: plan.session,
          cwd: scene.project,
          transcript: 'a transcript',
          tool: 'Bash',
          input: { command: 'true' },
          agentId,
        },
        new AbortController().signal,
      ),
    stopUntilFree: async (message) => {
      for (let i = 1; (await stop(`${message} ${i}`)).kind === 'refuse'; i++);
    },
  };
}
