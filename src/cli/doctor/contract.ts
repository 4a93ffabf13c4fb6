/** The contract of the project: whether it can be read, is trusted, and gets the walls that it asks for. */
import { join } from 'node:path';
import { readContract } from '../../engine/contract/read.ts';
import { CONTRACT_FILE, type SandboxRule } from '../../engine/core/contract/contract.ts';
import { asksForSandbox } from '../../engine/core/run/client-sandbox.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { changedSinceTrusted } from '../../engine/home/trust.ts';
import type { ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { freezeNow } from '../contract/trust.ts';
import { type Finding, found, inOrder, joinLooked, type Looked, NOTHING } from './finding.ts';

/** `sandboxProblem`: why Claude Code's sandbox, and walls, would not start on this machine. */
export async function lookAtContract(
  world: ProjectPorts,
  sandboxProblem: (env: NodeJS.ProcessEnv) => string | undefined,
): Promise<Looked> {
  const where = join(world.project, CONTRACT_FILE);
  try {
    const file = readContract(world.project);
    if (!file)
      return found({
        id: 'contract_missing',
        severity: 'note',
        what: `there is no ${CONTRACT_FILE}: loops of this project end by the word of the agent`,
        where: world.project,
        todo: 'untildone init',
      });
    const warnings = file.warnings.map(
      (what): Finding => ({
        id: 'contract_warning',
        severity: 'note',
        what,
        where,
        todo: 'look at that line',
      }),
    );
    const { sandbox } = file.contract;
    return joinLooked([
      found(...warnings),
      await lookAtTrust(file, where, world),
      lookAtSandbox(sandbox, where, asksForSandbox(sandbox) ? sandboxProblem(world.env) : undefined),
    ]);
  } catch (error) {
    return found({
      id: 'contract_broken',
      severity: 'error',
      what: `the contract cannot be read: ${oneLine((error as Error).message, 500)}`,
      where,
      todo: 'correct it; untildone verify shows whether it can be read',
    });
  }
}

type ContractFile = NonNullable<ReturnType<typeof readContract>>;

async function lookAtTrust(file: ContractFile, where: string, world: ProjectPorts): Promise<Looked> {
  const { frozen } = await freezeNow(file, world);
  if (world.store.isTrusted(world.project, frozen.fingerprint))
    return inOrder('the contract, and your trust');
  const changed = changedSinceTrusted(world.home, world.project, { contract: file.contract, frozen });
  const what =
    changed.length > 0
      ? `changed since you trusted it: ${oneLine(changed.join(', '), 300)}. Its loops are not judged`
      : 'nobody trusts it on this machine: its loops are not judged';
  return found({
    id: changed.length > 0 ? 'contract_changed' : 'contract_untrusted',
    severity: 'error',
    what,
    where,
    todo: 'look at what it runs, and trust it: untildone trust',
  });
}

function lookAtSandbox(sandbox: SandboxRule | undefined, where: string, problem: string | undefined): Looked {
  if (problem === undefined || !sandbox) return NOTHING;
  const [what, todo] = split(problem);
  return found({
    id: 'sandbox_unavailable',
    severity: sandbox.choice === 'required' ? 'error' : 'warning',
    what: `the contract asks for walls (sandbox: ${sandbox.choice}), and there are none here: ${what}`,
    where,
    todo,
  });
}

/** "What is wrong: what to do". */
function split(problem: string): [what: string, todo: string] {
  const at = problem.indexOf(': ');
  return at < 0 ? [problem, 'see docs/guides/walls.md'] : [problem.slice(0, at), problem.slice(at + 2)];
}
