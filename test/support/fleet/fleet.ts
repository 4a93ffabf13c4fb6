/** A whole fleet in a scratch folder: a real store, real git remotes, and workers as processes with homes of their own. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasEnded, isDone } from '../../../src/engine/core/loop/state.ts';
import { openEngine } from '../../../src/fleet/queue/engine.ts';
import type { StoredEngine } from '../../../src/fleet/queue/stored.ts';
import { endProcessesOf, waitFor } from '../live/processes.ts';
import { PATIENCE_MS } from '../patience.ts';
import { buildPlayedClient } from './build-client.ts';
import { type History, historyOf, runsOf } from './history.ts';
import { deedsIn } from './ledger.ts';
import { type Ended, Machine, type Program } from './machine.ts';
import { type BareRemote, makeRemote } from './remotes.ts';
import { type Deed, type Score, taskOf } from './score.ts';
import { openStore, type Store } from './stores.ts';

export interface FleetOptions {
  repos?: number;
  /** How many pieces the gate asks for: as many iterations has a run. */
  pieces?: number;
  /** More files of the repositories. */
  files?: Record<string, string>;
}

/** After this long nothing of a worker that was killed may be left. */
const GONE_MS = 15_000;

const HEADS = 'refs/heads/untildone/';

export const PASSWORD = 'never-to-be-seen-4711';
const ACCOUNT = ['--user', 'fleet', 'on', `>${PASSWORD}`, '~*', '&*', '+@all'];

const CHECK = `made=$(grep -c . made.txt 2>/dev/null)
test "\${made:-0}" -ge "$(cat want.txt)" || { echo "piece $((\${made:-0} + 1)) is missing"; exit 1; }
`;

export class Fleet {
  readonly root: string;
  readonly secret = randomBytes(32).toString('hex');
  readonly store: Store;
  /** With a password that may be seen nowhere. */
  readonly queue: string;
  readonly remotes: BareRemote[];
  readonly pieces: number;
  readonly ledger: string;
  readonly operator: Machine;
  readonly machines: Machine[] = [];
  readonly #workers: Program[] = [];
  #engine: StoredEngine | undefined;

  private constructor(root: string, store: Store, remotes: BareRemote[], pieces: number) {
    this.root = root;
    this.store = store;
    this.queue = store.url.replace('//', `//fleet:${PASSWORD}@`);
    this.remotes = remotes;
    this.pieces = pieces;
    this.ledger = join(root, 'ledger.jsonl');
    this.operator = this.#machine('operator');
  }

  static async open({ repos = 1, pieces = 3, files = {} }: FleetOptions = {}): Promise<Fleet> {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-fleet-')));
    buildPlayedClient(join(root, 'bin'));
    const content = {
      'untildone.yaml': 'gates:\n  pieces: { run: sh check.sh }\n',
      'check.sh': CHECK,
      'want.txt': `${pieces}\n`,
      ...files,
    };
    const remotes = Array.from({ length: repos }, (_, i) =>
      makeRemote(join(root, `remote-${i + 1}.git`), content),
    );
    return new Fleet(root, await openStore({ args: ACCOUNT }), remotes, pieces);
  }

  #machine(name: string): Machine {
    const machine = new Machine(this.root, name, {
      UNTILDONE_QUEUE: this.queue,
      UNTILDONE_FLEET_SECRET: this.secret,
    });
    this.machines.push(machine);
    return machine;
  }

  async engine(): Promise<StoredEngine> {
    this.#engine ??= await openEngine(this.queue, {});
    return this.#engine;
  }

  /** A machine with a worker that is about to be ready. */
  startWorker(name: string, args: readonly string[] = []): { machine: Machine; worker: Program } {
    const machine = this.machines.find((each) => each.name === name) ?? this.#machine(name);
    const own = ['worker', '--name', name, '--workdir', machine.workdir, '--health-port', 'off'];
    const worker = machine.start([...own, ...args]);
    this.#workers.push(worker);
    return { machine, worker };
  }

  /** What you would type. */
  command(...args: string[]): Promise<Ended> {
    return this.operator.start(args).ended;
  }

  async ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.command(...args);
    if (code !== 0) throw new Error(`untildone ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  }

  /** Submits runs by the command; the ids of all. */
  async submit(
    args: readonly string[] = [],
    score: Partial<Score> = {},
    remote = this.remotes[0],
  ): Promise<string[]> {
    const task = taskOf('Make the pieces', { ledger: this.ledger, ...score });
    const said = await this.ok('submit', task, '--repo', remote?.url ?? '', '--json', ...args);
    return (JSON.parse(said) as { runs: { run: string }[] }).runs.map(({ run }) => run);
  }

  deeds(): Deed[] {
    return deedsIn(this.ledger);
  }

  remoteOf(run: string): BareRemote {
    const remote = this.remotes.find(({ url }) => runsOf(url).includes(run));
    if (!remote) throw new Error(`no remote knows run ${run}`);
    return remote;
  }

  history(run: string): History {
    return historyOf(this.remoteOf(run).url, run, this.secret);
  }

  /** Waits for something; what every process has said is told where it is in vain, or where a worker could not begin. */
  async until<Answer>(condition: () => Answer | Promise<Answer>, what: string, limitMs = PATIENCE_MS) {
    const checked = async () => {
      const answer = await condition();
      if (!answer && this.#workers.some(({ couldNotBegin }) => couldNotBegin))
        throw new Error('a worker could not begin');
      return answer;
    };
    try {
      return await waitFor(checked, limitMs, what);
    } catch (error) {
      throw new Error(`${error}\n${this.said()}`);
    }
  }

  /** Waits until the remotes say of all these runs that they have ended. */
  async untilEnded(runs: readonly string[], limitMs = PATIENCE_MS): Promise<void> {
    const open = new Set(runs);
    const none = () => {
      for (const run of open) if (this.hasEnded(run)) open.delete(run);
      return open.size === 0;
    };
    await this.until(none, `the end of ${runs.length} runs`, limitMs);
  }

  /** As the remote says it. A run that is done has ended when its branch for people is there, too. */
  hasEnded(run: string): boolean {
    try {
      const { state } = this.history(run);
      return hasEnded(state) && (!isDone(state.status) || this.branchOf(run) !== undefined);
    } catch {
      return false;
    }
  }

  /** The commit of the branch for people. */
  branchOf(run: string): string | undefined {
    const heads = Object.entries(this.remoteOf(run).refs()).filter(([name]) => name.startsWith(HEADS));
    return heads.find(([name]) => name.endsWith(run))?.[1];
  }

  /** What the last words of every process were. */
  said(): string {
    return this.machines
      .flatMap(({ folder }) =>
        readdirSync(folder)
          .filter((name) => name.endsWith('.err') || name.endsWith('.out'))
          .map(
            (name) => `--- ${join(folder, name)}\n${readFileSync(join(folder, name), 'utf8').slice(-1_500)}`,
          ),
      )
      .join('\n');
  }

  /** Nothing of these machines runs any more. */
  async untilGone(machines: readonly Machine[] = this.machines, limitMs = GONE_MS): Promise<void> {
    const left = async () => (await Promise.all(machines.map((each) => each.processes()))).flat();
    await waitFor(async () => (await left()).length === 0, limitMs, `${await left()} to end`);
  }

  async close(): Promise<void> {
    await this.#engine?.close();
    await endProcessesOf(`${this.root}/`);
    // What a process said is read when its end is noticed.
    await Promise.all(this.machines.map((machine) => machine.over()));
    await this.store.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}
