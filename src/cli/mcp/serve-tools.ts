import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../engine/core/text/errors.ts';
import { VERSION } from '../../engine/home/program.ts';
import { projectOf } from '../../engine/hook/wiring/project.ts';
import { openProjectToRead, type ProjectPorts } from '../../engine/hook/wiring/project-ports.ts';
import { out } from '../../engine/terminal/print.ts';
import { useColour } from '../../engine/terminal/style.ts';
import { serve } from './serve.ts';
import { toolsFor } from './tools.ts';

const INSTRUCTIONS =
  'untildone judges whether work is done by the contract of the project. Call verify before you say that work is done, and mend what it names. It never changes a loop; what only a person may decide, such as trusting a contract, is not offered here.';

/** `untildone mcp`. */
export async function serveTools({ project }: { project?: string }): Promise<void> {
  useColour(false);
  const open = opener(project);
  const facts = {
    name: 'untildone',
    version: VERSION,
    instructions: INSTRUCTIONS,
    tools: toolsFor(open),
  };
  await serve(facts, process.stdin, out);
}

/** A world is opened for each call: contract, trust and loops may have changed. */
function opener(given: string | undefined): () => ProjectPorts {
  if (given === undefined) return openProjectToRead;
  const folder = resolve(given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`there is no folder ${folder}`);
  process.chdir(folder);
  return () => {
    const world = openProjectToRead();
    return { ...world, project: projectOf(undefined, { HOME: world.env.HOME }, folder) };
  };
}
