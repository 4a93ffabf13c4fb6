import type { SandboxRule } from '../contract/contract.ts';

/** The walls that a contract gets on this machine, in one line; undefined for a contract that asks for none. */
export function wallsWords(
  sandbox: SandboxRule | undefined,
  { name, problem }: { name?: string; problem?: string },
): string | undefined {
  if (!sandbox || sandbox.choice === 'off') return undefined;
  const asked = `sandbox: ${sandbox.choice}`;
  if (name !== undefined) return `${name} (${asked})`;
  const then = sandbox.choice === 'required' ? 'nothing is judged until then' : 'commands run without';
  return `NONE (${asked}): ${problem ?? 'none were found'}; ${then}`;
}
