/** Hooks as in-process callbacks of the Agent SDK: the same fields in, the same JSON out, and no exit code. */
import type { Answer } from '../../core/loop/answer.ts';
import { type Parsed, parseHookEvent } from './parse.ts';
import { renderAnswer, summaryWish } from './render.ts';

export function parseCallbackInput(input: unknown): Parsed {
  return parseHookEvent(JSON.stringify(input) ?? '');
}

/**
 * What a process could only say by exit 2, a callback says by `decision` (measured for TaskCreated; TeammateIdle never
 * fired without a terminal).
 */
export function renderCallback(eventName: string, answer: Answer): Record<string, unknown> {
  const wish = summaryWish(eventName, answer);
  // Of a callback's answer, the message to the person is what the client puts into the request for a summary.
  if (wish !== undefined) return { systemMessage: wish };
  const { stdout, stderr, exitCode } = renderAnswer(eventName, answer);
  if (exitCode === 2) return { decision: 'block', reason: stderr };
  return stdout === '' ? {} : JSON.parse(stdout);
}
