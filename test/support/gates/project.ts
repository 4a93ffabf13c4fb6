import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findFiles } from '../../../src/engine/core/text/globs.ts';
import type { FreezeContext, GateContext } from '../../../src/engine/gates/gate.ts';
import type { Workspace } from '../../../src/engine/ports/ports.ts';
import { foreignFiles } from '../../../src/engine/project/files.ts';
import { inPlace } from '../../../src/engine/project/room/in-place.ts';
import { systemShell } from '../../../src/engine/project/shell/shell.ts';
import { type Given, gateContext } from './context.ts';

/** A project in a temporary folder, judged with a real shell. */
export interface TestProject {
  root: string;
  write(path: string, text: string, mode?: number): void;
  read(path: string): string;
  context(more?: Given): GateContext;
  freezing(): FreezeContext;
  remove(): void;
}

export function makeProject(): TestProject {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-gate-'));
  const root = join(folder, 'project');
  mkdirSync(root);
  const workspace = workspaceAt(root);
  return {
    root,
    write(path, text, mode = 0o644) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text, { mode });
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    context: (more = {}) =>
      gateContext({
        project: root,
        session: 'session-1',
        task: 'Build the shop',
        workspace,
        outputDir: join(folder, 'output'),
        shell: systemShell(process.env),
        place: async () => inPlace(root, systemShell(process.env), process.env),
        ...more,
      }),
    freezing: () => ({ project: root, workspace }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Of the workspace, these gates only read files. */
function workspaceAt(root: string): Workspace {
  const unused = () => Promise.reject(new Error('not needed here'));
  return {
    root,
    tree: unused,
    changes: unused,
    addedLines: unused,
    contentAt: unused,
    head: unused,
    git: unused,
    find: async (glob) => findFiles(root, [glob], foreignFiles),
    async read(path) {
      try {
        return readFileSync(join(root, path), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
  };
}

export const noAbort = new AbortController().signal;
