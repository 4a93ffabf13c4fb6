/**
 * The proof that a Stop is held here: a small session of the real Claude Code, offline, with the settings that count in this
 * project. The session decides; what the settings say only explains it.
 */

import type { HoldEvidence, MeasureHoldOptions } from '../../dev/proof/measure-hold.ts';
import { type FoundClaude, findClaude } from '../../engine/client/sdk/find-client.ts';
import { SCOPES, settingsPath } from '../../engine/client/settings/files.ts';
import { reachesOut } from '../../engine/client/settings/harmless-copy.ts';
import { FIRST_TO_HOLD } from '../../engine/client/settings/our-events.ts';
import { ourPlugin } from '../../engine/client/settings/our-plugin.ts';
import { ourHooksIn, parsedSettings } from '../../engine/client/settings/settings.ts';
import { type HooksState, managedSettings, type Obstacle } from '../../engine/client/settings/would-run.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { defined } from '../../engine/core/text/defined.ts';
import { newerThan } from '../../engine/core/text/version.ts';
import { readSmall } from '../../engine/files/whole-file.ts';
import { homeRoot } from '../../engine/home/layout.ts';
import { claudeConfigDir } from '../../engine/hook/wiring/project.ts';
import { hooksStateOf } from '../../engine/run/person/hooks-state.ts';
import { loadDev } from '../dev.ts';

/** Why a Stop is not held, or why that could not be shown. */
export type ProofCause =
  | Obstacle
  /** Our hook ran at the Stop, and did not hold it. */
  | 'hook_failed'
  | 'client_too_old'
  /** Claude Code did not start, or ended before it asked the model. */
  | 'client_failed'
  | 'no_client'
  | 'timed_out'
  | 'interrupted'
  /** The temporary folder cannot be used. */
  | 'no_room';

export interface ProvenClient extends FoundClaude {
  /** Empty when it did not say. */
  version: string;
}

export type HoldProof =
  | { outcome: 'held'; client: ProvenClient; ms: number }
  | { outcome: 'not_held'; cause: ProofCause; why: string; client?: ProvenClient; ms?: number }
  | { outcome: 'unproven'; cause: ProofCause; why: string; client?: ProvenClient; ms?: number };

export interface ProveOptions {
  /** The folder in which Claude Code would be started. */
  project: string;
  env: NodeJS.ProcessEnv;
  /** The Claude Code to start instead of yours. */
  claude?: string;
  limitMs?: number;
  /** Aborting ends the proof early. */
  signal?: AbortSignal;
  /** The folder of an organization's settings, when it is not that of this system. */
  managed?: string;
  measure?(options: MeasureHoldOptions): Promise<HoldEvidence>;
}

const LIMIT_MS = 30_000;

/**
 * Shows with the real Claude Code whether a Stop is held in this project. Touches none of your files, sessions and loops, asks
 * no account and no network, and leaves nothing behind. Never throws.
 */
export async function proveHeld(options: ProveOptions): Promise<HoldProof> {
  const { project, env } = options;
  const state = hooksStateOf(project, env);
  const search = defined({ searchPath: env.PATH });
  const claude = findClaude(options.claude, search);
  if (!claude) return { outcome: 'unproven', cause: 'no_client', why: missingClient(options.claude) };
  const refusal = variableRefusal(state) ?? managedRefusal(state, options.managed);
  if (refusal) return refusal;
  const measure = options.measure ?? (async (asked) => (await loadDev()).measureHold(asked));
  try {
    const evidence = await measure({
      project,
      claude: claude.path,
      env,
      untildoneHome: homeRoot(env),
      claudeConfigDir: claudeConfigDir(env),
      plugin: ourPlugin({ project, claudeConfigDir: claudeConfigDir(env) })?.folder,
      limitMs: options.limitMs ?? LIMIT_MS,
      signal: options.signal ?? new AbortController().signal,
    });
    const { clientVersion: version, ms } = evidence;
    return {
      ...proofFrom(evidence, state, filesWithHooks(project, env)),
      client: { ...claude, version },
      ms,
    };
  } catch (error) {
    return {
      outcome: 'unproven',
      cause: 'no_room',
      why: `the proof could not begin: ${(error as Error).message}`,
    };
  }
}

type Finding = { outcome: 'held' } | { outcome: 'not_held' | 'unproven'; cause: ProofCause; why: string };

