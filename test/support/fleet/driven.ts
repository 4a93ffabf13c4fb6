/** Drives runs of a fleet without a queue: a real remote, and real processes of runs, each with a played worker. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { RunSpec } from '../../../src/engine/core/fleet/spec.ts';
import type { DriveOrder, DriveOutcome, FromDriver, ToDriver } from '../../../src/fleet/drive/protocol.ts';
import { openRemoteRuns } from '../../../src/fleet/remote/open-remote-runs.ts';
import type { RemoteRuns } from '../../../src/fleet/remote/remote-runs.ts';
import { keyOfRun, sealSpec } from '../../../src/fleet/secret.ts';
import { endProcessesOf, waitFor } from '../live/processes.ts';
import { PATIENCE_MS } from '../patience.ts';
import { buildPlayedClient } from './build-client.ts';
import { type BareRemote, makeRemote } from './remotes.ts';
import { type Score, taskOf } from './score.ts';

const CHECK = `made=$(grep -c . made.txt 2>/dev/null)
test "\${made:-0}" -ge "$(cat want.txt)" || { echo "piece $((\${made:-0} + 1)) is missing"; exit 1; }
`;

/** A project whose gate asks for so many pieces: a run has as many iterations. */
export function piecesProject(pieces: number): Record<string, string> {
  return {
    'untildone.yaml': 'gates:\n  pieces: { run: sh check.sh }\n',
    'check.sh': CHECK,
    'want.txt': `${pieces}\n`,
  };
}

/** How a worker is played. */
export interface PlayedWorker {
  name?: string;
  silenceMs?: number;
  /** How long a run that only waits keeps its place. */
  waitMs?: number;
  env?: Record<string, string>;
  /** Another one than that of the fleet. */
  secret?: string;
  /** What it answers to `may`; lets everything begin without it. */
  may?(question: Extract<FromDriver, { type: 'may' }>): { why: string; untilMs: number } | undefined;
  leftUsd?(question: Extract<FromDriver, { type: 'may' }>): number | undefined;
  /** The commits of the runs before, as it has read them. */
  before?: DriveOrder['before'];
}

export class DrivenScene {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-drive-')));
  readonly secret = randomBytes(32).toString('hex');
  readonly remote: BareRemote;
  readonly remoteRuns: RemoteRuns;
  readonly ledger = join(this.root, 'ledger.jsonl');
  #drivers: Driven[] = [];
  #count = 0;

  constructor(files: Record<string, string> = piecesProject(3)) {
    buildPlayedClient(join(this.root, 'bin'));
    this.remote = makeRemote(join(this.root, 'remote.git'), files);
    this.remoteRuns = openRemoteRuns(this.remote.url, {
      caches: join(this.root, 'caches'),
      env: process.env,
    });
  }

  /** Submits a run, as the command does. */
  async submit(score: Partial<Score> = {}, more: Partial<RunSpec> = {}): Promise<RunSpec> {
    const run = `run-${++this.#count}-${randomBytes(3).toString('hex')}`;
    const spec: RunSpec = {
      v: 1,
      run,
      repo: this.remote.url,
      ref: 'main',
      commit: this.remote.first,
      task: taskOf('Make the pieces', { ledger: this.ledger, ...score }),
      limits: {},
      client: {},
      labels: [],
      priority: 0,
      after: [],
      env: [],
      attempts: 5,
      submittedAt: 1,
      ...more,
    };
    await this.remoteRuns.create(run, spec.commit, { spec: Buffer.from(sealSpec(spec, this.secret)) });
    return spec;
  }

  /** Starts the process of a run, in a folder of this worker. */
  take(spec: RunSpec, worker: PlayedWorker = {}): Driven {
    const driven = new Driven(this, spec, worker);
    this.#drivers.push(driven);
    return driven;
  }

  async close(): Promise<void> {
    for (const driven of this.#drivers) driven.kill();
    await endProcessesOf(`${this.root}/`);
    rmSync(this.root, { recursive: true, force: true });
  }
}

const BEAT_MS = 100;

/** The process of a run, and what it said. */
export class Driven {
  readonly messages: FromDriver[] = [];
  readonly folder: string;
  readonly over: Promise<DriveOutcome | undefined>;
  readonly #child: ChildProcess;
  readonly #beat: NodeJS.Timeout;
  #log = '';

  constructor(
    scene: DrivenScene,
    spec: RunSpec,
    {
      name = 'w1',
      silenceMs = 60_000,
      waitMs,
      env = {},
      secret = scene.secret,
      may,
      leftUsd,
      before,
    }: PlayedWorker,
  ) {
    const machine = join(scene.root, name);
    this.folder = join(machine, spec.run);
    mkdirSync(this.folder, { recursive: true });
    this.#child = fork(resolve('dist/fleet-run.cjs'), [], {
      cwd: this.folder,
      env: { PATH: `${join(scene.root, 'bin')}:${process.env.PATH}`, HOME: machine, ...env },
      execArgv: [],
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log += text;
      });
    let outcome: DriveOutcome | undefined;
    this.#child.on('message', (message: FromDriver) => {
      this.messages.push(message);
      if (message.type === 'over') outcome = message.outcome;
      if (message.type === 'may')
        this.send({ type: 'may', id: message.id, refused: may?.(message), leftUsd: leftUsd?.(message) });
    });
    this.over = new Promise((done) => {
      this.#child.on('exit', () => setImmediate(() => done(outcome)));
    });
    this.#beat = setInterval(() => this.send({ type: 'alive' }), BEAT_MS);
    void this.over.then(() => clearInterval(this.#beat));
    this.send({
      type: 'order',
      worker: name,
      run: spec.run,
      folder: this.folder,
      silenceMs,
      waitMs,
      spec: sealSpec(spec, secret),
      key: keyOfRun(spec.run, scene.secret),
      caches: join(machine, 'caches'),
      before,
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get log(): string {
    return this.#log;
  }

  send(message: ToDriver): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** The worker says nothing more. */
  silence(): void {
    clearInterval(this.#beat);
  }

  /** As when the worker is killed. */
  disconnect(): void {
    this.silence();
    this.#child.disconnect();
  }

  kill(): void {
    this.silence();
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
  }

  /** Everything that it said but lines of the journal. */
  get said(): string {
    return this.messages
      .map((message) => JSON.stringify(message.type === 'news' ? message.news.doing : message))
      .join('\n');
  }

  /** The iterations that were published. */
  get published(): number[] {
    return this.messages.flatMap((message) => (message.type === 'published' ? [message.iteration] : []));
  }

  /** The journal lines that were told. */
  get lines(): string[] {
    return this.messages.flatMap((message) => (message.type === 'news' ? message.lines : []));
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    await waitFor(condition, PATIENCE_MS, what).catch((error: unknown) => {
      throw new Error(`${error}\n${this.said}\n${this.#log}`);
    });
  }
}
