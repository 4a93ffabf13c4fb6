import { type Contract, type GateSpec, isCombination } from '../contract/contract.ts';
import type { Chunk } from '../contract/gate-options.ts';
import { globMatches } from '../text/globs.ts';
import type { HookEvent } from './event.ts';

export interface GateCall {
  name: string;
  spec: GateSpec;
  /** The gates that `all` and `any` are made of; of `chunks`, each of them. */
  children?: GateCall[];
}

/** The gates for this event, in the order of the contract. */
export function planGates(event: HookEvent, contract: Contract): GateCall[] {
  return callsFor(gateNames(event, contract), contract);
}

export function callsFor(names: readonly string[], contract: Contract): GateCall[] {
  return names.flatMap((name) => callOf(name, contract, []));
}

function gateNames(event: HookEvent, contract: Contract): readonly string[] {
  switch (event.name) {
    case 'Stop':
      // Standing gates hold a loop, too.
      return [...new Set([...contract.done, ...(contract.everyStop?.gates ?? [])])];
    case 'SubagentStart':
    case 'SubagentStop':
      return subagentGates(event.agentType ?? '', contract.subagent ?? {});
    case 'TaskCreated':
      return contract.taskCreated ?? [];
    case 'TaskCompleted':
      return contract.taskDone ?? [];
    case 'TeammateIdle':
      return contract.teammate ?? [];
    case 'UserPromptSubmit':
      return contract.prompt?.gates ?? [];
    default:
      return [];
  }
}

/** The gates of all patterns that fit the type of a subagent. A compaction has no type and is not judged. */
function subagentGates(agentType: string, subagent: Record<string, string[]>): string[] {
  if (agentType === '') return [];
  const fitting = Object.entries(subagent).filter(([pattern]) => globMatches(pattern, agentType));
  return [...new Set(fitting.flatMap(([, gates]) => gates))];
}

/** Leaves out a gate that names itself, however deep. The parser refuses it, but a damaged contract may hold one. */
function callOf(name: string, contract: Contract, above: readonly string[]): GateCall[] {
  const spec = contract.gates[name];
  if (!spec || above.includes(name)) return [];
  if (spec.kind === 'chunks')
    return [
      {
        name,
        spec,
        children: spec.options.chunks.map((chunk) => chunkCall(chunk, contract, [...above, name])),
      },
    ];
  if (!isCombination(spec)) return [{ name, spec }];
  const children = spec.options.gates.flatMap((child) => callOf(child, contract, [...above, name]));
  return [{ name, spec, children }];
}

/** A chunk passes when all of its gates do. */
function chunkCall(chunk: Chunk, contract: Contract, above: readonly string[]): GateCall {
  const children = chunk.gates.flatMap((gate) => callOf(gate, contract, above));
  return { name: chunk.name, spec: { kind: 'all', options: { gates: chunk.gates } }, children };
}

/** The gates of all calls, by name, with those that others are made of. */
export function specsOf(calls: readonly GateCall[]): Map<string, GateSpec> {
  const specs = new Map<string, GateSpec>();
  const visit = (call: GateCall) => {
    specs.set(call.name, call.spec);
    call.children?.forEach(visit);
  };
  calls.forEach(visit);
  return specs;
}
