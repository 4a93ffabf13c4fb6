/** The two kinds of guarded sessions: one with a loop and its journal, one without a loop and with a standing record. */

import type { FrozenContract } from '../../core/contract/contract.ts';
import { eventName, type HookEvent } from '../../core/loop/event.ts';
import { guardedAfter } from '../../core/loop/state.ts';
import { lineOf } from '../../core/loop/subagents.ts';
import { rulingContract } from '../../judging/freeze-contract.ts';
import { judgedLoop } from '../../judging/judge-loop.ts';
import type { SessionPorts } from '../../judging/ports.ts';
import type { GuardedSession } from '../../ports/guarded-session.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';
import { phaseIn } from '../stop/situation.ts';
import { subagentUsage } from '../stop/stop-facts.ts';
import { KEPT, keepStanding, noteDown } from '../unwritable-journal.ts';

/** A session that owns a loop: the journal records every event. */
export function sessionWithLoop(
  event: HookEvent,
  { ref, state }: Pick<SessionLoop, 'ref' | 'state'>,
  ports: SessionPorts,
): GuardedSession {
  const contract = ports.store.contract(ref);
  const name = eventName(event);
  return {
    contract,
    rules: () => rulingContract(ref, state, ports) !== undefined,
    isActive: state.status === 'active',
    ...phaseIn(contract.contract, state),
    keepsNotes: true,
    outputDir: ports.store.outputDir(ref),
    judged: () => judgedLoop(ref, state, ports),
    refusals: (subject) => state.guarded[subject] ?? 0,
    worktreeOf: (agent) => lineOf(state, agent)?.worktree,
    record(outcome) {
      const subagents = event.name === 'SubagentStop' ? subagentUsage(event, state, ports) : undefined;
      return noteDown(event, { ref, state }, { kind: 'guard', event: name, ...outcome, subagents }, ports);
    },
    note: (detail, options) =>
      noteDown(event, { ref, state }, { kind: 'event', event: name, detail }, ports, options).messages,
  };
}

/**
 * A session without a loop, in a project whose trusted contract guards every session. Its standing record holds only
 * counts, and is written when a count changes.
 */
export function sessionWithoutLoop(
  event: HookEvent,
  contract: FrozenContract,
  ports: SessionPorts,
): GuardedSession {
  const { project } = contract.frozen;
  const outputDir = ports.standing.outputDir(project);
  const state = () => ports.standing.read(event.session);
  return {
    contract,
    rules: () => true,
    isActive: true,
    keepsNotes: false,
    outputDir,
    judged() {
      const { baseTree } = state();
      return {
        ...contract,
        session: event.session,
        task: contract.contract.task ?? '',
        outputDir,
        base: baseTree === undefined ? {} : { tree: baseTree },
        allowed: [],
        cache: ports.standing.cache(project),
      };
    },
    refusals: (subject) => state().guarded[subject] ?? 0,
    worktreeOf: () => undefined,
    record(outcome) {
      const before = state();
      const isNews = outcome.refused || outcome.subject in before.guarded;
      if (!isNews || outcome.verdicts.length === 0) return KEPT;
      const guarded = guardedAfter(before.guarded, outcome);
      return keepStanding(event, { ...before, guarded }, project, ports);
    },
    note: () => [],
  };
}
