import { prepareHome } from '../../engine/client/settings/files.ts';
import { hasEnded } from '../../engine/core/loop/state.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { claimFiles } from '../../engine/home/claims.ts';
import { thisProgram } from '../../engine/home/program.ts';
import { taskFrom } from '../../engine/hook/start/inputs.ts';
import { warnWithoutHooks } from '../../engine/hook/start/installed-hooks.ts';
import { openProject, type ProjectPorts, placeHere } from '../../engine/hook/wiring/project-ports.ts';
import { out } from '../../engine/terminal/print.ts';
import { newFeatures } from './features.ts';

interface NewFlags {
  prompt?: string;
  promptFile?: string;
  maxIterations: number;
}

/** `untildone features new`. */
export function newFeaturesHere(words: string[], { prompt, promptFile, maxIterations }: NewFlags): void {
  if (prompt !== undefined && promptFile !== undefined)
    throw new UsageError('give the prompt with --prompt or with --prompt-file, not both');
  const given = promptFile === undefined ? prompt : taskFrom([], promptFile);
  const session = process.env.CLAUDE_CODE_SESSION_ID ?? '';
  const world = openProject(session);
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
}

/** Finds another session that is at work on the current list, which then stays the current one. */
function otherOwner({ home, store }: ProjectPorts, folder: string, session: string): string | undefined {
  const claim = claimFiles(home).of(`${folder}/.claude/data/ralph-loops/current`);
  if (claim?.loopDir === undefined || claim.session === session) return undefined;
  return hasEnded(store.read({ loop: '', dir: claim.loopDir })) ? undefined : claim.session;
}
