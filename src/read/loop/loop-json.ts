import { answerTo } from '../../engine/core/loop/asked.ts';
import { MISSED_WORDS } from '../../engine/core/loop/missed-stop.ts';
import type { AskedQuestion, LoopState } from '../../engine/core/loop/state.ts';
import { describeEnding, describeWait } from '../../engine/core/words/endings.ts';
import type { Found } from '../../engine/run/person/find-loop.ts';
import { lookAtLoop, type ViewingPorts } from './look-at-loop.ts';
import type { LoopView } from './loop-view.ts';
import type { Doing } from './shape.ts';

/** A loop for other programs: docs/reference/json-output.md. Fields are added, never changed. */
export interface LoopJson {
  id: string;
  session: string;
  status: string;
  /** What it does right now: one of `Doing`. */
  doing: Doing;
  /** The same in one sentence. */
  words: string;
  iteration: number;
  max_iterations: number | null;
  task: string;
  dialect: string;
  started_at: string;
  elapsed_s: number;
  tokens: number;
  /** The part of `tokens` that subagents spent, as far as their transcripts tell. */
  subagent_tokens: number;
  cost_usd: number;
  /** Of a contract with phases: the one that the work is in. */
  phase: string | null;
  /** Subagents that were seen, with how each ended. */
  agents: { id: string; type: string; status: string; said: string | null }[];
  waiting: { why: string; since: string; text: string } | null;
  /** What the agent asked, the newest last. */
  questions: QuestionJson[];
  /** Why its session is not being held although the loop is active. */
  not_held: string | null;
  /** A turn of its session ended at this time without a Stop that reached untildone, and none has since. */
  missed_stop: { at: string; text: string } | null;
  /** Why nothing is judged before you trust its contract; null: you do, or a Stop has come and `waiting` says it. */
  not_trusted: string | null;
  /** The walls around the commands of its gates on this machine, or why there are none; null: its contract asks for none. */
  walls: string | null;
  /** Of a loop over many sessions. */
  run: { mode: string; sessions: number; parent: string | null } | null;
  ending: { cause: string; at: string; detail: string; text: string } | null;
  gates: {
    name: string;
    class: string;
    verdict: string;
    summary: string;
    /** Of chunks: each of them. */
    parts?: { name: string; verdict: string; summary: string }[];
  }[];
}

export interface QuestionJson {
  name: string;
  text: string;
  options: string[];
  asked_at: string;
  /** open; answered or prompted by you; decided by the agent. */
  state: string;
  answer: string | null;
  /** The chosen option, counted from 1. */
  option: number | null;
  answered_at: string | null;
}

/** A loop that cannot be read. */
export interface UnreadableLoopJson {
  id: string;
  status: 'unreadable';
  problem: string;
}

/** Looks at a loop that was found. */
export function foundJson(found: Found, world: ViewingPorts): LoopJson | UnreadableLoopJson {
  if (!('state' in found)) return { id: found.ref.loop, status: 'unreadable', problem: found.problem };
  return loopJson(lookAtLoop(found.ref, found.state, world));
}

function loopJson(view: LoopView): LoopJson {
  const { state } = view;
  return {
    id: view.id,
    session: state.session,
    status: state.status,
    doing: view.situation.doing,
    words: view.situation.words,
    iteration: state.iteration,
    max_iterations: state.maxIterations === 'unlimited' ? null : state.maxIterations,
    task: view.task,
    dialect: state.dialect,
    started_at: iso(state.startedAt),
    elapsed_s: Math.round(view.elapsedMs / 1000),
    tokens: state.spent.tokens,
    subagent_tokens: state.spentBySubagents ?? 0,
    cost_usd: state.spent.costUsd,
    not_held: view.unheld ?? null,
    missed_stop: view.missedAt === undefined ? null : { at: iso(view.missedAt), text: MISSED_WORDS },
    not_trusted: view.untrusted ?? null,
    walls: view.walls ?? null,
    run: state.run
      ? { mode: state.run.mode, sessions: state.run.sessions, parent: state.run.parent ?? null }
      : null,
    phase: view.phase?.name ?? null,
    agents: (state.agents ?? []).map(({ id, type, status, said = null }) => ({ id, type, status, said })),
    waiting: state.waiting
      ? { why: state.waiting.why, since: iso(state.waiting.since), text: describeWait(state) }
      : null,
    questions: (state.questions ?? []).map((question) => questionJson(question, state)),
    ending: state.ending
      ? {
          cause: state.ending.cause,
          at: iso(state.ending.at),
          detail: state.ending.detail,
          text: describeEnding(state),
        }
      : null,
    gates: state.gates,
  };
}

function questionJson(question: AskedQuestion, state: LoopState): QuestionJson {
  const { name, text, options = [], at } = question;
  const { said = 'open', note = null, option = null, at: answeredAt } = answerTo(state, question) ?? {};
  const answered_at = answeredAt === undefined ? null : iso(answeredAt);
  return { name, text, options, asked_at: iso(at), state: said, answer: note, option, answered_at };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
