/**
 * Runs that begin again and again. A schedule is on the queue, and on the remote of its repository, from where `reconcile`
 * brings it back. Workers submit what is due: the key is made of the schedule and the time, so twice is once.
 */
import { isDeepStrictEqual } from 'node:util';
import { dueTime, type When } from '../../engine/core/fleet/when.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { hmacSha256, sha256 } from '../../engine/files/digest.ts';
import { sealedJson, unsealedJson } from '../../engine/home/layout.ts';
import type { Schedule } from '../../engine/ports/fleet.ts';
import type { RemoteRuns } from '../remote/remote-runs.ts';
import type { Fleet } from './fleet.ts';
import { planRuns, type RunsPlan } from './plan.ts';
import { knownRepos, rememberRepo } from './repos.ts';
import type { SubmitRequest } from './request.ts';
import { type Submission, submit } from './submit.ts';

interface Template {
  v: 1;
  id: string;
  when: When;
  request: SubmitRequest;
}

function keyOfSchedule(id: string, secret: string): string {
  return hmacSha256(secret, `key of schedule ${id}`);
}

export function sealTemplate(template: Template, secret: string): string {
  return sealedJson(template, `schedule ${template.id}`, keyOfSchedule(template.id, secret));
}

export function readTemplate(text: string, id: string, secret: string): Template | undefined {
  const template = unsealedJson<Template>(text, `schedule ${id}`, keyOfSchedule(id, secret));
  return template?.v === 1 && template.id === id ? template : undefined;
}

/** The file of a schedule on its remote. */
const TEMPLATE_FILE = 'template';

export interface Scheduled {
  id: string;
  when: When;
  repo: string;
  next?: number;
  /** It was there already, the same. */
  known: boolean;
  plan: Pick<RunsPlan, 'runs' | 'notes' | 'commit'>;
}

/** Checks the request as if it were due now, records it on the remote, then on the queue. */
export async function scheduleRuns(
  { id, when, request }: { id: string; when: When; request: SubmitRequest },
  fleet: Fleet,
): Promise<Scheduled> {
  const { engine, secret, now } = fleet;
  if (request.key !== undefined || request.notBefore !== undefined)
    throw new UsageError('a schedule makes keys and times of its own: leave --key and --at out');
  await engine.ready();
  const plan = await planRuns(request, fleet.remoteRunsOf(request.repo), new Date(now()));
  const before = (await engine.schedules()).find((each) => each.id === id);
  const known = before !== undefined && isSame(before, { id, when, request }, secret);
  if (before && !known)
    throw new UsageError(
      `there is a schedule ${id} already, for something else: choose another --name, or end that one: untildone fleet unschedule ${id}`,
    );
  const template = known ? before.template : sealTemplate({ v: 1, id, when, request }, secret);
  rememberRepo(fleet.home, request.repo);
  await fleet.schedulesAt(request.repo).put(id, { [TEMPLATE_FILE]: Buffer.from(template) });
  await engine.schedule({ id, when, template });
  const next = (await engine.schedules()).find((each) => each.id === id)?.next;
  return { id, when, repo: request.repo, known, plan, ...(next === undefined ? {} : { next }) };
}

function isSame(before: Schedule, { id, when, request }: Omit<Template, 'v'>, secret: string): boolean {
  const template = readTemplate(before.template, id, secret);
  return template !== undefined && isDeepStrictEqual([template.when, template.request], [when, request]);
}

/** What a worker does with a schedule whose time has come. */
export async function submitFromTemplate(
  { id, at, template: text }: { id: string; at: number; template: string },
  fleet: Fleet,
): Promise<Submission> {
  const template = readTemplate(text, id, fleet.secret);
  if (!template)
    throw new UsageError(
      `schedule ${id} does not have the seal of this fleet: it was made with another secret than this machine has, or by somebody who can write to the queue`,
    );
  const due = dueTime(template.when, at, fleet.now());
  if (due === undefined)
    throw new UsageError(
      `${Number.isFinite(at) ? new Date(at).toISOString() : at} is no time at which schedule ${id} is due now`,
    );
  const onRemote = await fleet.schedulesAt(template.request.repo).all();
  if (onRemote.get(id)?.[TEMPLATE_FILE]?.toString('utf8') !== text)
    throw new UsageError(
      `${template.request.repo} does not have this schedule, so it was ended or replaced: untildone fleet unschedule ${id} takes it from the queue, too`,
    );
  const key = `schedule ${id} ${new Date(due).toISOString()}`;
  return submit({ ...template.request, key, schedule: id }, fleet);
}

export interface KnownSchedule extends Schedule {
  about?: { repo: string; title: string };
}

export async function listSchedules(fleet: Fleet): Promise<KnownSchedule[]> {
  await fleet.engine.ready();
  const schedules = await fleet.engine.schedules();
  return schedules.map((schedule) => {
    const request = readTemplate(schedule.template, schedule.id, fleet.secret)?.request;
    if (!request) return schedule;
    const title = oneLine(request.task || `the features of ${request.features ?? 'the contract'}`, 120);
    return { ...schedule, about: { repo: request.repo, title } };
  });
}

/** Ends a schedule: on its remote first, so that `reconcile` does not bring it back. */
export async function unschedule(id: string, fleet: Fleet): Promise<{ id: string; repos: string[] }> {
  const schedules = await listSchedules(fleet);
  const found = schedules.find((schedule) => schedule.id === id);
  const repos = found?.about ? [found.about.repo] : knownRepos(fleet.home);
  const removed: string[] = [];
  for (const repo of repos) if (await fleet.schedulesAt(repo).remove(id)) removed.push(repo);
  if (!(await fleet.engine.unschedule(id)) && removed.length === 0) {
    const there = schedules.map((schedule) => schedule.id);
    throw new UsageError(
      `there is no schedule ${id}${there.length === 0 ? '' : `; there are: ${there.join(', ')}`}`,
    );
  }
  return { id, repos: removed };
}

/** Puts schedules of a remote on the queue that are not there. Returns their names. */
export async function restoreSchedules(
  remoteRuns: RemoteRuns,
  dryRun: boolean,
  fleet: Fleet,
): Promise<string[]> {
  const known = new Set((await fleet.engine.schedules()).map(({ id }) => id));
  const restored: string[] = [];
  for (const [id, files] of await fleet.schedulesAt(remoteRuns.repo).all()) {
    const text = files[TEMPLATE_FILE]?.toString('utf8') ?? '';
    const template = readTemplate(text, id, fleet.secret);
    if (!template || known.has(id)) continue;
    if (!dryRun) await fleet.engine.schedule({ id, when: template.when, template: text });
    restored.push(id);
  }
  return restored;
}

/** The name of a schedule that nobody named: the same for the same thing. */
export function scheduleIdOf(request: SubmitRequest, when: When): string {
  return `s-${sha256(JSON.stringify([request.repo, request.task, request.features, request.folder, when])).slice(0, 10)}`;
}
