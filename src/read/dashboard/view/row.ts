/** A loop as a row of the overview. Pure. */
import type { Contract } from '../../../engine/core/contract/contract.ts';
import { questionsForYou } from '../../../engine/core/loop/asked.ts';
import type { Entry } from '../../../engine/core/loop/entry.ts';
import type { PhaseSituation } from '../../../engine/core/loop/phases.ts';
import { hasEnded, type LoopState } from '../../../engine/core/loop/state.ts';
import { oneLine } from '../../../engine/core/text/clip.ts';
import { defined } from '../../../engine/core/text/defined.ts';
import { type LoopFacts, loopView } from '../../loop/loop-view.ts';
import type { ChildCounts, LoopRow, Owner } from './overview-types.ts';
import { asRequest, requestIn, type Since } from './requests.ts';

/** What is known of a loop when its row is made. */
export interface RowFacts extends LoopFacts {
  project: string;
  /** The last line of its journal. */
  last: { entry: Entry; at: number; seq: number };
  /** How full the context was at the last Stop, from 0 to 1. */
  context?: number;
  /** Of a run of a fleet: its repository, its worker, the command for a terminal, and what was asked on this page. */
  repo?: string;
  worker?: string;
  command?: string;
  requested?: string[];
}

const SUMMARY = 200;
const GATES = 60;

export function rowOf(known: RowFacts, now: number): LoopRow {
  const { state, context } = known;
  const { situation, phase, budgets, elapsedMs } = loopView(known, now);
  const { costUsd, estimatedUsd, tokens } = state.spent;
  const requested = known.requested ?? requestedOf(known);
  return {
    id: known.id,
    project: known.project,
    task: known.task,
    status: state.status,
    tone: situation.tone,
    words: oneLine(situation.words, 500),
    doing: situation.doing,
    ...defined({
      doingSince: situation.since,
      judging: situation.doing === 'gate_runs' ? known.judging?.gates : undefined,
    }),
    owner: ownerOf(known),
    iteration: state.iteration,
    ...(state.maxIterations === 'unlimited' ? {} : { maxIterations: state.maxIterations }),
    ...defined({ current: hasEnded(state) ? undefined : currentOf(known, phase), context }),
    gates: state.gates.slice(0, GATES).map(({ name, class: evidence, verdict, since, summary }) => ({
      name,
      class: evidence,
      verdict,
      since,
      summary: oneLine(summary, SUMMARY),
    })),
    ...(costUsd > 0 ? { costUsd } : {}),
    ...(estimatedUsd ? { estimatedUsd } : {}),
    tokens,
    startedAt: state.startedAt,
    lastAt: state.lastAt,
    ...defined({ endedAt: state.ending?.at }),
    elapsedMs,
    ...defined({ next: budgets[0] }),
    questions: questionsForYou(state).length,
    dialect: state.dialect,
    ...defined({ run: runOf(state) }),
    ...(requested.length > 0 ? { requested } : {}),
  };
}

/** A loop whose journal cannot be read. It must look neither well nor ended. */
export function unreadableRow(
  { id, project, task, lastAt }: { id: string; project: string; task: string; lastAt: number },
  problem: string,
): LoopRow {
  return {
    id,
    project,
    task,
    status: 'unreadable',
    tone: 'bad',
    words: oneLine(problem, 500),
    doing: 'unreadable',
    owner: { kind: 'session', session: '' },
    gates: [],
    tokens: 0,
    startedAt: lastAt,
    lastAt,
    elapsedMs: 0,
    questions: 0,
    dialect: 'native',
  };
}

/** Words of what a person asked last, while the loop has not taken it. */
function requestedOf(known: RowFacts): string[] {
  const { last, state } = known;
  const requested = requestIn(last.seq - 1, last.at, last.entry, state);
  if (!requested) return [];
  const request = asRequest(requested, state, sinceOf(known));
  return request.state === 'taken' ? [] : [request.action];
}

export function sinceOf({ turnEndedAt, alive }: Pick<RowFacts, 'turnEndedAt' | 'alive'>): Since {
  const there = alive === true ? alive : undefined;
  const gone = alive === false ? true : undefined;
  return defined({ turnEndedAt, there, gone });
}

function ownerOf({ state, alive, id, repo, worker, ...known }: RowFacts): Owner {
  const { session, run } = state;
  const local = run
    ? alive === false && !run.parent
      ? `untildone run --resume ${id}`
      : `untildone log ${id} --follow`
    : `claude --resume ${session}`;
  const command = known.command ?? local;
  return { kind: run ? 'run' : 'session', session, ...defined({ alive, repo, worker }), command };
}

/** The feature or chunk that is next, else the phase. */
function currentOf({ state, contract }: RowFacts, phase: PhaseSituation | undefined): LoopRow['current'] {
  const chunks = state.gates.find(({ parts = [] }) => parts.length > 0)?.parts ?? [];
  const chunk = chunks.findIndex(({ verdict }) => verdict === 'fail' || verdict === 'unproven');
  if (chunk >= 0)
    return { kind: 'chunk', name: chunks[chunk]?.name ?? '', number: chunk + 1, of: chunks.length };
  const feature = featureIn(state, contract);
  if (feature !== undefined) return { kind: 'feature', name: feature };
  return phase && { kind: 'phase', name: phase.name, number: phase.number, of: phase.of };
}

function featureIn({ gates }: LoopState, contract: Contract | undefined): string | undefined {
  const gate = gates.find(({ name, next }) => next && contract?.gates[name]?.kind === 'features');
  return gate?.next === undefined ? undefined : oneLine(gate.next.split('\n', 1)[0] ?? '', 120);
}

function runOf({ run }: LoopState): LoopRow['run'] {
  if (!run) return undefined;
  const { mode, sessions, parent, children } = run;
  const counts: ChildCounts | undefined = children && {
    pieces: children.pieces,
    merged: children.merged,
    open: children.list.filter(({ status }) => status === 'open').length,
  };
  return { mode, sessions, ...defined({ parent, children: counts }) };
}

/** What tells one row from the next; working time grows by itself. */
export function comparable(row: LoopRow): string {
  return JSON.stringify({
    ...row,
    elapsedMs: 0,
    next: row.next && {
      ...row.next,
      ...(row.next.name.endsWith('duration') ? { used: 0, share: 0, words: '' } : {}),
    },
  });
}
