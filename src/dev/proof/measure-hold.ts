/**
 * Plays one small session of the real Claude Code with the settings of a project, and watches whether its Stop is held.
 *
 * Everything happens in a temporary folder: a project, a home and a home of untildone of its own, with our hook scripts and what
 * is harmless of the settings. The model is the simulator, the key opens nothing, and a proxy that does not exist keeps every other
 * request on this machine.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { cleanEnvironment, prepareClientHome } from '../../engine/client/sdk/find-client.ts';
import { ClientTree } from '../../engine/client/sdk/sdk.ts';
import { type Happening, parseStreamLine } from '../../engine/client/sdk/stream.ts';
import { hookScriptPath, SCOPES, settingsPath } from '../../engine/client/settings/files.ts';
import { harmlessCopy } from '../../engine/client/settings/harmless-copy.ts';
import { renderPromise } from '../../engine/core/loop/promise.ts';
import { namesIn, readSmall } from '../../engine/files/whole-file.ts';
import { HAND_OVER, isPluginLine } from '../../engine/home/hook-line.ts';
import { start } from '../../engine/hook/start/start.ts';
import { loadJudgeBundle } from '../../engine/hook/wiring/load-bundles.ts';
import { openProjectWith } from '../../engine/hook/wiring/project-ports.ts';
import { type Simulator, startSimulator } from '../simulator/server.ts';

/** All paths are absolute. */
export interface HoldPlaces {
  /** The folder in which Claude Code would be started. */
  project: string;
  /** The home whose `hook.sh` the hooks of a session here would find. */
  untildoneHome: string;
  claudeConfigDir: string;
}

export interface MeasureHoldOptions extends HoldPlaces {
  /** The program of Claude Code. */
  claude: string;
  /** The folder of our plugin, where it is switched on. Only what is ours in its hooks is played. */
  plugin?: string;
  env: NodeJS.ProcessEnv;
  limitMs: number;
  /** Aborting ends the session; what was seen until then is returned. */
  signal: AbortSignal;
}

/** What was seen. */
export interface HoldEvidence {
  /** Of Claude Code; empty when it did not say. */
  clientVersion: string;
  /** The model was asked at least once. */
  asked: boolean;
  /** A hook of ours ran in the session. */
  hookRan: boolean;
  /** The model read our reason to go on. */
  reached: boolean;
  /** After that the session kept its promise, and ended. */
  letGo: boolean;
  /** Messages of hooks and of Claude Code for the person. */
  told: string[];
  stderr: string;
  exitCode: number | null;
  end: 'ended' | 'timed_out' | 'called_off';
  ms: number;
}

const FOLDER = 'untildone-proof-';
/** No proof takes so long. */
const LEFT_MS = 10 * 60_000;

