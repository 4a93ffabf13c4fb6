import { homedir } from 'node:os';
import { toolPlace } from '../adapters/tool-place.ts';
import { judgeTool } from '../core/judge-tool.ts';
import type { ToolGuard } from '../core/tool-rules.ts';

/** Tool rules, asked on this machine. */
export function openTools(env: NodeJS.ProcessEnv): ToolGuard {
  const userHome = env.HOME || homedir();
  return {
    judge: (call, rules, project) => judgeTool(call, rules, toolPlace(project, call.cwd, userHome, env)),
  };
}
