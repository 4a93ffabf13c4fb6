import type { Entry } from '../../core/loop/entry.ts';
import {
  type Answer,
  eventName,
  type HookEvent,
  isCompactionAgent,
  type PromptEvent,
  SILENCE,
} from '../../core/loop/event.ts';
import { newAnswers } from '../../core/loop/questions.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { agentDetail, agentWords } from '../../core/loop/subagents.ts';
import { oneLine } from '../../core/text/clip.ts';
import type { SessionPorts } from '../../judging/ports.ts';
import type { GuardedSession } from '../../ports/guarded-session.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';
import { askByTool } from '../guard/ask-by-tool.ts';
import { answerByPrompt } from '../guard/ask-person.ts';
import { guardPrompt } from '../guard/guard-prompt.ts';
import { guardPermission, guardSettings, guardTool } from '../guard/guard-session.ts';
import { beginAgent, guardWork } from '../guard/guard-work.ts';
import { sessionWithLoop } from '../guard/guarded-session.ts';
import { joined, withMessages } from '../stop/answers.ts';
import { noteCutOff, watchForeign } from '../stop/interrupted-judging.ts';
import { noteDown } from '../unwritable-journal.ts';
import { beforeCompaction, remind } from './compaction.ts';
import { noteMissedStop } from './missed-stops.ts';

const WORD_LIMIT = 200;

/** Answers every event of a session that has a loop, except a Stop that is judged. */
export function eventInLoop(event: HookEvent, loop: SessionLoop, ports: SessionPorts): Promise<Answer> {
  return noticing(answerIn, event, loop, ports);
}

/** Answers events of tool calls alone, in a session that has a loop. */
export function toolCallInLoop(event: HookEvent, loop: SessionLoop, ports: SessionPorts): Promise<Answer> {
  return noticing(answerToolCall, event, loop, ports);
}

async function noticing(
  answer: typeof answerIn,
  event: HookEvent,
  loop: SessionLoop,
  ports: SessionPorts,
): Promise<Answer> {
  const { ref } = loop;
  const { state, messages } = noteMissedStop(event, ref, noteCutOff(ref, loop.state, ports), ports);
  watchForeign(loop, ports);
  return withMessages(await answer(event, { ...loop, state }, ports), messages);
}

async function answerToolCall(event: HookEvent, loop: SessionLoop, ports: SessionPorts): Promise<Answer> {
  const { ref, state } = loop;
  const session = () => sessionWithLoop(event, { ref, state }, ports);
  if (event.name === 'PreToolUse') {
    const answer = await guardTool(event, session(), ports);
    return answer.kind === 'silence' ? askByTool(event, ref, ports) : answer;
  }
  if (event.name === 'PermissionRequest') return guardPermission(event, loop, session(), ports);
  return withMessages(SILENCE, noteDown(event, { ref, state }, noteOf(event), ports).messages);
}

async function answerIn(event: HookEvent, loop: SessionLoop, ports: SessionPorts): Promise<Answer> {
  const { ref, state } = loop;
  const session = () => sessionWithLoop(event, { ref, state }, ports);
  const note = () => noteDown(event, { ref, state }, noteOf(event), ports);
  switch (event.name) {
    case 'PreToolUse':
    case 'PermissionRequest':
      return answerToolCall(event, loop, ports);
    case 'ConfigChange':
      return guardSettings(event, session(), ports);
    case 'SessionStart': {
      const { state: after, messages } = note();
      return withMessages(remind(event, ref, after, ports), messages);
    }
    case 'UserPromptSubmit': {
      const answer = await answerPrompt(event, state, session, ports);
      if (answer.kind === 'refuse') return answer;
      const heard = answerByPrompt(event, { ref, state }, ports);
      return withMessages(joined([answer, heard]), note().messages);
    }
    case 'SubagentStart':
      if (isCompactionAgent(event)) break;
      return beginAgent(event, session(), ports);
    case 'SubagentStop':
    case 'TaskCreated':
    case 'TaskCompleted':
    case 'TeammateIdle':
      if (state.status !== 'active' || isCompactionAgent(event)) break;
      return guardWork(event, session(), ports);
    default:
      if (eventName(event) === 'PreCompact') return beforeCompaction(event, loop, ports);
  }
  return withMessages(SILENCE, note().messages);
}

/** Judges a prompt of the user. The prompts of a run come from untildone itself, so they are not judged. */
async function answerPrompt(
  event: PromptEvent,
  state: LoopState,
  session: () => GuardedSession,
  ports: SessionPorts,
): Promise<Answer> {
  const guarded = state.run ? SILENCE : await guardPrompt(event, session(), ports);
  return guarded.kind === 'refuse' ? guarded : joined([guarded, newAnswersIn(state)]);
}

/** Adds the answers to the loop's questions to the next prompt. */
function newAnswersIn({ answers = {}, questions, status, run }: LoopState): Answer {
  // The prompt of a run says them itself.
  const context = status === 'active' && !run ? newAnswers(answers, questions) : undefined;
  return context === undefined ? SILENCE : { kind: 'inject', context };
}

/** The journal entry of an event: its name and a few details, never prompts or tool inputs. */
function noteOf(event: HookEvent): Entry {
  // Details are cut short, because every later hook reads the end of the journal.
  const detail = Object.entries(detailOf(event)).map(([name, value]) => [name, oneLine(value, WORD_LIMIT)]);
  return {
    kind: 'event',
    event: oneLine(eventName(event), WORD_LIMIT),
    detail: detail.length > 0 ? (Object.fromEntries(detail) as Record<string, string>) : undefined,
  };
}

function detailOf(event: HookEvent): Record<string, string> {
  const { agentId = '', agentType = '' } = event;
  if (event.name === 'SubagentStop') return agentWords({ id: agentId, type: agentType });
  return { ...ownDetail(event), ...agentDetail(event) };
}

function ownDetail(event: HookEvent): Record<string, string> {
  switch (event.name) {
    case 'SessionStart':
    case 'ConfigChange':
      return { source: event.source };
    case 'SessionEnd':
      return { reason: event.reason };
    case 'StopFailure':
      return { error: event.error };
    case 'PreToolUse':
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'PermissionRequest':
      return { tool: event.tool };
    case 'TaskCreated':
    case 'TaskCompleted':
      return { task: event.taskId };
    case 'TeammateIdle':
      return { teammate: event.teammate };
    default:
      return {};
  }
}
