/** Everything that the page of one loop shows at once. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract, SandboxRule } from '../../../engine/core/contract/contract.ts';
import { answerTo, questionsForYou } from '../../../engine/core/loop/asked.ts';
import { limitsIn, phaseOf } from '../../../engine/core/loop/phases.ts';
import { type AskedQuestion, hasEnded, isDone, type LoopState } from '../../../engine/core/loop/state.ts';
import type { Limit } from '../../../engine/core/run/option-values.ts';
import { canReopen } from '../../../engine/core/run/reopen.ts';
import { defined } from '../../../engine/core/text/defined.ts';
import { redact } from '../../../engine/core/text/redact.ts';
import { wallsWords } from '../../../engine/core/words/walls.ts';
import { readSmall } from '../../../engine/files/whole-file.ts';
import { parseFeatureList } from '../../../engine/gates/features/feature-list.ts';
import type { WallsHere } from '../../../engine/gates/gate.ts';
import type { ProjectPorts } from '../../../engine/hook/wiring/project-ports.ts';
import type { LoadedContract, LoopRef } from '../../../engine/ports/ports.ts';
import { readProjectFile } from '../../../engine/project/files.ts';
import { budgetsOf } from '../../loop/situation.ts';
import type { Board, LoopPage, QuestionView } from './loop-types.ts';
import type { OpenJournal } from './open-journal.ts';
import type { ActionName, LoopRow, Need, Problem, ProjectRow } from './overview-types.ts';
import { asRequest, type Since } from './requests.ts';

const TASK = 20_000;
const CARDS = 500;
const REQUESTS = 20;

export interface LoopParts {
  ref: LoopRef;
  row: LoopRow;
  needs: Need[];
  project: ProjectRow;
  children: LoopRow[];
  journal: OpenJournal;
  world: ProjectPorts;
  since: Since;
  now: number;
  eventId: string;
  /** The folder of its project, and what was made for it, are on another machine. */
  isElsewhere?: boolean;
  /** The walls that a contract gets on this machine. */
  wallsHere?: (sandbox: SandboxRule) => WallsHere;
}

export async function loopPage(parts: LoopParts): Promise<LoopPage> {
  const { ref, row, journal, world, now } = parts;
  const { store } = world;
  const state = store.read(ref);
  const loaded = loadedContract(ref, world);
  const contract = loaded && !('problem' in loaded) ? loaded : undefined;
  const task = redact(taskOf(ref));
  const phase = contract && phaseOf(contract.contract, state);
  const budgets =
    hasEnded(state) || !contract ? [] : budgetsOf(state, limitsIn(contract.contract.limits, phase), now);
  return {
    now,
    eventId: parts.eventId,
    row,
    project: parts.project,
    needs: parts.needs,
    children: parts.children,
    task: task.slice(0, TASK),
    ...(task.length > TASK ? { taskCut: true as const } : {}),
    gates: state.gates.map(({ name, class: evidence, verdict, summary, since, next, parts: chunks }) => ({
      name,
      class: evidence,
      verdict,
      summary,
      since,
      ...defined({ next, parts: chunks }),
    })),
    ...defined({
      board: contract && (await boardOf(contract, state, parts.isElsewhere)),
      phases: contract && phasesOf(contract.contract, state),
    }),
    questions: (state.questions ?? []).map((question) => questionView(question, state)),
    agents: (state.agents ?? []).map(({ id, type, status, begunAt, endedAt, said, failed }) => ({
      id,
      type,
      status,
      begunAt,
      ...defined({ endedAt, said, failed }),
    })),
    budgets,
    ...(contract && mayChangeLimits(state) ? { limits: limitsView(contract.contract) } : {}),
    actions: actionsFor(state, parts.needs),
    requests: requestsOf(journal, state, parts.since),
    entries: journal.entries,
    kinds: journal.kindCounts,
    strip: journal.stops.strip(),
    series: journal.stops.series(),
    ...defined({ walls: hasEnded(state) ? undefined : wallsOf(contract, parts) }),
    hasReceipt: isDone(state.status) && isFile(join(ref.dir, 'receipt.json')),
    ...(contract
      ? { contract: { sha256: contract.sha256, gates: Object.keys(contract.contract.gates).length } }
      : {}),
    problems: problemsOf(parts, state, loaded),
  };
}

