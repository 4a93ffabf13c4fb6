import { type Command, InvalidArgumentError } from 'commander';
import { prepareHome } from '../../client/settings/files.ts';
import { hasEnded } from '../../core/loop/state.ts';
import { UsageError } from '../../core/text/errors.ts';
import { claimFiles } from '../../home/claims.ts';
import { thisProgram } from '../../home/program.ts';
import { taskFrom } from '../../hook/start/inputs.ts';
import { warnWithoutHooks } from '../../hook/start/installed-hooks.ts';
import { openWorld, placeHere, type World } from '../../hook/wiring/world.ts';
import { out } from '../../terminal/print.ts';
import { value } from '../flags.ts';
import { newFeatures } from './features.ts';

interface NewFlags {
  prompt?: string;
  promptFile?: string;
  maxIterations: number;
}

export function addFeaturesCommands(cli: Command): void {
  cli
    .command('features')
    .description('make a feature list that a session works through, one feature at a time')
    .command('new')
    .description('make the files of a task in .claude/data/ralph-loops, and make it the current one')
    .argument('[task...]', 'the name of the task, in any words')
    .option('--prompt <text>', 'what is to be built, for RALPH_PROMPT.md', value)
    .option('--prompt-file <file>', 'the same, read from a file, - for stdin', value)
    .option('--max-iterations <n>', 'how often a session is held at most', wholeNumber, 15)
    .action((words: string[], { prompt, promptFile, maxIterations }: NewFlags) => {
      if (prompt !== undefined && promptFile !== undefined)
        throw new UsageError('give the prompt with --prompt or with --prompt-file, not both');
      const given = promptFile === undefined ? prompt : taskFrom([], promptFile);
      const session = process.env.CLAUDE_CODE_SESSION_ID ?? '';
      const world = openWorld(session);
      prepareHome(world.home.root, thisProgram());
      // The folder that the session was started in, which may be a package of the project.
      const { folder } = placeHere(world, session);
      const pursuedBy = otherOwner(world, folder, session);
      newFeatures(
        {
          pursuedBy,
          task: words.join(' '),
          maxIterations,
          folder,
          env: world.env,
          prompt: given,
        },
        out,
      );
      warnWithoutHooks({ project: folder, session }, world, out);
    });
}

/** Finds another session that is at work on the current list, which then stays the current one. */
function otherOwner({ home, store }: World, folder: string, session: string): string | undefined {
  const claim = claimFiles(home).of(`${folder}/.claude/data/ralph-loops/current`);
  if (claim?.loopDir === undefined || claim.session === session) return undefined;
  return hasEnded(store.read({ loop: '', dir: claim.loopDir })) ? undefined : claim.session;
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= 1) return Number(text);
  throw new InvalidArgumentError('Type a whole number from 1, for example 20.');
}
