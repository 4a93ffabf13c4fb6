import { fileNameFor } from '../../core/text/paths.ts';
import type { ShellResult } from '../../ports/ports.ts';
import type { Gate, Judgement } from '../gate.ts';
import { judgementOf, proofOf, UNTIL_ABORTED } from '../run/outcome.ts';
import { eventFor } from './event.ts';
import { hookTraits } from './traits.ts';

/**
 * A command that was written for the hooks of Claude Code. It gets the event as JSON on stdin and answers by its exit
 * code, or by JSON on stdout, with the meaning that the client gives to both. Where the client lets a session go because
 * the command itself failed, nothing is proven.
 */
export const hookGate: Gate<'hook'> = {
  ...hookTraits,
  commands({ command }) {
    // It is run in the project's folder: seen from there, the script is found and held fast.
    return [command.replace(/\$(?:CLAUDE_PROJECT_DIR\b|\{CLAUDE_PROJECT_DIR\})/g, '.')];
  },
  async judge({ command }, context, signal) {
    const { name, project, session, shell, outputDir } = context;
    const outputFile = `${outputDir}/${fileNameFor(name)}.txt`;
    const result = await shell.run({
      command,
      cwd: project,
      env: { CLAUDE_PROJECT_DIR: project, CLAUDE_CODE_SESSION_ID: session },
      input: `${JSON.stringify(eventFor(context))}\n`,
      outputFile,
      timeoutMs: UNTIL_ABORTED,
      signal,
    });
    const atPrompt = context.event?.name === 'UserPromptSubmit';
    return { ...judgementFrom(command, result, atPrompt), proof: proofOf(command, result, outputFile) };
  },
};

/** Reads the answer as Claude Code does: JSON first, whatever the exit code; in it `continue: false`, then a block; then exit code 2. */
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

/** A line of evidence is cut where it is shown; what a hook says in one long line is not. */
const LINE_LENGTH = 280;

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .flatMap(
      (line) => line.match(new RegExp(`.{1,${LINE_LENGTH}}(?:\\s+|$)|.{1,${LINE_LENGTH}}`, 'gu')) ?? [],
    );
}

/** What a hook said on stdout, as far as it concerns a stop. */
interface HookAnswer {
  /** `continue: false`: its `stopReason`, or nothing. */
  letGo?: string;
  /** Why the work has to go on. */
  block?: string;
  /** `systemMessage`, for the person. */
  message?: string;
  /** It meant to answer, but what it said cannot be read. */
  problem?: string;
}

/**
 * Text is no answer: the client shows it and lets go. What begins like JSON was meant as one. At a prompt the client
 * takes context for what it is, and `continue: false` for a refusal.
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
      // For the client, context at a stop means that the work goes on.
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