/** Removes the folders of proofs that were killed. */
async function removeLeftovers(folder: string): Promise<void> {
  const left = namesIn(folder)
    .filter((name) => name.startsWith(FOLDER))
    .map((name) => join(folder, name))
    .filter(
      (path) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > LEFT_MS,
    );
  for (const path of left) await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

/** Leaves nothing behind: neither a process nor a file. */
export async function measureHold(options: MeasureHoldOptions): Promise<HoldEvidence> {
  const began = performance.now();
  const temporary = options.env.TMPDIR || tmpdir();
  await removeLeftovers(temporary);
  const root = await realpath(await mkdtemp(join(temporary, FOLDER)));
  const word = `HELD ${randomBytes(6).toString('hex')}`;
  const simulator = await startSimulator({ script: scriptFor(word) });
  try {
    const scratch = furnish(root, options, simulator);
    const isOver = await beginLoop(scratch, word);
    const played = await play(scratch, options);
    const seen = simulator.requests().filter(({ kind }) => kind === 'messages');
    const reached = seen.some(({ body }) => JSON.stringify(body).includes(word));
    return {
      ...played,
      asked: seen.length > 0,
      hookRan: existsSync(join(scratch.home, 'sessions', `${scratch.session}.at`)),
      reached,
      letGo: reached && isOver(),
      ms: Math.round(performance.now() - began),
    };
  } finally {
    await simulator.close();
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** The model stops at once, and keeps the promise when it has read it. Only our reason names it. */
function scriptFor(word: string) {
  return {
    rules: [{ when: { any: word }, turns: [{ text: renderPromise(word) }] }],
    after: { text: 'I am done.' },
  };
}

interface Scratch {
  project: string;
  /** The home of untildone. */
  home: string;
  session: string;
  environment: Record<string, string>;
  /** The folder of a plugin with our hooks alone. */
  plugin?: string;
}

const NOWHERE = 'http://127.0.0.1:9';

function furnish(root: string, options: MeasureHoldOptions, { url }: Simulator): Scratch {
  const [project, userHome, home, temporary] = ['project', 'home', 'untildone-home', 'tmp'].map((name) =>
    join(root, name),
  ) as [string, string, string, string];
  for (const folder of [project, home, temporary]) mkdirSync(folder, { mode: 0o700 });
  prepareClientHome(userHome, [project]);
  copySettings(options, { project, claudeConfigDir: join(userHome, '.claude') });
  for (const name of ['hook.sh', 'hold.sh']) {
    const text = textAt(join(dirname(hookScriptPath(options.untildoneHome)), name));
    if (text !== undefined) writeFileSync(join(home, name), text, { mode: 0o600 });
  }
  const environment = cleanEnvironment({
    home: userHome,
    baseUrl: url,
    extra: {
      ...hookVariables(options.env),
      TMPDIR: temporary,
      UNTILDONE_HOME: home,
      // Whatever wants to reach another machine finds nobody.
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      NO_PROXY: '127.0.0.1',
    },
  });
  const plugin = options.plugin === undefined ? undefined : writePlugin(options.plugin, join(root, 'plugin'));
  return { project, home, session: randomUUID(), environment, plugin };
}

/** A plugin with our hooks where they stand in that of the person, and a script of our own. */
function writePlugin(from: string, to: string): string {
  const hooks = textAt(join(from, 'hooks', 'hooks.json')) ?? '{}';
  const files = {
    '.claude-plugin/plugin.json': JSON.stringify({ name: 'untildone', version: '0.0.0' }),
    'hooks/hooks.json': harmlessCopy(hooks, isPluginLine),
    'hooks/hook.sh': `${HAND_OVER}\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(to, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(to, name), text, { mode: 0o600 });
  }
  return to;
}

function copySettings(from: HoldPlaces, to: { project: string; claudeConfigDir: string }): void {
  for (const scope of SCOPES) {
    const text = textAt(settingsPath(scope, from));
    if (text === undefined) continue;
    const copy = settingsPath(scope, to);
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    writeFileSync(copy, harmlessCopy(text), { mode: 0o600 });
  }
}

/** The text of a file; undefined when there is none, or when Claude Code cannot read it either. */
function textAt(path: string): string | undefined {
  try {
    return readSmall(path);
  } catch {
    return undefined;
  }
}

/** Variables of the shell that asks for the proof: they decide how a hook starts, and no service is reached by them. */
const OF_THE_SHELL =
  /^(?:PATH|ENV|BASH_ENV|LANG|LC_\w+|NODE_(?:OPTIONS|PATH)|CLAUDE_CODE_STOP_HOOK_BLOCK_CAP)$/;

function hookVariables(env: NodeJS.ProcessEnv): NodeJS.Dict<string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => OF_THE_SHELL.test(name)));
}

/** Starts a loop for the session, which asks for a promise that only its reason names. Returns whether it has ended. */
async function beginLoop({ project, session, environment }: Scratch, word: string): Promise<() => boolean> {
  const world = openProjectWith(environment, loadJudgeBundle, () => project);
  await start(
    { task: 'Wait to be told.', promise: word, limits: { iterations: 3 }, session, project },
    world,
    () => {},
  );
  return () => world.store.activeLoopOf(session) === undefined;
}

/** How long the rest of the output may take. */
const DRAIN_MS = 1_000;

type Played = Pick<HoldEvidence, 'clientVersion' | 'told' | 'stderr' | 'exitCode' | 'end'>;

async function play(
  { project, session, environment, plugin }: Scratch,
  { claude, limitMs, signal }: MeasureHoldOptions,
): Promise<Played> {
  const seen: Happening[] = [];
  const tree = new ClientTree(`UNTILDONE_HOME=${environment.UNTILDONE_HOME}`);
  const args = ['-p', '--output-format', 'stream-json', '--verbose', '--session-id', session];
  if (plugin !== undefined) args.push('--plugin-dir', plugin);
  const child = tree.start(claude, args, project, environment);
  const exited = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('exit', (code: number | null) => resolve(code));
  });
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => seen.push(...parseStreamLine(line)));
  const allRead = once(output, 'close');
  // A client that ends early closes its input. Its exit code says more.
  child.stdin.on('error', () => {});
  child.stdin.end('Say that you are done.');
  const over = new AbortController();
  const end = await Promise.race([
    exited.then(() => 'ended' as const),
    wait(limitMs, 'timed_out' as const, { signal: over.signal }).catch(() => 'ended' as const),
    aborted(signal, over.signal).then(() => 'called_off' as const),
  ]);
  over.abort();
  // Ends what keeps the output open, too.
  await tree.end();
  await Promise.race([allRead, wait(DRAIN_MS, undefined, { ref: false })]);
  const began = seen.find((one) => one.kind === 'began');
  return {
    clientVersion: began?.clientVersion ?? '',
    told: seen.flatMap((one) => (one.kind === 'told' ? [one.text] : [])),
    stderr: tree.stderr,
    exitCode: end === 'ended' ? await exited : null,
    end,
  };
}

/** Resolves when `signal` is aborted; never after `over`. */
async function aborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort', { signal: over }).catch(() => new Promise(() => {}));
}
