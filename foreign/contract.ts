/** Whether a proposed contract judges what it should. */
import { parse } from 'yaml';
import type { Source } from './source.ts';

export interface Proposed {
  /** Gates that run commands, by name. */
  commands: Record<string, string>;
  /** `clean`, or `in place`. */
  room: string;
  /** What installs in the clean room. */
  setup?: string;
  hasProof: boolean;
  /** What is not as it should be; empty: the contract is right. */
  wrong: string[];
}

interface ContractText {
  room?: unknown;
  setup?: unknown;
  gates?: Record<string, { run?: unknown; differential?: unknown } | null>;
  done?: unknown;
}

export function proposedIn(
  text: string,
  { right, optional = {} }: Pick<Source, 'right' | 'optional'>,
): Proposed {
  const { room, setup, gates = {}, done } = parse(text) as ContractText;
  const judged = Array.isArray(done) ? done.map(String) : Object.keys(gates);
  const commands: Record<string, string> = {};
  for (const name of judged) {
    const command = commandOf(gates[name]?.run);
    if (command !== undefined) commands[name] = command;
  }
  const hasProof = judged.some((name) => gates[name]?.differential !== undefined);
  const installs = commandOf(setup);
  return {
    commands,
    room: room === undefined ? 'in place' : (commandOf(room) ?? 'clean'),
    ...(installs === undefined ? {} : { setup: installs }),
    hasProof,
    wrong: [...wrongIn(commands, right, optional), ...(hasProof ? [] : ['no proof'])],
  };
}

function commandOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(String).join(' && ');
  const run = (value as { run?: unknown } | null | undefined)?.run;
  return run === undefined ? undefined : commandOf(run);
}

function wrongIn(
  commands: Readonly<Record<string, string>>,
  right: Source['right'],
  optional: Source['right'],
): string[] {
  const missing = Object.keys(right).filter((name) => commands[name] === undefined);
  const known = (name: string) => right[name] ?? optional[name] ?? [];
  const other = Object.entries(commands).filter(([name, command]) => !known(name).includes(command));
  return [...missing.map((name) => `no ${name}`), ...other.map(([name, command]) => `${name}: ${command}`)];
}
