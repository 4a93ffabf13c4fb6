import { statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { hookScriptPath } from '../../client/settings/files.ts';
import type { HooksState } from '../../client/settings/would-run.ts';
import { readSmall } from '../../files/whole-file.ts';
import { homeRoot } from '../../home/layout.ts';
import { isProgram } from '../../home/program.ts';
import { parseHookScript } from '../../home/scripts.ts';
import { hooksWouldRun } from '../../hook/start/installed-hooks.ts';

/** Whether a session that begins in this project would be held: the hooks are installed, and what they start is there. */
export function hooksStateOf(project: string, env: NodeJS.ProcessEnv): HooksState {
  const state = hooksWouldRun(project, env);
  return (state.held ? missingProgram(hookScriptPath(homeRoot(env)), env) : undefined) ?? state;
}

/** Names what the script cannot start. When its own Node is gone, it looks for one on PATH. */
function missingProgram(script: string, env: NodeJS.ProcessEnv): HooksState | undefined {
  const text = readSmall(script) ?? '';
  const { nodePath: node, hookEntry: entry } = parseHookScript(text);
  if (node !== undefined && !isProgram(node) && !onPath('node', env))
    return {
      held: false,
      obstacle: 'node_missing',
      why: `node was found neither at ${node} nor on PATH; install Node.js 20 or newer, then run: untildone install`,
    };
  if (entry === undefined || sizeOf(entry) > 0) return undefined;
  return {
    held: false,
    obstacle: 'program_missing',
    why: `${entry}, which the hooks start, is ${sizeOf(entry) < 0 ? 'gone' : 'empty'}; install untildone again, then run: untildone install`,
  };
}

function onPath(name: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  return PATH.split(delimiter).some((folder) => folder !== '' && isProgram(join(folder, name)));
}

/** The bytes of a file; -1 when there is none. */
function sizeOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? stat.size : -1;
}
