/** A slash command as Claude Code's hook event tells it, and whether a person typed it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asFields, type Fields, list, parseFields, text } from '../../client/fields.ts';
import { isAgentsShell, isToolShell } from '../../client/hooks/caller.ts';
import { completeLines, withFile } from '../../client/transcript/file.ts';
import { ancestors } from '../../files/process-id.ts';
import type { Home } from '../../home/layout.ts';
import { clientPids } from './person.ts';

export interface SlashCommand {
  readonly event: 'UserPromptExpansion' | 'UserPromptSubmit';
  /** With the name of its plugin: `untildone:loop`. */
  readonly name: string;
  /** Word for word, without blanks around it. */
  readonly args: string;
  readonly session: string;
  readonly transcript?: string;
  /** Set when the command comes from inside a subagent. */
  readonly agentId?: string;
}

/** Names without a plugin, by which Claude Code knows no command: they arrive as a prompt. */
const SHORT_NAME = /^\/(ralph-loop|cancel-ralph)(?:\s([\s\S]*))?$/;

/** Parses the event of a command, or of a prompt that is one; undefined for anything else. */
export function parseSlashCommand(input: string): SlashCommand | undefined {
  const fields = parseFields(input);
  const session = fields && text(fields, 'session_id');
  if (!session) return undefined;
  const [transcript, agentId] = [text(fields, 'transcript_path'), text(fields, 'agent_id')];
  const common = { session, transcript, agentId };
  const name = text(fields, 'command_name');
  if (fields.hook_event_name === 'UserPromptExpansion' && name)
    return { event: 'UserPromptExpansion', name, args: text(fields, 'command_args') ?? '', ...common };
  const short = SHORT_NAME.exec(text(fields, 'prompt')?.trim() ?? '');
  if (fields.hook_event_name !== 'UserPromptSubmit' || short?.[1] === undefined) return undefined;
  return { event: 'UserPromptSubmit', name: short[1], args: short[2] ?? '', ...common };
}

/**
 * Says why this command may not come from a person; undefined when nothing speaks against it. The event itself does not tell:
 * Claude Code sends the same one for a prompt that the agent has scheduled. As with every command that only you may give, an
 * agent that takes pains gets around this, and the journal shows it (docs/security-model.md).
 */
export function typedProblem(
  command: SlashCommand,
  home: Home,
  env: NodeJS.ProcessEnv,
  above: readonly number[] = ancestors(),
): string | undefined {
  if (command.agentId !== undefined) return 'a subagent gave it';
  if (command.session !== env.CLAUDE_CODE_SESSION_ID || !env.CLAUDE_PROJECT_DIR || isAgentsShell(env))
    return 'it did not come from a hook of Claude Code';
  const client = Number(env.CLAUDE_PID);
  if (above.length > 1 && !above.includes(client)) return 'it did not come from a hook of Claude Code';
  if (clientPids(home, env).some((pid) => pid !== client && above.includes(pid)))
    return 'Claude Code runs inside of another session here';
  const below = above[above.indexOf(client) - 1];
  if (below !== undefined && isToolShell(below)) return "it came from the agent's shell";
  if (isInToolCall(command)) return 'the agent has used this command in a tool call of this session';
  return undefined;
}

/** Tools that only read or write files cannot send a prompt. */
const FILE_TOOLS = ['Read', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Grep', 'Glob'];

/** Whether the agent, or a subagent of it, named this command in a tool call: a scheduled prompt is made like that. */
function isInToolCall({ name, transcript }: SlashCommand): boolean {
  if (transcript === undefined) return false;
  return [transcript, ...subagentTranscripts(transcript)].some((path) =>
    withFile(path, (fd, size) => {
      for (const { bytes } of completeLines(fd, 0, size))
        if (bytes.includes('"tool_use"') && bytes.includes(name) && callsWith(name, bytes.toString('utf8')))
          return true;
      return false;
    }),
  );
}

function callsWith(name: string, line: string): boolean {
  const message = asFields(parseFields(line)?.message);
  const blocks: Fields[] = message ? list(message, 'content') : [];
  return blocks.some(
    (block) =>
      block.type === 'tool_use' &&
      !FILE_TOOLS.includes(text(block, 'name') ?? '') &&
      JSON.stringify(block.input ?? '').includes(name),
  );
}

function subagentTranscripts(transcript: string): string[] {
  const folder = join(transcript.replace(/\.jsonl$/, ''), 'subagents');
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
