import { userHome } from '../adapters/machine.ts';
import { toolPlace } from '../adapters/tool-place.ts';
import { judgeTool } from '../core/judge-tool.ts';
import type { ToolGuard } from '../core/tool-rules.ts';

/** Tool rules, asked on this machine. */
export function openTools(env: NodeJS.ProcessEnv): ToolGuard {
  return {
    judge: (call, rules, project) => judgeTool(call, rules, toolPlace(project, call.cwd, userHome(env), env)),
  };
}
