/** A remote, a real Redis, and machines with homes of their own that submit to them and look at them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { DEFAULT_LIMITS, type Limits, promiseContract } from '../../../src/engine/core/contract/contract.ts';
import { DEFAULT_ATTEMPTS } from '../../../src/engine/core/fleet/spec.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import { sha256 } from '../../../src/engine/files/digest.ts';
import { type LastLine, nextLine } from '../../../src/engine/home/journal/file.ts';
import type { JournalLine } from '../../../src/engine/home/journal/line.ts';
import { homeAt } from '../../../src/engine/home/layout.ts';
import type { Taken } from '../../../src/engine/ports/fleet.ts';
import type { Fleet } from '../../../src/fleet/operate/fleet.ts';
import { fleetOver } from '../../../src/fleet/operate/open.ts';
import type { SubmitRequest } from '../../../src/fleet/operate/request.ts';
import { openEngine } from '../../../src/fleet/queue/engine.ts';
import { orderMemory } from '../../../src/fleet/seals/memory.ts';
import { sealedEngine } from '../../../src/fleet/seals/sealed-engine.ts';
import { keyOfRun } from '../../../src/fleet/secret.ts';
import { PATIENCE_MS } from '../patience.ts';
import { type BareRemote, makeRemote } from './remotes.ts';
import type { Store } from './stores.ts';

export const SECRET = 'a'.repeat(64);

const CONTRACT = 'gates:\n  tests: { run: "test -f done" }\ndone: [tests]\n';

export interface OperateScene {
  folder: string;
  remote: BareRemote;
  /** A machine of the fleet, or one with another secret. */
  machine(name: string, secret?: string): Promise<Fleet>;
  envOf(name: string): NodeJS.ProcessEnv;
  request(more?: Partial<SubmitRequest>): SubmitRequest;
}

/** The same store for all scenes: each has a prefix of its own. */
export function operateScene(store: Store, files: Record<string, string> = {}): OperateScene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-operate-')));
  const open: Fleet[] = [];
  onTestFinished(async () => {
    for (const fleet of open) await fleet.engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const remote = makeRemote(join(folder, 'origin.git'), { 'untildone.yaml': CONTRACT, ...files });
  const queue = `${store.url}?prefix=${folder.slice(-6).replace(/\W/g, 'x')}`;
  const envOf = (name: string): NodeJS.ProcessEnv => {
    const home = join(folder, name);
    mkdirSync(home, { recursive: true });
    return {
      PATH: process.env.PATH,
      HOME: home,
      GIT_CONFIG_NOSYSTEM: '1',
      UNTILDONE_HOME: join(home, 'untildone'),
      UNTILDONE_QUEUE: queue,
      UNTILDONE_FLEET_SECRET: SECRET,
    };
  };
  return {
    folder,
    remote,
    envOf,
    machine: async (name, secret = SECRET) => {
      const env = envOf(name);
      const home = homeAt(env.UNTILDONE_HOME ?? '');
      mkdirSync(home.root, { recursive: true });
      const raw = await openEngine(queue, env);
      const engine = sealedEngine(raw, { secret, memory: orderMemory(home, secret, raw.place) });
      const fleet = fleetOver({ engine, home, env, secret });
      open.push(fleet);
      return fleet;
    },
    request: (more = {}) => ({
      repo: remote.url,
      ref: 'main',
      task: 'Make it work',
      limits: {},
      client: {},
      labels: [],
      priority: 10,
      after: [],
      env: [],
      attempts: DEFAULT_ATTEMPTS,
      ...more,
    }),
  };
}

/** Takes a run as a worker does. */
export async function taken({ engine }: Fleet, run: string): Promise<Taken> {
  const found = await engine.take([], 'w1', PATIENCE_MS);
  if (found?.run !== run) throw new Error(`expected ${run}, took ${found?.run}`);
  return found;
}

/** Publishes a journal of these entries for a run, after its beginning, as the process of a run does. Returns its lines. */
export async function published(
  { remoteRunsOf, home, secret }: Fleet,
  { run, repo }: { run: string; repo: string },
  entries: readonly Entry[],
  { limits = DEFAULT_LIMITS, at = Date.now() }: { limits?: Limits; at?: number } = {},
): Promise<string[]> {
  const contract = { ...promiseContract('DONE', limits) };
  const frozen = { project: '/tree', fingerprint: '', parts: {}, gates: {}, judgeMs: 1000 };
  const text = `${JSON.stringify({ contract, frozen })}\n`;
  const first: Entry = {
    kind: 'started',
    loop: run,
    session: 's1',
    project: '/tree',
    dialect: 'native',
    transcriptOffset: 0,
    task: { preview: 'task', bytes: 4, sha256: 'x' },
    contractSha256: sha256(text),
    maxIterations: limits.iterations,
    run: { mode: 'hybrid' },
  };
  const key = keyOfRun(run, secret);
  let last: LastLine | undefined;
  const lines = [first, ...entries].map((entry, index) => {
    const { text: line } = nextLine(key, last, entry, at + index);
    last = { line: JSON.parse(line) as JournalLine, text: line };
    return line;
  });
  const remoteRuns = remoteRunsOf(repo);
  const read = await remoteRuns.read(run);
  if (!read) throw new Error(`${run} is not on ${repo}`);
  const files = {
    ...read.files,
    'contract.json': Buffer.from(text),
    'journal.jsonl': Buffer.from(`${lines.join('\n')}\n`),
  };
  await remoteRuns.publish({ run, expected: read.refs, files, message: `${run}: test` }, home.root);
  return lines;
}
