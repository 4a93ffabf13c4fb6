/** What was asked of runs on this page. A request counts as taken when the journal of its run says so. */
import { hasEnded, type LoopState } from '../../../../engine/core/loop/state.ts';
import type { JobView, RunCommand } from '../../../../engine/ports/fleet.ts';
import type { RequestView } from '../../view/overview-types.ts';

const KEPT = 20;
const SKEW_MS = 120_000;

interface Kept {
  view: RequestView;
  /** The question or the gate that it is about. */
  about?: string;
}

export class RunRequests {
  private readonly kept = new Map<string, Kept[]>();
  /** Places of lines count from 0: these are none. */
  private place = 0;

  add(
    run: string,
    action: RequestView['action'],
    words: string,
    command: Partial<RunCommand>,
    at: number,
  ): RequestView {
    const { about, text: note } = command;
    const view: RequestView = {
      place: --this.place,
      action,
      words,
      at,
      state: 'requested',
      takenBy: 'the worker of its run',
      ...(note === undefined || action === 'answer' ? {} : { note }),
    };
    this.kept.set(
      run,
      [{ view, ...(about === undefined ? {} : { about }) }, ...(this.kept.get(run) ?? [])].slice(0, KEPT),
    );
    return view;
  }

  open(run: string): string[] {
    return (this.kept.get(run) ?? []).flatMap(({ view }) =>
      view.state === 'requested' ? [view.action] : [],
    );
  }

  /** Those of this page first; what they became in the journal is not said twice. */
  merged(run: string, inJournal: readonly RequestView[]): RequestView[] {
    const own = (this.kept.get(run) ?? []).map(({ view }) => view);
    const isOwn = ({ action, at }: RequestView) =>
      own.some((each) => each.action === action && each.takenAt !== undefined && near(at, each));
    return [...own, ...inJournal.filter((each) => !isOwn(each))].sort((a, b) => b.at - a.at);
  }

  /** Returns those that were taken since the last look. */
  look(run: string, state: LoopState | undefined, job: JobView | undefined, now: number): RequestView[] {
    const taken: RequestView[] = [];
    for (const each of this.kept.get(run) ?? []) {
      if (each.view.state === 'taken' || !isTaken(each, state, job)) continue;
      each.view = { ...each.view, state: 'taken', takenAt: now };
      taken.push(each.view);
    }
    return taken;
  }

  runs(): string[] {
    return [...this.kept.keys()];
  }
}

function near(at: number, { at: asked, takenAt = asked }: RequestView): boolean {
  return at > asked - SKEW_MS && at < takenAt + SKEW_MS;
}

function isTaken({ view, about }: Kept, state: LoopState | undefined, job: JobView | undefined): boolean {
  if (view.action === 'retry')
    return job !== undefined && (job.state === 'waiting' || job.state === 'active');
  if (job?.state === 'ended' || (state && hasEnded(state))) return true;
  if (!state) return false;
  const answered = about === undefined ? undefined : state.answers?.[about];
  switch (view.action) {
    case 'pause':
      return state.status === 'paused';
    case 'resume':
      return state.status !== 'paused';
    case 'answer':
    case 'approve':
    case 'reject':
      return answered
        ? answered.at > view.at - SKEW_MS
        : about === undefined && state.waiting?.why !== 'approval';
    default:
      return false;
  }
}