function wallsOf(loaded: LoadedContract | undefined, { wallsHere }: LoopParts): string | undefined {
  const sandbox = loaded?.contract.sandbox;
  return sandbox && wallsHere && wallsWords(sandbox, wallsHere(sandbox));
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function taskOf({ dir }: LoopRef): string {
  const file = join(dir, 'task.md');
  return isFile(file) ? (readSmall(file) ?? '') : '(the task is gone)';
}

function loadedContract(ref: LoopRef, { store }: ProjectPorts): LoadedContract | { problem: string } {
  try {
    return store.contract(ref);
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function problemsOf(
  { journal, project, isElsewhere }: LoopParts,
  state: LoopState,
  loaded: LoadedContract | { problem: string },
): Problem[] {
  // That of another machine may be on its way.
  const problems: Problem[] = isElsewhere ? [] : contractProblems(state, loaded);
  if (journal.damaged > 0)
    problems.push({
      code: 'journal',
      message: `${journal.damaged} lines of its journal count for nothing: untildone did not write them, or they were cut short`,
    });
  if (state.foreignLines > 0)
    problems.push({
      code: 'journal',
      message: `${state.foreignLines} lines of its journal were added or removed by something else`,
    });
  if (project.gone) problems.push({ code: 'project', message: `its folder ${project.path} is gone` });
  return problems;
}

function contractProblems(state: LoopState, loaded: LoadedContract | { problem: string }): Problem[] {
  if ('problem' in loaded) return [{ code: 'contract', message: loaded.problem }];
  return loaded.sha256 === state.contractSha256
    ? []
    : [{ code: 'contract', message: 'its frozen contract was replaced by something else' }];
}

/** Features of a list, as the list and the last Stop say; else chunks. */
async function boardOf(
  { contract, frozen }: LoadedContract,
  state: LoopState,
  isElsewhere = false,
): Promise<Board | undefined> {
  const chunks = state.gates.find(({ parts = [] }) => parts.length > 0)?.parts;
  if (chunks) {
    const current = chunks.findIndex(({ verdict }) => verdict === 'fail' || verdict === 'unproven');
    return board(
      'chunks',
      chunks.map((chunk, i) => ({ ...chunk, ...(i === current ? { current: true as const } : {}) })),
    );
  }
  const gate = Object.values(contract.gates).find(({ kind }) => kind === 'features');
  if (gate?.kind !== 'features' || isElsewhere) return undefined;
  try {
    const list = parseFeatureList(
      (await readProjectFile(frozen.project, gate.options.file, 4 * 1024 * 1024)) ?? '',
    );
    if (!('features' in list) || list.features.length === 0) return undefined;
    const current = list.features.findIndex(({ passes }) => !passes);
    return board(
      'features',
      list.features.map(({ id, description, passes }, i) => ({
        name: id,
        verdict: passes ? ('pass' as const) : ('fail' as const),
        summary: description,
        ...(i === current ? { current: true as const } : {}),
      })),
    );
  } catch {
    return undefined;
  }
}

function board(kind: Board['kind'], cards: Board['cards']): Board {
  const passed = cards.filter(({ verdict }) => verdict === 'pass').length;
  return { kind, total: cards.length, passed, cards: cards.slice(0, CARDS) };
}

function phasesOf({ phases = [], ...contract }: Contract, state: LoopState): LoopPage['phases'] {
  const now = phaseOf({ ...contract, phases }, state);
  if (!now) return undefined;
  const at = phases.indexOf(now);
  const isOver = isDone(state.status);
  return phases.map(({ name }, i) => ({
    name,
    state: isOver || i < at ? 'passed' : i === at ? 'current' : 'later',
    ...(i === at && state.phase ? { iterations: state.phase.iteration } : {}),
  }));
}

function questionView(question: AskedQuestion, state: LoopState): QuestionView {
  const { name, text, options = [], at: askedAt } = question;
  const given = answerTo(state, question);
  const said = given?.said;
  const known =
    said === 'answered' || said === 'prompted' || said === 'decided' ? said : given ? 'answered' : 'open';
  return {
    name,
    text,
    options,
    askedAt,
    state: known,
    ...defined({ answer: given?.note, option: given?.option, answeredAt: given?.at, told: given?.told }),
  };
}

function mayChangeLimits(state: LoopState): boolean {
  return state.dialect === 'native' && (!hasEnded(state) || canReopen(state));
}

function limitsView({ limits }: Contract): LoopPage['limits'] {
  const known = (limit: Limit) => (limit === 'unlimited' ? undefined : limit);
  return defined({
    iterations: known(limits.iterations),
    durationMs: known(limits.durationMs),
    costUsd: known(limits.costUsd),
    tokens: known(limits.tokens),
  });
}

function actionsFor(state: LoopState, needs: readonly Need[]): ActionName[] {
  const asks = questionsForYou(state).length > 0;
  const limits: ActionName[] = mayChangeLimits(state) ? ['limits'] : [];
  if (hasEnded(state)) return canReopen(state) ? [...(asks ? (['answer'] as const) : []), ...limits] : [];
  const approval = needs.some(({ kind }) => kind === 'approval');
  return [
    state.status === 'paused' ? 'resume' : 'pause',
    ...(approval ? (['approve', 'reject'] as const) : []),
    ...(asks ? (['answer'] as const) : []),
    ...limits,
    ...(['release', 'cancel'] as const),
  ];
}

export function requestsOf({ requests }: OpenJournal, state: LoopState, since: Since): LoopPage['requests'] {
  return requests
    .slice(-REQUESTS)
    .reverse()
    .map(({ requested, stepAt }) => asRequest(requested, state, { ...since, ...defined({ stepAt }) }));
}
