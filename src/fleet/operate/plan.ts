/** From what is asked for, and what the commit holds, to the runs that are submitted. Queues nothing. */
import { contractFileOf } from '../../engine/contract/read.ts';
import { CONTRACT_FILE, type Contract } from '../../engine/core/contract/contract.ts';
import type { RunSpec } from '../../engine/core/fleet/spec.ts';
import { whatRuns } from '../../engine/core/fleet/what-runs.ts';
import { defined } from '../../engine/core/text/defined.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { type Feature, parseFeatureList } from '../../engine/gates/features/feature-list.ts';
import { checkedPromise } from '../../engine/hook/start/inputs.ts';
import { checkTask, contractOf } from '../../engine/hook/start/start.ts';
import { featureTask } from '../../engine/run/parallel/pieces.ts';
import { runIdFor } from '../names.ts';
import type { RemoteRuns } from '../remote/remote-runs.ts';
import { isLocal } from '../remote/repo-url.ts';
import type { SubmitRequest } from './request.ts';

export interface RunsPlan {
  commit: string;
  specs: RunSpec[];
  /** What the contract runs on workers. */
  runs: string[];
  /** What you should know before it begins. */
  notes: string[];
}

/** Looks at the commit on the remote, and refuses what cannot work. */
export async function planRuns(request: SubmitRequest, remoteRuns: RemoteRuns, now: Date): Promise<RunsPlan> {
  const commit = await remoteRuns.resolve(request.ref);
  const at = (path: string) => remoteRuns.fileAt(commit, inFolder(request.folder, path));
  const { contract: written, notes, file } = await writtenContract(request, at);
  const features = request.features === undefined ? undefined : await openFeatures(request.features, at);
  const task = taskOf(request, written);
  checkTask(task);
  const promise = request.promise === undefined ? undefined : checkedPromise(request.promise);
  const contract = contractOf({ ...request, promise }, written);
  const base = baseSpec({ ...request, promise, task }, commit, now);
  return {
    commit,
    specs: request.each ? eachFeature(base, request, features, now) : counted(base, request, now),
    runs: whatRuns(
      contract,
      (features?.all ?? []).flatMap(({ verify }) => verify ?? []),
    ),
    notes: [
      ...notes,
      ...heldOut(contract),
      ...withoutContract(file, promise, features),
      ...onlyHere(request),
    ],
  };
}

export function inFolder(folder: string | undefined, path: string): string {
  return folder === undefined ? path : `${folder}/${path}`;
}

interface Written {
  contract?: Contract;
  /** Its name; absent without a contract. */
  file?: string;
  notes: string[];
}

async function writtenContract(
  { contract, contractFile = 'contract', ref, folder }: SubmitRequest,
  at: (path: string) => Promise<string | undefined>,
): Promise<Written> {
  const text = contract ?? (await at(CONTRACT_FILE));
  if (text !== undefined) {
    const file = contract === undefined ? inFolder(folder, CONTRACT_FILE) : contractFile;
    const read = contractFileOf(text, file);
    return { contract: read.contract, file, notes: read.warnings };
  }
  if ((await at('untildone.yml')) !== undefined)
    throw new UsageError(
      `${inFolder(folder, 'untildone.yml')} of ${ref} is not read: a contract is called ${CONTRACT_FILE}; rename it, and push that`,
    );
  return { notes: [] };
}

interface Lists {
  all: Feature[];
  open: Feature[];
}

async function openFeatures(file: string, at: (path: string) => Promise<string | undefined>): Promise<Lists> {
  const text = await at(file);
  if (text === undefined)
    throw new UsageError(
      `there is no ${file} in that commit; a feature list has to be pushed before it is submitted`,
    );
  const list = parseFeatureList(text);
  if ('problem' in list)
    throw new UsageError(`${file}${list.line === undefined ? '' : `:${list.line}`}: ${list.problem}`);
  const open = list.features.filter(({ passes }) => !passes);
  if (open.length === 0)
    throw new UsageError(`every feature of ${file} passes already: there is nothing to do`);
  return { all: list.features, open };
}

function taskOf({ task, features }: SubmitRequest, contract: Contract | undefined): string {
  if (task.trim() !== '') return task;
  const written = contract?.task?.trim();
  if (written) return written;
  return features === undefined ? '' : `Make every feature of ${features} pass, one after the other.`;
}

