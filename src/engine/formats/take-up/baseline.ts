import type { HookEvent } from '../../core/loop/event.ts';
import { hasEnded } from '../../core/loop/state.ts';
import type { Ports } from '../../judging/ports.ts';
import type { Baseline } from '../../ports/ports.ts';
import type { ForeignPorts, ForeignStateSeen } from './ports.ts';

/** A baseline that no loop began from is taken anew when a prompt finds it this old. */
const LIFE_MS = 24 * 3_600_000;
/** How often reading the tree is begun. In a project that is too large, every event would be killed by its time limit. */
const MOST_TRIES = 3;

/** Events after which no work follows, or whose hook is not waited for. */
const TOO_LATE = new Set<HookEvent['name']>(['SessionEnd', 'StopFailure']);

/**
 * Keeps where the project stands at the first sign of a session, for a loop that may be taken up later. Takes nothing up:
 * the states may belong to another session. Does so only where a contract is trusted, because nothing else compares trees.
 * `states`: the paths of those that this session may come to own. Never throws.
 */
export async function keepBaseline(
  event: HookEvent,
  states: readonly string[],
  foreign: ForeignPorts,
  ports: Ports,
): Promise<void> {
  try {
    const project = ports.projectOf(event);
    const before = foreign.baselines.of(project, event.session);
    const unseen = states.filter((path) => !before?.states.includes(path));
    if (before && isCurrent(before, event, unseen, foreign, ports)) {
      if (unseen.length > 0) change((now) => now && { ...now, states: [...now.states, ...unseen] });
      return;
    }
    if (TOO_LATE.has(event.name)) return;
    const { contract } = await foreign.approved(project);
    if (!contract) return;
    const tries = before && before.tree === undefined ? before.tries + 1 : 1;
    const begun: Baseline = {
      v: 1,
      session: event.session,
      at: ports.clock.now(),
      tries,
      contract: contract.frozen.fingerprint,
      states: [...(before?.states ?? []), ...unseen],
      loops: [],
    };
    // Written before the tree is read: a reading that is killed counts.
    change((now) => (isSame(now, before) ? begun : undefined));
    const base = await baseOf(project, foreign);
    // Of several hooks at once the first one wins: the others may have seen what its tool call did.
    change((now) => (now && now.tree === undefined ? { ...now, ...base } : undefined));

    function change(build: (now: Baseline | undefined) => Baseline | undefined): void {
      foreign.baselines.change(project, event.session, build);
    }
  } catch {
    // The home cannot be written. The loop is compared with the tree at its first Stop then.
  }
}

/** The tree and the commit of a project as it is now. */
export async function baseOf(
  project: string,
  { judges }: Pick<ForeignPorts, 'judges'>,
): Promise<{ tree?: string; commit?: string }> {
  const workspace = (await judges()).workspace(project);
  const tree = await workspace.tree().catch(() => undefined);
  const head = await workspace.head().catch(() => undefined);
  return { tree, commit: head?.commit };
}

/** The baseline that the loop of a state begins from; undefined where it begins from now. */
export function baselineFor(
  project: string,
  { event, path }: Pick<ForeignStateSeen, 'event' | 'path'>,
  foreign: ForeignPorts,
  ports: Ports,
): Baseline | undefined {
  const kept = foreign.baselines.of(project, event.session);
  if (!kept) return undefined;
  const unseen = kept.states.includes(path) ? [] : [path];
  return isSpent(kept, foreign, ports) || isOverdue(kept, event, unseen, ports) ? undefined : kept;
}

function isSame(a: Baseline | undefined, b: Baseline | undefined): boolean {
  return a?.at === b?.at && a?.tree === b?.tree && a?.tries === b?.tries;
}

function isCurrent(
  before: Baseline,
  event: HookEvent,
  unseen: readonly string[],
  foreign: ForeignPorts,
  ports: Ports,
): boolean {
  if (isSpent(before, foreign, ports)) return false;
  if (before.tree === undefined) return before.tries >= MOST_TRIES;
  return !isOverdue(before, event, unseen, ports);
}

/** Whether your prompt begins something new. A state that you put there between two turns begins with the prompt after it. */
function isOverdue({ at }: Baseline, event: HookEvent, unseen: readonly string[], { clock }: Ports): boolean {
  return comesFromPerson(event) && (unseen.length > 0 || clock.now() - at > LIFE_MS);
}

/** A loop that began from a baseline and ended has used it up: what comes next begins anew. */
function isSpent({ loops }: Baseline, { refOf }: ForeignPorts, ports: Ports): boolean {
  return loops.some((dir) => {
    try {
      return hasEnded(ports.store.read(refOf(dir)));
    } catch {
      return true;
    }
  });
}

/** Notices of background tasks come as prompts, too. An agent could put a state in place before one. */
function comesFromPerson(event: HookEvent): boolean {
  if (event.name === 'SessionStart') return event.source !== 'compact';
  return event.name === 'UserPromptSubmit' && !event.prompt.trimStart().startsWith('<task-notification>');
}
