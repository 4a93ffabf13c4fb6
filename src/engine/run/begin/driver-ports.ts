import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { featureGates } from '../../core/contract/child-contract.ts';
import type { HookEvent } from '../../core/loop/event.ts';
import { withCost } from '../../core/loop/receipt.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import type { SessionSandbox } from '../../core/run/client-sandbox.ts';
import { readSmall } from '../../files/whole-file.ts';
import { progressOfRun } from '../../formats/feature-list/run-progress.ts';
import { figureOf, writeFigure } from '../../home/hook-figures.ts';
import { filesLock } from '../../home/layout.ts';
import { parseReceipt, receiptProblems } from '../../home/receipts.ts';
import { transcriptOf } from '../../hook/start/inputs.ts';
import { closeRun, type ForeignOptions, formatOfRun } from '../../hook/wiring/foreign.ts';
import { loadJudgeBundle } from '../../hook/wiring/load-bundles.ts';
import { type ProjectPorts, placeHere } from '../../hook/wiring/project-ports.ts';
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef, RunGitPort, SessionPort } from '../../ports/ports.ts';
import { applyChanges, foreignFiles } from '../../project/files.ts';
import { sessionSandbox } from '../../project/walls/walls-for.ts';
import type { DriverPorts, RunPlan } from '../driver/run-loop.ts';
import type { RunPublisher } from '../publisher.ts';
import type { RunReporter } from '../reporter.ts';
import type { ClientOptions } from './client-options.ts';
import type { Interrupts } from './interrupts.ts';

/** Set for everything that a run starts. Installed hooks do nothing then, because the run answers the events itself. */
export const RUN_MARK = 'UNTILDONE_RUN';

/** The process id of the driver. Installed hooks end a session whose driver is gone. */
const DRIVER = 'UNTILDONE_RUN_PID';

export function planOf(ref: LoopRef, client: ClientOptions, folder: string, world?: ProjectPorts): RunPlan {
  const { model, permissionMode, allow, maxTurns, idleMs, sessionMs, systemPrompt } = client;
  return {
    ref,
    idleMs,
    sessionMs,
    session: {
      cwd: folder,
      permissionMode,
      allow,
      // Claude Code's own cap would end a session as if it were done.
      env: {
        [RUN_MARK]: ref.loop,
        [DRIVER]: String(process.pid),
        CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0',
      },
      client: client.client ?? {},
      sandbox: world && sandboxFor(ref, world),
      model,
      maxTurns,
      appendSystemPrompt: systemPrompt,
    },
  };
}

function sandboxFor(ref: LoopRef, { store, env, home }: ProjectPorts): SessionSandbox | undefined {
  return sessionSandbox(store.contract(ref).contract.sandbox, { env, untildoneHome: home.root });
}

/** The ports of a real run: Claude Code, the reporter, the user's git. */
export async function portsOf(driving: {
  ref: LoopRef;
  git: RunGitPort | undefined;
  world: ProjectPorts;
  reporter: RunReporter;
  interrupts: Interrupts;
  publisher?: RunPublisher;
}): Promise<DriverPorts> {
  const { ref, git, world, reporter, interrupts, publisher } = driving;
  const { agentSessions } = await loadJudgeBundle();
  return {
    judging: inProcess(world),
    sessions: counted(await agentSessions({ env: world.env, project: world.project }), world),
    bind: (session) => world.store.bind(session, world.project, ref),
    newSession: () => randomUUID(),
    transcriptOf: (session) => transcriptOf(session, world.env),
    lastVerdicts: () => lastVerdicts(world, ref),
    report: (event) => reporter.event(event),
    billed: (state) => addCost(ref, state, world),
    judged: async (state, verdicts, spentUsd) => {
      for (const line of (await git?.keep(state, verdicts)) ?? []) reporter.note(line);
      const unwritten = keepProgress(world, git?.folder ?? world.project, ref, verdicts);
      for (const line of unwritten) reporter.note(line);
      const pause = await publisher?.iterated(world.store.read(ref), spentUsd);
      if (pause !== undefined) pauseFor(ref, pause, world);
    },
    interrupts,
    publisher,
  };
}

/** Pauses a run for a reason of its own, unless it has ended or is paused already. */
export function pauseFor(ref: LoopRef, why: string, { store }: ProjectPorts): LoopState {
  return store.append(ref, ({ status }) =>
    status === 'active' ? { kind: 'command', command: 'pause', note: why } : undefined,
  );
}

