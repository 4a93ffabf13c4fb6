import type { GateTraits } from '../../core/contract/gate-traits.ts';

/** A setup of the clean room, and one run. */
const RUN_MS = 20 * 60_000;

export const holdoutTraits = {
  kind: 'holdout',
  class: 'measured',
  late: true,
  opensRooms: true,
  isReusable: () => true,
  waitMs: () => RUN_MS,
  passesWhen: () => 'the held-out tests pass; only the user can see them, so do what the task asks for',
} as const satisfies GateTraits<'holdout'>;
