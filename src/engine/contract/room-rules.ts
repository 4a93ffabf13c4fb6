/** `room`, `setup`, `needs`, `pass_env`, `sandbox` and `network` of a contract: where commands of gates run. */
import * as z from 'zod';
import { ROOM_CHOICES, type RoomRule, SANDBOX_CHOICES, type SandboxRule } from '../core/contract/contract.ts';
import { flag, listOf, pathOf } from '../schema/values.ts';
import { oneOf, say } from '../schema/words.ts';
import { setup } from './run-rules.ts';

const NEEDS = 'needs: [.env.test]';
const PASS_ENV = 'pass_env: [DATABASE_URL]';
const variable = say('a variable name of letters, digits and "_"', PASS_ENV);

/** Keys of the contract's root. */
export const roomKeys = {
  room: oneOf(ROOM_CHOICES, 'room: clean')
    .describe(
      'Where commands of gates run. clean: in a fresh copy of the tree, outside of the project. project (default): in the folder in which the agent works.',
    )
    .exactOptional(),
  setup: setup
    .describe(
      'Prepares a clean room, and a fresh worktree of a run: npm ci. Made once for the content of `inputs`. as_found: the dependencies as they lay in the project when the loop began.',
    )
    .exactOptional(),
  needs: listOf(pathOf('a file', NEEDS), 'file', NEEDS)
    .describe('Files that git ignores and that commands in a clean room need, as they are at the start.')
    .exactOptional(),
  pass_env: listOf(z.string(variable).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, variable), 'variable', PASS_ENV)
    .describe('Variables that may hold secrets and that commands in a clean room need.')
    .exactOptional(),
  sandbox: oneOf(SANDBOX_CHOICES, 'sandbox: preferred')
    .describe(
      'Walls around commands of gates and the shell of runs. required: nothing runs without. preferred: where there are any. off (default).',
    )
    .exactOptional(),
  network: flag('network: true')
    .describe('Whether commands of gates reach the network inside walls (default false).')
    .exactOptional(),
};

interface Written {
  room?: RoomRule['choice'];
  setup?: RoomRule['setup'];
  needs?: string[];
  pass_env?: string[];
  sandbox?: SandboxRule['choice'];
  network?: boolean;
}

export function roomFrom({ room, setup: made, needs, pass_env }: Written): RoomRule | undefined {
  if ([room, made, needs, pass_env].every((value) => value === undefined)) return undefined;
  return { choice: room ?? 'project', setup: made, needs, passEnv: pass_env };
}

export function sandboxFrom({ sandbox, network }: Written): SandboxRule | undefined {
  if (sandbox === undefined && network === undefined) return undefined;
  return { choice: sandbox ?? 'off', network };
}
