import type { FileStore } from '../adapters/file-store.ts';
import { type Home, homeFrom, layOut } from '../adapters/home.ts';
import type { JudgingPorts } from '../app/judge.ts';
import { loadJudgeBundle } from './load-judges.ts';
import { openPorts } from './ports.ts';
import { projectOf } from './project.ts';

/** What the commands work with: the ports, the home and the project that is meant. */
export interface World extends JudgingPorts {
  store: FileStore;
  home: Home;
  project: string;
  env: NodeJS.ProcessEnv;
}

/** The project is that of the given session, else of the session this runs in, else of the current folder. */
export function openWorld(session = process.env.CLAUDE_CODE_SESSION_ID): World {
  const home = homeFrom(process.env);
  layOut(home);
  const ports = openPorts(home, process.env, loadJudgeBundle);
  const recorded = session ? ports.store.projectOfSession(session) : undefined;
  return { ...ports, home, project: projectOf(recorded, process.env, process.cwd()), env: process.env };
}