/** Keeps figures of the events that a run answers itself. Installed hooks keep those of all other sessions. */
function counted(sessions: SessionPort, { home, env, project }: ProjectPorts): SessionPort {
  return {
    missing: () => sessions.missing(),
    prepare: (plan) => sessions.prepare(plan),
    run: (client, prompt, listener, limits) => {
      const event = async (each: HookEvent, signal: AbortSignal) => {
        const began = performance.now();
        const answer = await listener.event(each, signal);
        const ms = performance.now() - began;
        writeFigure(figureOf(each, { at: Date.now(), project, answer: answer.kind, ms }), home, env);
        return answer;
      };
      return sessions.run(client, prompt, { ...listener, event }, limits);
    },
  };
}

/** Writes the cost into the receipt, which was made before it was known. A receipt that was changed stays as it is. */
async function addCost(ref: LoopRef, state: LoopState, world: ProjectPorts): Promise<void> {
  try {
    const text = readSmall(world.store.receiptFile(ref));
    const signed = text === undefined ? undefined : parseReceipt(text, ref.loop);
    if (!signed || receiptProblems(signed).length > 0) return;
    (await world.receipts()).write(ref, withCost(signed.receipt, state));
  } catch (error) {
    const message = `the cost could not be written into the receipt: ${(error as Error).message}`;
    world.store.append(ref, () => ({ kind: 'error', message }));
  }
}

/**
 * Ports for a run, which answers the events of its sessions itself. Foreign state is not taken up: a session of the run
 * ends with the run and could not serve it.
 */
function inProcess(world: ProjectPorts): Ports {
  const { spawnRun: _, ...ports } = world;
  return {
    ...ports,
    blockCap: 0,
    foreign: async () => ({ loops: [], messages: [] }),
    formatOf: (event, ref, state) =>
      state.dialect === 'native' ? undefined : formatOfRun(event, ref, state, foreignOf(world)),
  };
}

function foreignOf(world: ProjectPorts): ForeignOptions {
  return { home: world.home, ports: world, place: placeHere(world, undefined) };
}

/** Writes where a run stands into the files of its feature list. Returns what could not be written. */
export function keepProgress(
  world: ProjectPorts,
  folder: string,
  ref: LoopRef,
  verdicts: readonly Verdict[],
): string[] {
  const state = world.store.read(ref);
  if (state.dialect !== 'native')
    return hasEnded(state) && !state.closed ? closeRun(ref, foreignOf(world)) : [];
  // Children work on a part of the list. The run that they belong to writes for all of them.
  if (state.run?.parent !== undefined) return [];
  // A run for some features of a list leaves its files alone: the runs for the others would change the same lines.
  const whole = featureGates(world.store.contract(ref).contract).filter(({ only }) => only === undefined);
  const lists = whole.map(({ file }) => resolve(folder, file));
  const changes = lists.flatMap((list) => progressOfRun(list, state, verdicts, foreignFiles));
  return applyChanges(changes, filesLock(world.home), [folder]);
}

const FIRST_LOOK = 16 * 1024;
const LOOK_BACK = 1024 * 1024;

/**
 * The verdicts of the last judged Stop, with evidence. Used for texts only, so the seal is not checked. Reads the journal
 * from its end, because a run asks for this in every iteration.
 */
export function lastVerdicts({ store }: ProjectPorts, ref: LoopRef): Verdict[] {
  const file = openSync(store.journalFile(ref), 'r');
  try {
    const { size } = fstatSync(file);
    for (let look = FIRST_LOOK; ; look *= 4) {
      const bytes = Buffer.alloc(Math.min(look, size));
      const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
      const found = verdictsIn(bytes.subarray(0, read).toString('utf8'));
      if (found || look >= LOOK_BACK || look >= size) return found ?? [];
    }
  } finally {
    closeSync(file);
  }
}

function verdictsIn(text: string): Verdict[] | undefined {
  for (const line of text.split('\n').reverse()) {
    if (!line.includes('"kind":"stop"')) continue;
    try {
      const { entry } = JSON.parse(line) as { entry: { kind: string; verdicts?: Verdict[] } };
      if (entry.kind === 'stop' && entry.verdicts) return entry.verdicts;
    } catch {
      // The line is cut or torn, so the one before it is taken.
    }
  }
  return undefined;
}
