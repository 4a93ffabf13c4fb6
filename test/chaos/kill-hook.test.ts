import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { messageFingerprint } from '../../src/engine/core/loop/count-stop.ts';
import { replay } from '../../src/engine/core/loop/journal.ts';
import { readTail } from '../../src/engine/home/journal/file.ts';
import type { JournalLine } from '../../src/engine/home/journal/line.ts';
import { JournalScan } from '../../src/engine/home/journal/scan.ts';
import { seededRandom } from '../support/chaos/random.ts';
import {
  callHook,
  type HookCall,
  type HookEnd,
  loopFolder,
  newWorld,
  startLoop,
  type World,
} from '../support/chaos/world.ts';
import { rounds } from '../support/long.ts';

const SESSIONS = ['s1', 's2', 's3', 's4'];
const TIMED_KILLS = rounds(250);
const KILLS_AT_EACH_STEP = rounds(25);
/** Of all tests together. */
const KILLS = rounds(300);
/** A lock that its owner left without a name is given up after 2 s: the longest that a kill may cost the next call. */
const PROMPT_MS = 6000;

interface Stop {
  session: string;
  /** No two Stops end with the same message: so their lines in the journal can be told apart. */
  message: string;
  killed: boolean;
  end: HookEnd;
}

let world: World;
const random = seededRandom();
const stops: Stop[] = [];
let messages = 0;
const answeredAfterMs: number[] = [];

beforeAll(() => {
  world = newWorld();
  for (const session of SESSIONS) startLoop(world, session);
});
afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

function stopInput(session: string, message: string): string {
  const event = { hook_event_name: 'Stop', session_id: session, stop_hook_active: true };
  return JSON.stringify({
    ...event,
    last_assistant_message: message,
    background_tasks: [],
    session_crons: [],
  });
}

/** Calls the hook with a Stop that nothing excuses; `kill` may end it early. */
async function stop(session: string, kill?: (call: HookCall) => void | Promise<void>): Promise<Stop> {
  const message = `work ${++messages}`;
  const call = callHook(world, stopInput(session, message));
  await kill?.(call);
  const end = await call.ended;
  const done = { session, message, killed: end.signal === 'SIGKILL', end };
  stops.push(done);
  return done;
}

/** Another event of the same session, let alone. */
async function otherEvent(session: string): Promise<void> {
  const name = random.pick(['PreToolUse', 'UserPromptSubmit', 'Notification', 'SubagentStop']);
  const end = await callHook(world, JSON.stringify({ hook_event_name: name, session_id: session })).ended;
  expect(end).toMatchObject({ code: 0, stdout: '', stderr: '' });
}

const journalOf = (session: string) => join(loopFolder(world, session), 'journal.jsonl');
const keyOf = () => readFileSync(join(world.home, 'key'), 'utf8').trim();

/** All valid lines. What is damaged may only be a line that was cut short: it is no JSON, and stands for itself. */
async function linesOf(session: string): Promise<JournalLine[]> {
  const lines: JournalLine[] = [];
  for await (const found of new JournalScan(journalOf(session), keyOf()).next()) {
    if (!found.ok) expect(found.problem).toBe('not JSON');
    else {
      expect(found.chained).toBe(true);
      lines.push(found.line);
    }
  }
  return lines;
}

const isBlock = (line: JournalLine) => line.entry.kind === 'stop' && line.entry.decision.kind === 'block';
const messageOf = (line: JournalLine) => (line.entry.kind === 'stop' ? line.entry.seen.message : undefined);

/** The journal of a session against every call that was made for it. */
async function check(session: string): Promise<void> {
  const lines = await linesOf(session);
  expect(lines.map((line) => line.seq)).toEqual(lines.map((_, i) => i + 1));
  const blocks = lines.filter(isBlock);
  expect(blocks.map((line) => line.state.iteration)).toEqual(blocks.map((_, i) => i + 2));
  const { line: last } = readTail(journalOf(session), keyOf());
  expect(last.state.iteration).toBe(1 + blocks.length);
  expect(last.state.status).toBe('active');
  expect(replay(lines.map(({ entry, at }) => ({ entry, at: Date.parse(at) })))).toEqual(last.state);
  for (const made of stops.filter((s) => s.session === session)) checkStop(made, blocks);
}

function checkStop({ message, killed, end }: Stop, blocks: readonly JournalLine[]): void {
  const counted = blocks.filter((line) => messageOf(line) === messageFingerprint(message));
  expect(counted.length).toBeLessThanOrEqual(1);
  if (!killed)
    expect(end).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('"decision":"block"') });
  if (!end.stdout.endsWith('\n')) return;
  const { reason } = JSON.parse(end.stdout) as { reason: string };
  expect(reason).toContain(`iteration ${counted[0]?.state.iteration}.`);
}

/** One more Stop, let alone: it must be answered soon, and must find the way free. */
async function expectPrompt(session: string): Promise<void> {
  await expectAnswer(session);
  expect(existsSync(join(loopFolder(world, session), 'lock'))).toBe(false);
}

async function expectAnswer(session: string): Promise<void> {
  const { end } = await stop(session);
  expect(end.stdout).toContain('"decision":"block"');
  answeredAfterMs.push(end.ms);
}

