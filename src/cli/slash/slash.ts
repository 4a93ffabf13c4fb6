import { isSafeId } from '../../engine/core/text/paths.ts';
import { jsonText } from '../../engine/core/text/visible.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { writeNew } from '../../engine/files/whole-file.ts';
import { createHome, type Home, homeFrom } from '../../engine/home/layout.ts';
import { asTyped } from '../../engine/hook/start/person.ts';
import { parseSlashCommand, type SlashCommand, typedProblem } from '../../engine/hook/start/typed-command.ts';
import { openProjectToRead } from '../../engine/hook/wiring/project-ports.ts';
import { printedBy } from '../../engine/terminal/print.ts';
import { type Meaning, meaningOf } from './meaning.ts';

/** Runs one command line of untildone, and sets the exit code of this process. */
export type RunCommand = (words: readonly string[]) => Promise<void>;

/**
 * Answers the event of a slash command of the plugin. The work is done here and not in a shell, so the arguments arrive as they
 * were typed. A command that begins nothing costs no request: Claude Code shows its lines and asks no model.
 */
export async function answerSlash(input: string, run: RunCommand, env: NodeJS.ProcessEnv): Promise<string> {
  const command = parseSlashCommand(input);
  const meaning = command && meaningOf(command.name, command.args);
  if (!command || !meaning) return '';
  try {
    return await answerTo(command, meaning, run, env);
  } catch (error) {
    return show(command, [`untildone: ${(error as Error).message}`]);
  }
}

async function answerTo(
  command: SlashCommand,
  meaning: Meaning,
  run: RunCommand,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const home = homeFrom(env);
  const problem = typedProblem(command, home, env);
  if (meaning.task !== undefined) rememberSession(command.session, home, env);
  const before = process.exitCode;
  process.exitCode = EXIT.ok;
  try {
    const work = () => run(meaning.words);
    const lines = await printedBy(() => (problem === undefined ? asTyped(work) : work()));
    if (problem !== undefined && process.exitCode !== 0) lines.push(`(${problem})`);
    return process.exitCode === 0 && isWork(command, meaning)
      ? goOn(command, meaning, lines)
      : show(command, lines);
  } finally {
    process.exitCode = before;
  }
}

function isWork({ session }: SlashCommand, { task, goesOn }: Meaning): boolean {
  if (task !== undefined) return true;
  return goesOn === true && openProjectToRead(session).store.activeLoopOf(session) !== undefined;
}

/** Ends the command without a request; you read the lines. */
function show({ event }: SlashCommand, lines: readonly string[]): string {
  return jsonText({
    decision: 'block',
    reason: lines.length === 0 ? 'untildone has nothing to say to this.' : lines.join('\n'),
    hookSpecificOutput: { hookEventName: event, suppressOriginalPrompt: true },
  });
}

/** Claude Code shortens a longer context. */
const CONTEXT_LIMIT = 9_000;

/** The agent goes on with the lines beside the command; you read them, too. */
function goOn({ event, name }: SlashCommand, { task }: Meaning, lines: readonly string[]): string {
  const said = `untildone has done what /${name} asks for. It says:\n${lines.join('\n')}`;
  const whole = task ? `${said}\n\nThe task, word for word:\n\n${task}` : said;
  const short = `${said}\n\nThe task is long: it stands behind the command in the message of the user.`;
  const context = whole.length <= CONTEXT_LIMIT ? whole : short;
  return jsonText({
    systemMessage: `untildone: ${lines.join('\n')}`,
    hookSpecificOutput: { hookEventName: event, additionalContext: context },
  });
}

/**
 * Records where a session was started, and its process, as the SessionStart hook does. That hook found no home when the plugin
 * is new on this machine.
 */
function rememberSession(session: string, home: Home, env: NodeJS.ProcessEnv): void {
  if (!isSafeId(session) || !env.CLAUDE_PROJECT_DIR || !env.CLAUDE_PID) return;
  try {
    createHome(home);
    writeNew(`${home.sessions}/${session}.at`, `${env.CLAUDE_PROJECT_DIR}\n${env.CLAUDE_PID}\n`, 0o600);
  } catch {
    // The command itself says what is wrong with the home.
  }
}
