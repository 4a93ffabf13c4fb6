import { fileNameFor } from '../../core/text/paths.ts';
import type { ShellResult } from '../../ports/ports.ts';
import type { Gate, Judgement } from '../gate.ts';
import { judgementOf, proofOf, UNTIL_ABORTED } from '../run/outcome.ts';
import { eventFor } from './event.ts';
import { hookTraits } from './traits.ts';

/**
 * A command that was written as a hook of Claude Code. It gets the event as JSON on stdin. Its exit code and its JSON on
 * stdout mean what they mean to Claude Code. Where the command itself fails, Claude Code lets the session stop; here the
 * gate is unproven.
 */
export const hookGate: Gate<'hook'> = {
  ...hookTraits,
  commands({ command }) {
    // The command runs in the folder of the project: with "." its script is found and can be trusted.
    return [command.replace(/\$(?:CLAUDE_PROJECT_DIR\b|\{CLAUDE_PROJECT_DIR\})/g, '.')];
  },
  async judge({ command }, { name, request, shell }, signal) {
    const { session, outputDir, frozen } = request;
    const { project } = frozen;
    const outputFile = `${outputDir}/${fileNameFor(name)}.txt`;
    const result = await shell.run({
      command,
      cwd: project,
      env: { CLAUDE_PROJECT_DIR: project, CLAUDE_CODE_SESSION_ID: session },
      input: `${JSON.stringify(eventFor(request))}\n`,
      outputFile,
      timeoutMs: UNTIL_ABORTED,
      signal,
    });
    const atPrompt = request.event?.name === 'UserPromptSubmit';
    return { ...judgementFrom(command, result, atPrompt), proof: proofOf(command, result, outputFile) };
  },
};

/** Reads the answer as Claude Code does: first `continue: false` or a block in the JSON, whatever the exit code, then exit code 2. */
function judgementFrom(command: string, result: ShellResult, atPrompt: boolean): Judgement {
  const answer = result.exitCode === undefined ? NO_ANSWER : readHookAnswer(result.stdout, atPrompt);
  const said = withMessage(answer);
  if (answer.letGo !== undefined) {
    const letGo = answer.letGo || `\`${command}\` asked to end the work`;
    return { outcome: 'pass', summary: `asks to end the work: ${letGo}`, letGo, ...said() };
  }
  if (answer.block !== undefined) {
    const [first = 'blocked by the hook', ...more] = linesOf(answer.block);
    return { outcome: 'fail', summary: first, ...said(more) };
  }
  if (result.exitCode === 2) {
    const [first = `\`${command}\` refuses (exit code 2) and does not say why`, ...more] = linesOf(
      result.stderr ?? result.output,
    );
    return { outcome: 'fail', summary: first, ...said(more) };
  }
  if (answer.problem !== undefined)
    return { outcome: 'unproven', summary: `\`${command}\`: ${answer.problem}`, ...said() };
  if (result.exitCode === 0) return { outcome: 'pass', summary: `\`${command}\` allows the Stop`, ...said() };
  const { summary, evidence = [] } = judgementOf(command, result);
  return { outcome: 'unproven', summary: `${summary}, which says nothing about the work`, ...said(evidence) };
}

const NO_ANSWER: HookAnswer = {};

function withMessage({ message }: HookAnswer): (lines?: readonly string[]) => { evidence?: string[] } {
  return (lines = []) => {
    const evidence = [...lines, ...(message === undefined ? [] : linesOf(message))];
    return evidence.length === 0 ? {} : { evidence };
  };
}

/** Longer lines are wrapped: evidence lines are cut where they are shown, and what a hook says must stay whole. */
const LINE_LENGTH = 280;

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .flatMap(
      (line) => line.match(new RegExp(`.{1,${LINE_LENGTH}}(?:\\s+|$)|.{1,${LINE_LENGTH}}`, 'gu')) ?? [],
    );
}

/** What a hook said on stdout about the Stop. */
interface HookAnswer {
  /** The `stopReason` of `continue: false`, or an empty text. */
  letGo?: string;
  /** Why the work has to go on. */
  block?: string;
  /** The `systemMessage`, which you read. */
  message?: string;
  /** Why the answer cannot be read. */
  problem?: string;
}

/**
 * Reads stdout. Plain text is no answer; text that begins like JSON was meant as one. At a prompt, context does not hold
 * the session, and `continue: false` is a refusal.
 */
function readHookAnswer(stdout: string, atPrompt: boolean): HookAnswer {
  const text = stdout.trim();
  if (!text.startsWith('{')) return {};
  const fields = parsed(text);
  if (!fields) return { problem: 'what it printed begins like JSON but is none' };
  const message = filledText(fields.systemMessage);
  return { message, ...decisionOf(fields, atPrompt) };
}

function decisionOf(fields: Record<string, unknown>, atPrompt: boolean): HookAnswer {
  if (fields.continue === false)
    return { [atPrompt ? 'block' : 'letGo']: filledText(fields.stopReason) ?? '' };
  const reason = filledText(fields.reason);
  switch (fields.decision ?? undefined) {
    case 'block':
      return { block: reason ?? '' };
    case 'approve':
    case undefined: {
      const context = filledText(mapOf(fields.hookSpecificOutput)?.additionalContext);
      // For Claude Code, context at a Stop means that the work goes on.
      return context === undefined || atPrompt ? {} : { block: context };
    }
    default:
      return { problem: 'its "decision" is neither "block" nor "approve"' };
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return mapOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function mapOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
