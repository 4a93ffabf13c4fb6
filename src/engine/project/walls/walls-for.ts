/** Which walls a contract gets on this machine. */
import type { SandboxRule } from '../../core/contract/contract.ts';
import { asksForSandbox, type SessionSandbox } from '../../core/run/client-sandbox.ts';
import { bubblewrap, programOn } from './bubblewrap.ts';
import { sandboxExec } from './sandbox-exec.ts';
import { secretsFromAgent, secretsOf } from './secrets.ts';
import { type Enclosure, type Walls, type WallsProblem, wallsName } from './walls.ts';

export interface FoundWalls {
  walls?: Enclosure;
  /** Why there are none although the contract asks for some, and what to do. */
  problem?: string;
}

/** Nothing for a contract that asks for no walls. Walls are tried once in a process. */
export function wallsFor(
  sandbox: SandboxRule | undefined,
  { env, untildoneHome }: { env: NodeJS.ProcessEnv; untildoneHome: string },
): FoundWalls {
  if (!sandbox || sandbox.choice === 'off') return {};
  const walls = wallsOfMachine(env.PATH ?? '');
  if ('problem' in walls) return walls;
  return { walls: { walls, hidden: secretsOf(env, untildoneHome), network: sandbox.network === true } };
}

/** Claude Code's sandbox for the shell of the agent; undefined for a contract that asks for no walls. */
export function sessionSandbox(
  sandbox: SandboxRule | undefined,
  { env, untildoneHome }: { env: NodeJS.ProcessEnv; untildoneHome: string },
): SessionSandbox | undefined {
  if (!asksForSandbox(sandbox)) return undefined;
  const { choice, network = false } = sandbox;
  return { choice, network, hidden: secretsFromAgent(env, untildoneHome) };
}

/** Why Claude Code's sandbox would not start on this machine; undefined when it would. */
export function sandboxProblem(env: NodeJS.ProcessEnv): string | undefined {
  const path = env.PATH ?? '';
  const walls = wallsOfMachine(path);
  if ('problem' in walls) return walls.problem;
  const socat = process.platform === 'linux' ? programOn(path, 'socat') : '';
  return typeof socat === 'string' ? undefined : socat.problem;
}

/** The same by name, for people. */
export function wallsOnMachine(...asked: Parameters<typeof wallsFor>): { name?: string; problem?: string } {
  const { walls, problem } = wallsFor(...asked);
  return { name: walls && wallsName(walls), problem };
}

const tried = new Map<string, Walls | WallsProblem>();

/** The walls of this machine, or why there are none. */
export function wallsOfMachine(path: string): Walls | WallsProblem {
  const known = tried.get(path);
  if (known) return known;
  const found = wallsOfPlatform(process.platform, path);
  tried.set(path, found);
  return found;
}

function wallsOfPlatform(platform: NodeJS.Platform, path: string): Walls | WallsProblem {
  if (platform === 'linux') return bubblewrap(path);
  if (platform === 'darwin') return sandboxExec();
  return { problem: `there are no walls for ${platform}: use Linux, macOS or WSL` };
}
