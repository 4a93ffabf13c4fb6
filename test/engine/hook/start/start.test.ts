import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../src/engine/core/contract/contract.ts';
import { homeAt } from '../../../../src/engine/home/layout.ts';
import { planLoop } from '../../../../src/engine/hook/start/start.ts';
import type { ProjectPorts } from '../../../../src/engine/hook/wiring/project-ports.ts';

test('a limit that is not given is that of the contract, or the default', () => {
  const world = { clock: { now: () => 0 }, env: {}, home: homeAt('/nowhere') } as never as ProjectPorts;
  const given = { task: 'x', session: 's1', project: '/nowhere/project', promise: 'DONE' };
  const limits = { costUsd: undefined, tokens: 5, context: undefined };
  const { contract } = planLoop({ ...given, limits }, world, () => undefined);
  expect(contract.limits).toStrictEqual({ ...DEFAULT_LIMITS, tokens: 5 });
});
