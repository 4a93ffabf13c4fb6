/** What `untildone fleet` prints as JSON. Fields are added, never renamed. */

import type { RunSpec } from '../../engine/core/fleet/spec.ts';
import type { JobView, RunResult, Schedule, WorkerView } from '../../engine/ports/fleet.ts';
import { type FleetFacts, isThere, whyItWaits, wordFor } from './situation.ts';

const iso = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString());

export function runView(job: JobView, facts: FleetFacts) {
  const { run, state, title, repo, labels, priority, news, result } = job;
  return {
    run,
    state,
    status: wordFor(job),
    title,
    repo,
    labels,
    priority,
    why: whyItWaits(job, facts) ?? null,
    submitted_at: iso(job.submittedAt),
    not_before: iso(job.notBefore),
    taken_at: iso(job.takenAt),
    ended_at: iso(job.endedAt),
    worker: (state === 'active' ? (job.worker ?? news?.worker) : undefined) ?? null,
    takes: job.takes,
    stalls: job.stalls,
    failures: job.failures,
    iteration: result?.iterations ?? news?.iteration ?? 0,
    cost_usd: result?.costUsd ?? news?.costUsd ?? 0,
    tokens: result?.tokens ?? news?.tokens ?? 0,
    doing: state === 'active' ? (news?.doing ?? null) : null,
    heard_at: iso(news?.at),
    refused: news?.refused
      ? { count: news.refused.count, why: news.refused.why, at: iso(news.refused.at) }
      : null,
    result: result ? resultView(result) : null,
  };
}

export type RunView = ReturnType<typeof runView>;

export function resultView({ status, cause, iterations, costUsd, tokens, branch, commit }: RunResult) {
  return {
    status,
    cause,
    iterations,
    cost_usd: costUsd,
    tokens,
    branch: branch ?? null,
    commit: commit ?? null,
  };
}

export function specView(spec: RunSpec) {
  const { ref, commit, folder, task, features, promise, mode, limits, client, after, env, attempts, key } =
    spec;
  return {
    ref,
    commit,
    folder: folder ?? null,
    task,
    after,
    env,
    attempts,
    features: features ?? null,
    contract: spec.contract === undefined ? 'untildone.yaml' : 'brought along',
    promise: promise ?? null,
    mode: mode ?? null,
    model: client.model ?? null,
    permission_mode: client.permissionMode ?? null,
    allow: client.allow ?? [],
    limits: {
      iterations: limits.iterations ?? null,
      duration_s:
        typeof limits.durationMs === 'number' ? limits.durationMs / 1000 : (limits.durationMs ?? null),
      cost_usd: limits.costUsd ?? null,
      tokens: limits.tokens ?? null,
    },
    key: key ?? null,
    schedule: spec.schedule ?? null,
    not_before: iso(spec.notBefore),
  };
}

export function workerView(worker: WorkerView, now: number) {
  const { name, host, pid, version, labels, concurrency, runs, draining, diskFree, note } = worker;
  const { withoutWalls, refused = 0 } = worker;
  return {
    name,
    host,
    pid,
    version,
    labels,
    concurrency,
    runs,
    draining,
    there: isThere(worker, now),
    started_at: iso(worker.startedAt),
    heard_at: iso(worker.at),
    disk_free: diskFree ?? null,
    note: note ?? null,
    without_walls: withoutWalls ?? null,
    refused,
  };
}

export function scheduleView({ id, when, next }: Schedule, about?: { repo: string; title: string }) {
  return {
    id,
    cron: 'cron' in when ? when.cron : null,
    every_s: 'everyMs' in when ? when.everyMs / 1000 : null,
    next: iso(next),
    repo: about?.repo ?? null,
    title: about?.title ?? null,
  };
}
