import { judgeTool } from '../../core/tools/judge-tool.ts';
import type { ToolGuard } from '../../core/tools/tool-rules.ts';
import { userHome } from '../../files/system.ts';
import { toolPlace } from '../../project/path-resolver.ts';

/** Tool rules, asked on this machine. */
export function openTools(env: NodeJS.ProcessEnv): ToolGuard {
  return {
    judge: (call, rules, project) => judgeTool(call, rules, toolPlace(project, call.cwd, userHome(env), env)),
  };
}