/** What the evidence shows. `files` are the settings files that name our hooks. */
export function proofFrom(evidence: HoldEvidence, state: HooksState, files: readonly string[]): Finding {
  const { end, asked, reached, letGo, hookRan, told } = evidence;
  if (reached && letGo) return { outcome: 'held' };
  if (end === 'called_off') return unproven('interrupted', 'the proof was interrupted');
  if (!asked && end === 'ended') return withoutAsking(evidence);
  if (end === 'timed_out') return unproven('timed_out', timedOut(evidence));
  if (reached)
    return unproven(
      'client_failed',
      `the Stop was held, but the session did not end after it${said(evidence)}`,
    );
  if (!state.held) return notHeld(state.obstacle, state.why);
  const own = told.find((text) => text.startsWith('untildone: '));
  if (hookRan || own !== undefined)
    return notHeld(
      'hook_failed',
      `the hook ran, but did not hold the Stop${own === undefined ? said(evidence) : `: ${oneLine(own.slice('untildone: '.length), SHOWN)}`}`,
    );
  if (isOld(evidence.clientVersion))
    return notHeld(
      'client_too_old',
      `Claude Code ${evidence.clientVersion} ran no hook: it does not know all of their events, and then takes none of them; ` +
        `update it to ${FIRST_TO_HOLD} or newer, with: claude update`,
    );
  return notHeld('settings_not_read', unread(files));
}

const SHOWN = 400;

function notHeld(cause: ProofCause, why: string): Finding {
  return { outcome: 'not_held', cause, why };
}

function unproven(cause: ProofCause, why: string): Finding {
  return { outcome: 'unproven', cause, why };
}

function withoutAsking(evidence: HoldEvidence): Finding {
  const old =
    /unknown option|unrecognized (?:option|argument)/i.test(evidence.stderr) || isOld(evidence.clientVersion);
  return old
    ? unproven(
        'client_too_old',
        `this Claude Code is too old for the proof; update it, with: claude update${said(evidence)}`,
      )
    : unproven(
        'client_failed',
        `Claude Code ended before it asked the model (exit code ${evidence.exitCode ?? 'none'})${said(evidence)}`,
      );
}

function timedOut({ asked, reached, ms }: HoldEvidence): string {
  const seconds = Math.round(ms / 1000);
  const until = reached
    ? 'The Stop was held, but the session did not end.'
    : asked
      ? 'A hook, or Claude Code, did not come to an end.'
      : 'Claude Code did not come to its first question.';
  return `the proof took longer than ${seconds} s and was ended. ${until} Try it again when this machine has less to do`;
}

/** The last words of Claude Code, for the end of a sentence. */
function said({ stderr, told }: HoldEvidence): string {
  const words = stderr || told.at(-1) || '';
  return words === '' ? '' : `: ${oneLine(words, SHOWN)}`;
}

/** Unknown versions are not old. */
function isOld(version: string): boolean {
  return version !== '' && newerThan(FIRST_TO_HOLD, version);
}

function unread(files: readonly string[]): string {
  const where = files.length === 0 ? 'the settings' : files.join(' and ');
  return (
    `Claude Code took no hook from ${where}. One value of a wrong form makes it ignore the whole file: /doctor in Claude Code ` +
    'names it; correct it'
  );
}

function missingClient(given: string | undefined): string {
  return given === undefined
    ? 'no Claude Code was found on PATH; install it (npm install -g @anthropic-ai/claude-code)'
    : `${given} is not a program that can be started; name that of Claude Code`;
}

/** A variable that chooses what hooks run is left out of the proof, which would then show something else. */
function variableRefusal(state: HooksState): HoldProof | undefined {
  if (state.held || state.obstacle !== 'settings_variable') return undefined;
  return { outcome: 'not_held', cause: state.obstacle, why: state.why };
}

/** Claude Code always reads what an organization manages, so nothing is started where that reaches a service. */
function managedRefusal(state: HooksState, folder: string | undefined): HoldProof | undefined {
  for (const { path, settings } of managedSettings(folder)) {
    const what = reachesOut({ ...settings });
    if (what === undefined) continue;
    if (!state.held) return { outcome: 'not_held', cause: state.obstacle, why: state.why };
    const why = `${path}, which your organization manages, sets ${what}: a session would run or reach that, so none was tried`;
    return { outcome: 'unproven', cause: 'managed_policy', why };
  }
  return undefined;
}

function filesWithHooks(project: string, env: NodeJS.ProcessEnv): string[] {
  const places = { project, claudeConfigDir: claudeConfigDir(env) };
  return SCOPES.map((scope) => settingsPath(scope, places)).filter(
    (path) => ourHooksIn(parsedSettings(textAt(path))).length > 0,
  );
}

function textAt(path: string): string {
  try {
    return readSmall(path) ?? '';
  } catch {
    return '';
  }
}
