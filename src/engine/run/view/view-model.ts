/** The state of the live view, folded from the events of a run. Pure; screen.ts draws it. */

import type { Limits } from '../../core/contract/contract.ts';
import type { GateLine, LoopState } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import type { SessionHappening } from '../../ports/ports.ts';
import { harmless } from '../../terminal/text.ts';
import type { RunEvent } from '../reporter.ts';
import { actionOf, evidenceOf, isOpen } from './words.ts';

type ShownGate = Pick<GateLine, 'name' | 'class' | 'verdict' | 'summary'> & { evidence?: string };

export interface RunViewModel {
  /** Paths are shown relative to it. */
  project: string;
  loop?: string;
  task?: string;
  limits?: Limits;
  state?: LoopState;
  gates: readonly ShownGate[];
  /** The next piece of work, if a gate names one. */
  next?: string;
  context?: { tokens: number; model: string };
  /** The current action, and its start. */
  doing: { what: string; since: number };
  /** Tool calls that have not returned, the newest last. */
  calls: readonly { tool: string; what: string; since: number }[];
  /** Without a time, the run waits for you. */
  waiting?: { until?: number; why: string };
  /** The children at work, by their piece. */
  children: ReadonlyMap<string, RunViewModel>;
}

export function emptyViewModel(project: string, now: number): RunViewModel {
  const doing = { what: 'beginning', since: now };
  return { project, gates: [], doing, calls: [], children: new Map() };
}

export function withBeginning(
  view: RunViewModel,
  begun: { loop: string; task: string; baseline: readonly Verdict[]; limits?: Limits },
): RunViewModel {
  const { loop, task, baseline, limits } = begun;
  const gates = baseline.map((v) => ({
    name: v.gate,
    class: v.class,
    verdict: v.outcome,
    summary: v.summary,
  }));
  return {
    ...withGates(view, gates, baseline),
    loop,
    task: harmless(task),
    ...(limits ? { limits } : {}),
  };
}

export function withEvent(view: RunViewModel, event: RunEvent, now: number): RunViewModel {
  const known = 'state' in event ? { ...view, state: event.state, loop: event.state.loop } : view;
  switch (event.type) {
    case 'session':
      return withSession(known, event, now);
    case 'happening':
      return withHappening(view, event.happening, now);
    case 'judging':
      return busy(view, 'judging the work', now);
    case 'stop': {
      const judged = withGates(known, event.state.gates, event.verdicts ?? []);
      return busy(judged, event.answer === 'refuse' ? 'thinking' : 'the session ends', now);
    }
    case 'session_ended':
      return busy(known, 'between sessions', now);
    case 'waiting':
      return {
        ...busy(view, 'waiting', now),
        waiting: { until: event.until, why: harmless(event.why) },
      };
    case 'child':
      return withChild(known, event, now);
    case 'warning':
    case 'paused':
    case 'ended':
      return known;
  }
}

function withSession(
  view: RunViewModel,
  { resume, state }: Extract<RunEvent, { type: 'session' }>,
  now: number,
): RunViewModel {
  const begun = resume ? view : freshSession(view);
  const gated = begun.gates.length > 0 ? begun : withGates(begun, state.gates, []);
  return busy(gated, 'starting Claude Code', now);
}

function withChild(
  view: RunViewModel,
  { child, change, text }: Extract<RunEvent, { type: 'child' }>,
  now: number,
): RunViewModel {
  const children = new Map(view.children);
  if (change === 'begun' || change === 'goes_on')
    children.set(child.piece, {
      ...emptyViewModel(view.project, now),
      loop: child.loop,
      task: harmless(text),
    });
  else children.delete(child.piece);
  const what = children.size === 0 ? 'no child is at work' : `children at work: ${children.size}`;
  return busy({ ...view, children }, what, now);
}

/** Applies an event of a child. */
export function withChildEvent(
  view: RunViewModel,
  piece: string,
  event: RunEvent,
  now: number,
): RunViewModel {
  const before = view.children.get(piece);
  if (!before) return view;
  return { ...view, children: new Map(view.children).set(piece, withEvent(before, event, now)) };
}

function freshSession(view: RunViewModel): RunViewModel {
  const { context: _, ...rest } = view;
  return rest;
}

/** Another action begins: no tool call is open, and the wait is over. */
function busy(view: RunViewModel, what: string, since: number): RunViewModel {
  const { waiting: _, ...rest } = view;
  return { ...rest, calls: [], doing: { what, since } };
}

const REMEMBERED_CALLS = 20;

function withHappening(view: RunViewModel, happening: SessionHappening, now: number): RunViewModel {
  switch (happening.kind) {
    case 'began':
      return busy(view, 'thinking', now);
    case 'said':
      return withoutWait({ ...view, doing: { what: 'thinking', since: now } });
    case 'called': {
      const { tool, input } = happening;
      const call = { tool, what: actionOf(tool, input, view.project), since: now };
      return withoutWait({ ...view, calls: [...view.calls, call].slice(-REMEMBERED_CALLS) });
    }
    case 'returned': {
      const at = view.calls.findIndex((call) => call.tool === happening.tool);
      const calls = view.calls.filter((_, index) => index !== at);
      return withoutWait({ ...view, calls, doing: { what: 'thinking', since: now } });
    }
    case 'retry': {
      const why = `the API call failed (${harmless(happening.why)}), attempt ${happening.attempt}`;
      return { ...view, waiting: { until: now + happening.delayMs, why } };
    }
    case 'usage': {
      const { contextTokens: tokens, model } = happening;
      return withoutWait({ ...view, context: { tokens, model: harmless(model) } });
    }
    case 'compacted': {
      const { context: _, ...rest } = view;
      return rest;
    }
    case 'limit':
    case 'told':
    case 'denied':
      return view;
  }
}

function withoutWait({ waiting: _, ...rest }: RunViewModel): RunViewModel {
  return rest;
}

function withGates(
  view: RunViewModel,
  gates: readonly ShownGate[],
  verdicts: readonly Verdict[],
): RunViewModel {
  const { next: _, ...rest } = view;
  const next = nextOf(gates, verdicts);
  return {
    ...rest,
    gates: gates.map(({ name, class: evidenceClass, verdict, summary }) => {
      const evidence = isOpen({ verdict }) ? evidenceOf(verdicts, name) : undefined;
      return {
        name: harmless(name),
        class: evidenceClass,
        verdict,
        summary: harmless(summary),
        evidence,
      };
    }),
    next,
  };
}

/** The next piece of work. Gates of lists (features, checklists, tasks) name it in their summary. */
function nextOf(gates: readonly ShownGate[], verdicts: readonly Verdict[]): string | undefined {
  for (const { verdict, summary } of gates) {
    const named = isOpen({ verdict }) ? /(?:^|; )next: (.+)$/.exec(summary)?.[1] : undefined;
    if (named !== undefined) return harmless(named);
  }
  const instruction = verdicts.find((v) => isOpen({ verdict: v.outcome }) && v.next)?.next;
  return instruction === undefined ? undefined : harmless(instruction.split('\n', 1)[0] ?? '');
}
