/** Claude Code's own sandbox, as a contract asks for it: walls around the shell of the agent. */
import type { SandboxRule } from '../contract/contract.ts';

/** Which sandbox a session gets. */
export interface SessionSandbox {
  choice: 'required' | 'preferred';
  /** Files and folders that the shell does not see, and that file tools neither read nor write. */
  hidden: readonly string[];
  network: boolean;
}

/** The part of Claude Code's settings that is about its sandbox, in its own spelling. */
export interface ClientSandbox {
  enabled: true;
  failIfUnavailable: boolean;
  autoAllowBashIfSandboxed: boolean;
  allowUnsandboxedCommands: false;
  filesystem: { denyRead: string[]; denyWrite: string[]; [other: string]: unknown };
  network?: { allowedDomains: string[]; [other: string]: unknown };
  [other: string]: unknown;
}

export function asksForSandbox(
  rule: SandboxRule | undefined,
): rule is SandboxRule & Pick<SessionSandbox, 'choice'> {
  return rule !== undefined && rule.choice !== 'off';
}

/**
 * What Claude Code is told. `given` is what you say about its sandbox yourself: it may open the network, and may let
 * commands run unasked, but it cannot take down a wall. Without that, walls allow nothing that was not allowed before.
 */
export function clientSandbox(
  { choice, hidden, network }: SessionSandbox,
  given: Readonly<Record<string, unknown>> = {},
): ClientSandbox {
  const { excludedCommands: _, ...rest } = given;
  const { disabled: __, ...files } = objectOr(given.filesystem);
  const domains = listOr(objectOr(given.network).allowedDomains);
  const open = network ? [...domains, '*'] : domains;
  return {
    ...rest,
    enabled: true,
    failIfUnavailable: choice === 'required' || given.failIfUnavailable === true,
    autoAllowBashIfSandboxed: given.autoAllowBashIfSandboxed === true,
    allowUnsandboxedCommands: false,
    filesystem: {
      ...files,
      denyRead: [...new Set([...listOr(files.denyRead), ...hidden])],
      denyWrite: [...new Set([...listOr(files.denyWrite), ...hidden])],
    },
    ...(open.length === 0 && given.network === undefined
      ? {}
      : { network: { ...objectOr(given.network), allowedDomains: open } }),
  };
}

/** Permission rules against file tools, which the sandbox does not hold. Paths from the root begin with two slashes. */
export function fileToolDenials(hidden: readonly string[]): string[] {
  return hidden
    .flatMap((path) => [path, `${path}/**`])
    .flatMap((path) => [`Read(/${path})`, `Edit(/${path})`]);
}

function objectOr(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function listOr(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}
