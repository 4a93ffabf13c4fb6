/** What a worker tells: one line an event, for people or as JSON. */
import { sayDuration } from '../../engine/core/text/duration.ts';
import { jsonText } from '../../engine/core/text/visible.ts';
import { out } from '../../engine/terminal/print.ts';
import { paint, paintStatus } from '../../engine/terminal/style.ts';

export type WorkerEvent =
  | {
      type: 'started';
      worker: string;
      version: string;
      queue: string;
      labels: string[];
      concurrency: number;
      workdir: string;
      /** Null without a health endpoint. */
      health: string | null;
      repos: string[];
    }
  | { type: 'taken'; run: string; repo: string; title: string; takes: number }
  | { type: 'iteration'; run: string; iteration: number; cost_usd: number; commit: string }
  | {
      type: 'ended';
      run: string;
      status: string;
      cause: string;
      iterations: number;
      cost_usd: number;
      branch: string | null;
    }
  /** `after_s`: null when only a command takes it out again. */
  | { type: 'put_back'; run: string; why: string; after_s: number | null; failed: boolean }
  | { type: 'dead'; run: string; why: string }
  | { type: 'lost'; run: string; why: string }
  | { type: 'note'; run: string | null; text: string }
  | { type: 'store'; reachable: boolean; text: string }
  | { type: 'draining'; why: string; waits_for: string[] }
  | { type: 'stopped'; why: string; taken: number; ended: number; put_back: number; dead: number };

export type Say = (event: WorkerEvent) => void;

/** Prints events with the time. A run that waits is put back again and again: the same reason is told once. */
export function printer(json: boolean, now: () => number): Say {
  const told = new Map<string, string>();
  return (event) => {
    if (event.type === 'put_back') {
      if (told.get(event.run) === event.why) return;
      remember(told, event.run, event.why);
    } else if ('run' in event && event.run !== null && event.type !== 'note') told.delete(event.run);
    const at = new Date(now()).toISOString();
    if (json) out(jsonText({ at, ...event }));
    else for (const line of inWords(event)) out(`${paint('quiet', at.slice(11, 19))} ${line}`);
  };
}

const MOST_TOLD = 10_000;

function remember(told: Map<string, string>, run: string, why: string): void {
  told.delete(run);
  told.set(run, why);
  const [oldest] = told.keys();
  if (told.size > MOST_TOLD && oldest !== undefined) told.delete(oldest);
}

function inWords(event: WorkerEvent): string[] {
  switch (event.type) {
    case 'started':
      return startLines(event);
    case 'taken':
      return [
        `${event.run} taken${event.takes > 1 ? ` (take ${event.takes})` : ''}: ${event.title} (${event.repo})`,
      ];
    case 'iteration':
      return [`${event.run} iteration ${event.iteration} published, ${event.cost_usd.toFixed(2)} USD so far`];
    case 'ended':
      return [
        `${event.run} ended: ${paintStatus(event.status)}${event.cause === '' ? '' : `, ${event.cause}`}`,
      ];
    case 'put_back':
      return [`${event.run} put back ${whenAgain(event.after_s)}: ${event.why}`];
    case 'dead':
      return [`${event.run} ${paint('bad', 'to the dead letters')}: ${event.why}`];
    case 'lost':
      return [`${event.run} ${paint('bad', 'lost')}: ${event.why}`];
    case 'note':
      return [event.run === null ? event.text : `${event.run} ${event.text}`];
    case 'store':
      return [paint(event.reachable ? 'good' : 'bad', event.text)];
    case 'draining':
      return [
        `draining (${event.why}): ${event.waits_for.length === 0 ? 'nothing is under way' : `waits for the iterations of ${event.waits_for.join(', ')}`}`,
      ];
    case 'stopped':
      return [
        `stopped (${event.why}): ${event.taken} taken, ${event.ended} ended, ${event.put_back} put back, ${event.dead} dead`,
      ];
  }
}

function whenAgain(seconds: number | null): string {
  if (seconds === null) return 'until you say more';
  return seconds <= 0 ? 'at once' : `for ${sayDuration(seconds * 1000)}`;
}

function startLines(event: WorkerEvent & { type: 'started' }): string[] {
  const { worker, version, queue, labels, concurrency, workdir, health, repos } = event;
  return [
    `worker ${paint('bold', worker)}, untildone ${version}`,
    `queue ${queue}; labels: ${labels.length === 0 ? 'none' : labels.join(', ')}; at most ${concurrency} ${concurrency === 1 ? 'run' : 'runs'} at a time`,
    ...(repos.length === 0 ? [] : [`only runs of: ${repos.join(', ')}`]),
    `work folder ${workdir}; health: ${health ?? 'off'}`,
  ];
}
