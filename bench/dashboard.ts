import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Entry } from '../src/engine/core/loop/entry.ts';
import type { FileStore } from '../src/engine/home/store.ts';
import type { LoopRef } from '../src/engine/ports/ports.ts';
import { ENDED, held, lengthen, lengthenLike, linesOf, loopsHome } from '../test/support/dashboard/loops.ts';
import { CLI, type HookScene } from './hook-scene.ts';
import { compareMedians, type Row } from './report.ts';

const LOOPS = 1_000;
const LINES = 1_000;
const OPEN = 200;
const ROUNDS = 30;
/** What a person still takes for at once, and what the first view may take. */
const FIRST_VIEW_MS = 150;
const TO_PAGE_MS = 300;
const OPENED_MS = 150;
const ALL_READ_MS = 3_000;
const MEMORY_MB = 300;

/** Measures a dashboard over 1,000 loops with 1,000,000 entries, 200 of which are at work. */
export async function measureDashboard(scene: HookScene): Promise<Row[]> {
  const home = loopsHome(scene.root, Date.now() - 86_400_000);
  const refs = fill(home);
  const server = await start({ ...scene.environment('none'), UNTILDONE_HOME: home.home.root });
  try {
    const first = [await server.overview()];
    const all = [await server.allRead()];
    const again: number[] = [];
    for (let i = 0; i < ROUNDS; i++) again.push(await server.overview());
    const toPage = await latencies(server, home.store, refs);
    const opened: number[] = [await server.loop(refs[0]?.loop ?? '')];
    const row = (name: string, values: number[], limit: number, unit: 'ms' | 'MB' = 'ms') =>
      compareMedians(values, [limit], { name, against: `at most ${limit} ${unit}`, unit, target: 1 });
    return [
      row('dashboard: first view, what was read by then of 1,000,000 entries', first, FIRST_VIEW_MS),
      row('dashboard: from the link until all is read', all, ALL_READ_MS),
      row('dashboard: the view again', again, FIRST_VIEW_MS),
      row('dashboard: from the journal to the page', toPage, TO_PAGE_MS),
      row('dashboard: a loop of 1,000 entries opened', opened, OPENED_MS),
      row('dashboard: memory of the server', [server.memory()], MEMORY_MB, 'MB'),
    ];
  } finally {
    server.end();
  }
}

/** Every line is sealed and follows from the one before, as hooks would have written it. */
function fill(home: ReturnType<typeof loopsHome>): LoopRef[] {
  const event: Entry = { kind: 'event', event: 'PreToolUse', detail: { tool: 'Edit' } };
  const pattern = (id: string, last: Entry) => {
    const ref = home.loop(id);
    lengthen(home.home, home.store, ref, LINES - 1, (line) =>
      line === LINES - 2 ? last : line % 20 === 0 ? held() : event,
    );
    const lines = linesOf(home.store, ref);
    rmSync(ref.dir, { recursive: true });
    return lines;
  };
  const [open, ended] = [pattern('open', held()), pattern('ended', ENDED)];
  return Array.from({ length: LOOPS }, (_, i) => {
    const session = `session-${i}`;
    const ref = home.loop(`20260101-${i}`, { session, project: home.project(`project-${i % 20}`) });
    lengthenLike(home.home, home.store, ref, i < OPEN ? open : ended);
    // As the Stop that ends a loop does.
    if (i >= OPEN) home.store.mark(session, false);
    return ref;
  });
}

interface Server {
  overview(): Promise<number>;
  /** How long after the link was printed everything had been read. */
  allRead(): Promise<number>;
  loop(id: string): Promise<number>;
  /** Waits until a change of this loop is told; resolves with the moment. */
  told(id: string): Promise<number>;
  memory(): number;
  end(): void;
}

async function start(env: Record<string, string>): Promise<Server> {
  const child = spawn(process.execPath, [CLI, 'dashboard', '--port', '0', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line = ''] = await new Promise<string[]>((resolve) =>
    createInterface(child.stdout).once('line', (text) => resolve([text])),
  );
  const linkAt = performance.now();
  const { url } = JSON.parse(line) as { url: string };
  const entered = await fetch(url, { redirect: 'manual' });
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const base = new URL(entered.headers.get('location') ?? '', url);
  const get = async (path: string) => {
    const began = performance.now();
    const answer = await fetch(new URL(path, base), { headers: { cookie } });
    await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return performance.now() - began;
  };
  const waiting = new Map<string, (at: number) => void>();
  const stream = await fetch(new URL('api/events', base), { headers: { cookie } });
  void listen(stream, waiting).catch(() => {});
  return {
    overview: () => get('api/overview'),
    // Older loops that have ended are told when all are read.
    allRead: async () => {
      await get('api/ended?count=1');
      return performance.now() - linkAt;
    },
    loop: (id) => get(`api/loops/${id}`),
    told: (id) => new Promise((resolve) => waiting.set(id, resolve)),
    memory: () =>
      Number(
        /VmRSS:\s+(\d+) kB/.exec(readFileSync(join('/proc', String(child.pid), 'status'), 'utf8'))?.[1],
      ) / 1024,
    end: () => child.kill('SIGINT'),
  };
}

async function listen(stream: Response, waiting: Map<string, (at: number) => void>): Promise<void> {
  let text = '';
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString('utf8');
    const end = text.lastIndexOf('\n\n');
    if (end < 0) continue;
    const at = performance.now();
    for (const [id, tell] of waiting) if (text.includes(`"id":"${id}"`)) tell(at);
    text = text.slice(end + 2);
  }
}

async function latencies(server: Server, store: FileStore, refs: readonly LoopRef[]): Promise<number[]> {
  const found: number[] = [];
  for (const ref of refs.slice(0, ROUNDS)) {
    const told = server.told(ref.loop);
    const began = performance.now();
    store.append(ref, () => held());
    found.push((await told) - began);
  }
  return found;
}
