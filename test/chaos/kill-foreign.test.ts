import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFailed, test } from 'vitest';
import { parseState } from '../../src/engine/formats/ralph-loop/state-file.ts';
import { seededRandom } from '../support/chaos/random.ts';
import { callHook, type HookEnd, newWorld, type World } from '../support/chaos/world.ts';
import { rounds } from '../support/long.ts';

const KILLS = rounds(60);
const MAX = 200;

let world: World;
beforeEach(() => {
  world = newWorld();
});
afterEach(() => rmSync(world.folder, { recursive: true, force: true }));

const random = seededRandom();
let messages = 0;

async function stop(session: string, killAfterMs?: number): Promise<HookEnd> {
  const event = { hook_event_name: 'Stop', session_id: session, stop_hook_active: true, cwd: world.project };
  const call = callHook(world, JSON.stringify({ ...event, last_assistant_message: `work ${++messages}` }));
  if (killAfterMs !== undefined) {
    await wait(killAfterMs);
    call.kill();
  }
  return call.ended;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(world.project, path)), { recursive: true });
  writeFileSync(join(world.project, path), text);
}

/** Files beside the state that a killed writer left: none of them may be taken for it. */
const leftovers = (folder: string) =>
  readdirSync(join(world.project, folder)).filter((name) => name.includes('.tmp'));

test('a hook that is killed anywhere leaves a whole state file, and the loop still ends at its limit', async () => {
  onTestFailed(() => console.error(`UNTILDONE_SEED=${random.seed}`));
  const file = '.claude/ralph-loop.local.md';
  const prompt = 'Do it.\n---\niteration: 1\n';
  write(
    file,
    `---\niteration: 1\nsession_id: s1\nmax_iterations: ${MAX}\nstarted_at: now\nmine: kept\n---\n${prompt}`,
  );
  const text = () => readFileSync(join(world.project, file), 'utf8');
  const usual = (await stop('s1')).ms;
  let seen = 2;
  for (let i = 0; i < KILLS; i++) {
    await stop('s1', random.next() * usual * 1.3);
    const state = parseState(text());
    expect(state?.prompt).toBe(prompt.trim());
    expect(state?.fields.get('mine')).toBe('kept');
    const now = Number(state?.fields.get('iteration'));
    expect(now).toBeGreaterThanOrEqual(seen);
    seen = now;
  }
  for (let i = 0; i < 5; i++) expect((await stop('s1')).stdout).toContain('"decision":"block"');
  expect(Number(parseState(text())?.fields.get('iteration'))).toBeGreaterThanOrEqual(seen + 4);
  write(file, text().replace(`max_iterations: ${MAX}`, 'max_iterations: 2'));
  expect((await stop('s1')).stdout).toContain('Max iterations (2) reached');
  expect(leftovers('.claude').length).toBeLessThanOrEqual(KILLS);
});

test('of eight sessions that stop at once on one lock, again and again, exactly one is held', async () => {
  write('.claude/runtime/locks/.lock_active', '');
  const sessions = Array.from({ length: 8 }, (_, i) => `s${i}`);
  const owners = new Set<string>();
  for (let round = 0; round < rounds(5, 2); round++) {
    const ends = await Promise.all(sessions.map(async (s) => ({ s, end: await stop(s) })));
    for (const { end } of ends) expect(end).toMatchObject({ code: 0, stderr: '' });
    const held = ends.filter(({ end }) => end.stdout.includes('"decision":"block"'));
    expect(held).toHaveLength(1);
    for (const { s } of held) owners.add(s);
  }
  expect(owners.size).toBe(1);
});
