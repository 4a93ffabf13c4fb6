import type { Project } from '../format.ts';
import { c } from './c.ts';
import { cargo } from './cargo.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import { nodeScript } from './node-script.ts';
import { nodeTest } from './node-test.ts';
import { pytest } from './pytest.ts';
import { pythonMake } from './python-make.ts';
import { shell } from './shell.ts';
import { typescript } from './typescript.ts';
import { vitest } from './vitest.ts';
import { workspaces } from './workspaces.ts';

export const PROJECTS: readonly Project[] = [
  ...[nodeTest, nodeScript, workspaces, vitest, typescript],
  ...[pytest, pythonMake, go, cargo, java, shell, c],
];
