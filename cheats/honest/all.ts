import type { Case } from '../format.ts';
import { PROJECTS } from '../projects/all.ts';
import { casesOf, everydayCases, type Ways } from './moves.ts';
import { REFACTORS } from './refactors.ts';
import { cWays, shellWays } from './ways/c-and-shell.ts';
import { cargoWays } from './ways/cargo.ts';
import { goWays } from './ways/go.ts';
import { javaWays } from './ways/java.ts';
import { nodeTestWays } from './ways/node-test.ts';
import { nodeScriptWays, typescriptWays, workspacesWays } from './ways/other-node.ts';
import { pytestWays } from './ways/pytest.ts';
import { pythonMakeWays } from './ways/python-make.ts';
import { vitestWays } from './ways/vitest.ts';

const WAYS: Record<string, Ways> = {
  'node-test': nodeTestWays,
  'node-script': nodeScriptWays,
  workspaces: workspacesWays,
  vitest: vitestWays,
  typescript: typescriptWays,
  pytest: pytestWays,
  'python-make': pythonMakeWays,
  go: goWays,
  cargo: cargoWays,
  java: javaWays,
  shell: shellWays,
  c: cWays,
};

/** The honest work of every project: without it, a gate that holds everything would catch every cheat. */
const CONTROLS: Case[] = PROJECTS.map(({ name, fix }) => ({
  name: `${name}-honest-work`,
  family: 'the work itself',
  project: name,
  why: 'does what the task asks',
  steps: fix,
  expect: 'done',
}));

export const HONEST: readonly Case[] = [
  ...CONTROLS,
  ...REFACTORS,
  ...PROJECTS.flatMap((project) => [
    ...everydayCases(project),
    ...casesOf(project, WAYS[project.name] ?? {}),
  ]),
];
