/** A scratch home and project around one simulator, in which clients are started and which leaves nothing behind. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Script } from '../../../src/dev/simulator/script.ts';
import { type Simulator, startSimulator } from '../../../src/dev/simulator/server.ts';
import {
  cleanEnvironment,
  findClaude,
  prepareClientHome,
} from '../../../src/engine/client/sdk/find-client.ts';
import { type ClientRun, launchClient, type RunningClient } from './client.ts';
import { endProcessesOf } from './processes.ts';
import { RECORDED_ARGS, Recorder } from './recorder.ts';

export interface SceneOptions {
  /** The name of the project's folder; may hold spaces. */
  project?: string;
  /** Makes the project a git repository with an author, without a commit. */
  git?: boolean;
  scripts?: Record<string, Script>;
  /** The name of the recording that this scene is compared with: `Stop/promise`. */
  recording?: string;
}

export interface ClientOptions {
  prompt: string;
  /** Loaded under a name of its own; or name one that the simulator has. Neither: the simulator's default. */
  script?: Script;
  scriptName?: string;
  /** The project of the scene when absent. */
  project?: string;
  /** Added to the command line last, so that they win. */
  args?: string[];
  env?: Record<string, string | undefined>;
  /** Handed over by `--settings`, beside those of the project. */
  settings?: object;
  model?: string;
  /** See RunningClient.say. */
  conversation?: boolean;
  /** Started instead of the client of the tests: another version, or a script around it. */
  binary?: string;
  limitMs?: number;
}

export interface Scene {
  /** Everything below is inside, and this path is in the environment of everything that runs here. */
  root: string;
  home: string;
  project: string;
  untildoneHome: string;
  simulator: Simulator;
  /** Absent where nothing is recorded. */
  recorder: Recorder | undefined;
  /** For processes beside the client, such as our own command: no key, no address of a model. */
  environment: Record<string, string>;
  startClient(options: ClientOptions): Promise<RunningClient>;
  runClient(options: ClientOptions): Promise<ClientRun>;
  close(): Promise<void>;
}

const LIMIT_MS = 150_000;

export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const claude = findClaude(undefined, { preferBundled: true });
  if (!claude) throw new Error('no client: install the optional dependencies, or put `claude` on PATH');
  const root = await realpath(await mkdtemp(join(tmpdir(), 'untildone-live-')));
  const [home, untildoneHome] = [join(root, 'home'), join(root, 'untildone-home')];
  const project = join(root, options.project ?? 'project');
  const scratch = { UNTILDONE_HOME: untildoneHome, TMPDIR: join(root, 'tmp') };
  const environment = { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8', ...scratch };
  await mkdir(project);
  await mkdir(scratch.TMPDIR);
  prepareClientHome(home, [project]);
  await writeFile(join(home, '.gitconfig'), '[user]\n\tname = Scene\n\temail = scene@localhost\n');
  if (options.git) execFileSync('git', ['init', '--quiet', '-b', 'main'], { cwd: project, env: environment });
  const simulator = await startSimulator({ scripts: options.scripts ?? {} });

  const git = options.git ?? false;
  const recorder = options.recording === undefined ? undefined : new Recorder({ root, home, project, git });

  let started = 0;
  const startClient = async (client: ClientOptions): Promise<RunningClient> => {
    started += 1;
    const name = client.scriptName ?? (client.script ? `client-${started}` : 'default');
    if (client.script) simulator.load(name, client.script);
    recorder?.prepared();
    const settings = recorder ? { ...client.settings, ...recorder.settings() } : client.settings;
    const settingsFile = settings && join(root, `settings-${started}.json`);
    if (settingsFile) await writeFile(settingsFile, JSON.stringify(settings));
    const running = launchClient({
      binary: client.binary ?? claude.path,
      args: [...argumentsOf(client, settingsFile), ...(recorder ? RECORDED_ARGS : [])],
      cwd: client.project ?? project,
      environment: cleanEnvironment({
        home,
        baseUrl: simulator.urlFor(name),
        extra: { ...scratch, ...client.env },
      }),
      prompt: client.prompt,
      conversation: client.conversation ?? false,
      limitMs: client.limitMs ?? LIMIT_MS,
      requests: () => simulator.requests(name),
    });
    recorder?.follow(running.lines);
    return running;
  };
  return {
    root,
    home,
    project,
    untildoneHome,
    simulator,
    recorder,
    environment,
    startClient,
    runClient: async (client) => (await startClient(client)).finished,
    close: async () => {
      await simulator.close();
      await endProcessesOf(root);
      await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

function argumentsOf(client: ClientOptions, settingsFile: string | undefined): string[] {
  return [
    ...['-p', '--output-format', 'stream-json', '--verbose'],
    ...['--model', client.model ?? 'claude-opus-5-5'],
    ...['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'],
    ...(client.conversation ? ['--input-format', 'stream-json'] : []),
    ...(settingsFile ? ['--settings', settingsFile] : []),
    ...(client.args ?? []),
  ];
}