function sayOnFailure(): void {
  onTestFailed(() => {
    process.stderr.write(`repeat with UNTILDONE_SEED=${random.seed}; files: ${world.folder}\n`);
  });
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test(`${TIMED_KILLS} hooks killed at any time of their life, others of the same and of other sessions beside them`, async () => {
  sayOnFailure();
  const lives: number[] = [];
  for (let i = 0; i < 6; i++) lives.push((await stop('s4')).end.ms);
  const life = Math.max(...lives) * 1.5;
  let killed = 0;
  const lane = async (session: string) => {
    while (killed < TIMED_KILLS) {
      const beside: Promise<unknown>[] = [];
      if (random.chance(0.25)) beside.push(stop(session));
      if (random.chance(0.15)) beside.push(otherEvent(session));
      if (random.chance(0.1)) beside.push(stop('s4'));
      const victim = await stop(session, async (call) => {
        await Promise.race([later(random.next() * life), call.ended]);
        call.kill();
      });
      if (victim.killed) killed++;
      await Promise.all(beside);
    }
  };
  // Two lanes share a session: their hooks are inside the same loop at the same time.
  await Promise.all([lane('s1'), lane('s2'), lane('s2')]);
  for (const session of SESSIONS) await expectPrompt(session);
  for (const session of SESSIONS) await check(session);
  expect(stops.filter((s) => s.killed).length).toBeGreaterThanOrEqual(TIMED_KILLS);
});

/** Watches so closely that the kill comes within microseconds of the step, and gives up when there is none. */
function killWhen(reached: () => boolean, delay: number): (call: HookCall) => void {
  return (call) => {
    const deadline = performance.now() + 2000;
    while (!reached() && !call.hasAnswered() && performance.now() < deadline) {
      // Busy on purpose: the step may last less than a timer's tick.
    }
    const then = performance.now() + delay;
    while (performance.now() < then) {
      // A little later, so that the steps in between are hit too.
    }
    call.kill();
  };
}

/** Mostly not at once: a lock that is killed before its name is in it costs the next call two seconds. */
function shortWhile(): number {
  return random.chance(0.15) ? 0 : 0.1 + random.next() * 1.5;
}

interface Step {
  name: string;
  /** Made just before the call: tells when the step was reached. */
  watch(folder: string): () => boolean;
}

const STEPS: Step[] = [
  { name: 'the lock was taken', watch: (folder) => () => existsSync(join(folder, 'lock')) },
  {
    name: 'the line was written',
    watch: (folder) => {
      const before = statSync(join(folder, 'journal.jsonl')).size;
      return () => statSync(join(folder, 'journal.jsonl')).size > before;
    },
  },
  {
    name: 'the lock was let go',
    watch: (folder) => {
      let taken = false;
      return () => {
        const there = existsSync(join(folder, 'lock'));
        taken ||= there;
        return taken && !there;
      };
    },
  },
];

test.each(STEPS)(`${KILLS_AT_EACH_STEP} hooks killed right after $name`, async ({ watch }) => {
  sayOnFailure();
  let killed = 0;
  for (let i = 0; killed < KILLS_AT_EACH_STEP; i++) {
    expect(i).toBeLessThan(KILLS_AT_EACH_STEP * 4 + 20);
    const reached = watch(loopFolder(world, 's3'));
    const victim = await stop('s3', killWhen(reached, shortWhile()));
    if (victim.killed) killed++;
    if (random.chance(0.3)) await expectPrompt('s3');
  }
  await expectPrompt('s3');
  await check('s3');
});

test(`${KILLS_AT_EACH_STEP} hooks killed while they take over the lock of a killed one`, async () => {
  sayOnFailure();
  const folder = loopFolder(world, 's3');
  const lock = join(folder, 'lock');
  let killed = 0;
  const claims = () => readdirSync(folder).filter((name) => name.startsWith('lock.dead-'));
  for (let i = 0; killed < KILLS_AT_EACH_STEP; i++) {
    expect(i).toBeLessThan(KILLS_AT_EACH_STEP * 6 + 20);
    if (!existsSync(lock))
      await stop(
        's3',
        killWhen(() => isNamed(lock), 0),
      );
    if (!existsSync(lock)) continue;
    const dead = statSync(lock).ino;
    const old = claims();
    const isTaken = () => isNamed(lock) && statSync(lock, { throwIfNoEntry: false })?.ino !== dead;
    const isClaimed = () => claims().some((name) => !old.includes(name) && isNamed(join(folder, name)));
    const reached = random.chance(0.5) ? isClaimed : isTaken;
    const victim = await stop('s3', killWhen(reached, random.chance(0.5) ? 0 : random.next()));
    if (victim.killed) killed++;
    // Two at once find what is left: one of them takes it over, both are answered.
    if (random.chance(0.5)) await Promise.all([expectAnswer('s3'), expectAnswer('s3')]);
  }
  await expectPrompt('s3');
  await check('s3');
});

function isNamed(lock: string): boolean {
  return (statSync(lock, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

test(`${KILLS} or more were killed, before and after they were counted`, async () => {
  sayOnFailure();
  const killed = stops.filter((s) => s.killed);
  const lines = (await Promise.all(SESSIONS.map(linesOf))).flat();
  const counted = new Set(lines.map(messageOf));
  const after = killed.filter((s) => counted.has(messageFingerprint(s.message)));
  expect(killed.length).toBeGreaterThanOrEqual(KILLS);
  expect(after.length).toBeGreaterThan(KILLS / 10);
  expect(killed.length - after.length).toBeGreaterThan(KILLS / 3);
});

test('what is killed costs the next call no long wait', () => {
  // The one in the middle: a machine that stalls makes some late.
  const sorted = answeredAfterMs.toSorted((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(PROMPT_MS);
});

test('the promise still ends every loop', async () => {
  sayOnFailure();
  for (const session of SESSIONS) {
    await check(session);
    const end = await callHook(world, stopInput(session, '<promise>ALL DONE</promise>')).ended;
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(end.stdout)).toEqual({ systemMessage: expect.stringContaining("agent's word") });
    const names = readdirSync(loopFolder(world, session));
    expect(names.filter((name) => name === 'lock' || name.endsWith('.tmp'))).toEqual([]);
  }
});