function baseSpec(request: SubmitRequest, commit: string, now: Date): RunSpec {
  const { features, contractFile: _file, each: _each, count: _count, key: _key, ...same } = request;
  return {
    ...(defined(same) as typeof same),
    v: 1,
    run: '',
    commit,
    submittedAt: now.getTime(),
    ...(features === undefined ? {} : { features: { file: features } }),
  };
}

/** Ids of runs that are submitted together: each once. */
function ids(repo: string, now: Date): (key: string | undefined) => string {
  const taken = new Set<string>();
  return (key) => {
    let id = runIdFor(repo, key, now);
    while (taken.has(id) && key === undefined) id = runIdFor(repo, key, now);
    taken.add(id);
    return id;
  };
}

function counted(base: RunSpec, { key, count = 1 }: SubmitRequest, now: Date): RunSpec[] {
  const idFor = ids(base.repo, now);
  return Array.from({ length: count }, (_, index) => {
    const own = key === undefined || count === 1 ? key : `${key}-${index + 1}`;
    return { ...base, run: idFor(own), ...defined({ key: own }) };
  });
}

/** One run for each open feature, after those that it depends on; and a last one with the whole list. */
function eachFeature(
  base: RunSpec,
  { features: file, key }: SubmitRequest,
  lists: Lists | undefined,
  now: Date,
): RunSpec[] {
  if (file === undefined || !lists)
    throw new UsageError('--each makes a run of each feature: name the list with --features FILE');
  const idFor = ids(base.repo, now);
  const keyed = (name: string) => (key === undefined ? undefined : `${key}-${name}`);
  const runs = new Map(lists.open.map(({ id }) => [id, { key: keyed(id), run: idFor(keyed(id)) }]));
  refuseCircles(lists.open, file);
  const specs = lists.open.map((feature) => ({
    ...base,
    ...defined(runs.get(feature.id) ?? {}),
    task: featureTask(feature, file, base.task),
    features: { file, only: [feature.id] },
    after: [...base.after, ...feature.dependsOn.flatMap((id) => runs.get(id)?.run ?? [])],
  })) as RunSpec[];
  const last = keyed('all');
  return [
    ...specs,
    {
      ...base,
      ...defined({ key: last }),
      run: idFor(last),
      task: joinTask(file, base.task),
      features: { file },
      after: [...base.after, ...specs.map(({ run }) => run)],
    },
  ];
}

function joinTask(file: string, task: string): string {
  return [
    `Join the features of ${file}, and make all of them pass.`,
    '',
    'Each was built by a run of its own, and their branches are merged here. Resolve what does not fit together.',
    '',
    'The whole task:',
    task.trim(),
  ].join('\n');
}

function refuseCircles(features: readonly Feature[], file: string): void {
  const open = new Map(features.map((feature) => [feature.id, feature]));
  const done = new Set<string>();
  const visit = (id: string, above: readonly string[]): void => {
    if (above.includes(id))
      throw new UsageError(
        `${file}: these features wait for each other: ${[...above.slice(above.indexOf(id)), id].join(' -> ')}`,
      );
    if (done.has(id)) return;
    for (const before of open.get(id)?.dependsOn ?? []) if (open.has(before)) visit(before, [...above, id]);
    done.add(id);
  };
  for (const { id } of features) visit(id, []);
}

/** Tests that are held out lie in the home of one machine. */
function heldOut(contract: Contract): string[] {
  return Object.entries(contract.gates)
    .filter(([, { kind }]) => kind === 'holdout')
    .map(
      ([name]) =>
        `gate ${name} runs held-out tests, which lie on one machine only: on a worker it is unproven`,
    );
}

function onlyHere({ repo }: SubmitRequest): string[] {
  return isLocal(repo) ? [`${repo} is a folder of this machine: only workers on this machine reach it`] : [];
}

function withoutContract(
  file: string | undefined,
  promise: string | undefined,
  features: Lists | undefined,
): string[] {
  if (file !== undefined || features) return [];
  return [
    `there is no ${CONTRACT_FILE} in that commit: the run ends when the agent states ${promise === undefined ? 'that it is done' : `"${promise}"`}, and nothing is measured`,
  ];
}
