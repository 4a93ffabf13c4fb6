/** Walls around the commands of gates, as the contract asks for them. */
import type { Contract, FrozenContract, GateSpec } from '../core/contract/contract.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import type { Judges } from '../gates/gate.ts';
import { measures, traitsOf } from '../gates/traits.ts';
import type { Shell, ShellCommand } from '../ports/ports.ts';
import type { Place } from '../ports/rooms.ts';
import type { Ports } from './ports.ts';
import { commandsOf } from './verdict-reuse.ts';

/** What you have to do before commands of this contract may run; undefined when they may. */
export async function whatWallsNeed(
  contract: Contract,
  ports: Pick<Ports, 'judges'>,
): Promise<string | undefined> {
  if (contract.sandbox?.choice !== 'required' || !measures(contract)) return undefined;
  const problem = (await ports.judges(contract)).walls?.(contract.sandbox).problem;
  return problem && wordsFor(problem);
}

function wordsFor(problem: string): string {
  return `the contract requires walls (sandbox: required), and ${problem}`;
}

/** Gates whose commands may not run, because the walls that the contract requires are missing. */
export function withoutWalls(
  request: FrozenContract,
  judges: Judges,
  specs: ReadonlyMap<string, GateSpec>,
): Map<string, Verdict> {
  const { sandbox } = request.contract;
  const problem = sandbox?.choice === 'required' ? judges.walls?.(sandbox).problem : undefined;
  if (problem === undefined) return new Map();
  const refused = [...specs].filter(
    ([name, spec]) => !isOutside(spec) && commandsOf(name, spec, request, judges.gates).length > 0,
  );
  return new Map(
    refused.map(([name, { kind }]) => {
      const summary = `not run: ${wordsFor(problem)}`;
      // Whatever the contract says of unproven gates: nothing was tried.
      return [
        name,
        {
          gate: name,
          kind,
          class: 'measured',
          outcome: 'unproven',
          summary,
          fingerprint: 'walls',
          asks: problem,
        },
      ];
    }),
  );
}

/** The shell for commands of a gate in the project's own folder. */
export function shellFor(
  spec: GateSpec | undefined,
  { contract, frozen }: FrozenContract,
  judges: Judges,
): Shell {
  const { sandbox } = contract;
  if (!sandbox || sandbox.choice === 'off' || isOutside(spec)) return judges.shell;
  const place = () => asGateWants(spec, judges.inPlace(frozen.project, contract));
  return { run: (command) => place().shell.run(command) };
}

/** A place as one gate wants it: the gate may open the network. */
export function asGateWants(spec: GateSpec | undefined, place: Place): Place {
  if (spec?.network === undefined || !place.walls) return place;
  const { network } = spec;
  const say = (command: ShellCommand): ShellCommand => ({ ...command, network });
  const name = place.walls.replace(/ with network$/, '');
  return {
    ...place,
    shell: { run: (command) => place.shell.run(say(command)) },
    runTests: (command) => place.runTests(say(command)),
    walls: network ? `${name} with network` : name,
  };
}

/** Whether a gate asks a service with your login: its commands are untildone's own, and stay outside. */
function isOutside(spec: GateSpec | undefined): boolean {
  return spec !== undefined && traitsOf(spec.kind).about === 'service';
}
