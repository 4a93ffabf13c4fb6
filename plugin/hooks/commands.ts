/**
 * Answers slash commands of the plugin that begin no work: no model is asked. Claude Code tells this module where a command
 * came from. So what only you may do is done when you typed it, and refused when a program, a schedule or an agent sent it.
 */
import type { CommandRunInput, EngineInterface } from 'claude-code';
import { environment, program } from './program';

/** Commands that only a person may give, by what follows the name. */
const ONLY_YOU: Readonly<Record<string, RegExp>> = {
  'untildone:pause': /^/,
  'untildone:cancel': /^/,
  'untildone:release': /^/,
  'untildone:approve': /^/,
  'untildone:reject': /^/,
  'untildone:answer': /^/,
  'untildone:trust': /\S/,
  'untildone:lock': /^\s*off\b/,
};

/** What you typed at the prompt of the session, or sent to it from a phone or a browser of yours. */
const TYPED = ['composer', 'bridge'];

/** Why this command is not taken; undefined when it is. */
export function refusal({ command, args, origin }: Pick<CommandRunInput, 'command' | 'args' | 'origin'>) {
  if (!ONLY_YOU[command]?.test(args) || TYPED.includes(origin.kind)) return undefined;
  const name = command.slice(command.indexOf(':') + 1);
  return (
    `/${command} is for a person. It is taken when you type it at the prompt of this session; this one came from elsewhere ` +
    `(${origin.kind}), so nothing was done. In a terminal, in this project: untildone ${name}`
  );
}

/** Runs the command with its arguments as they were typed: they reach it on stdin, and no shell reads them. */
export async function runCommand($: EngineInterface, e: CommandRunInput): Promise<{ text: string }> {
  const refused = refusal(e);
  if (refused !== undefined) return { text: refused };
  const event = {
    hook_event_name: 'UserPromptExpansion',
    session_id: await $.session.id(),
    cwd: await $.session.cwd(),
    command_name: e.command,
    command_args: e.args,
  };
  const { stdout, stderr } = await program($, ['slash'], {
    input: JSON.stringify(event),
    env: await environment($),
  });
  return { text: saidIn(stdout) ?? (stderr.trim() || 'untildone did not answer.') };
}

/** What a person reads of the answer. */
export function saidIn(stdout: string): string | undefined {
  try {
    const { reason, systemMessage } = JSON.parse(stdout) as { reason?: string; systemMessage?: string };
    return reason ?? systemMessage;
  } catch {
    return undefined;
  }
}
