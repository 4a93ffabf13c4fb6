import { judgeTool } from '../../core/tools/judge-tool.ts';
import { type MatcherOf, rewrites } from '../../core/tools/rewrite-input.ts';
import type { ToolGuard } from '../../core/tools/tool-rules.ts';
import { userHome } from '../../files/system.ts';
import { toolPlace } from '../../project/path-resolver.ts';

/** Tool rules, asked on this machine. Only rules that rewrite inputs need the engine for patterns. */
export function openTools(
  env: NodeJS.ProcessEnv,
  load: () => Promise<{ patterns(): Promise<MatcherOf> }>,
): ToolGuard {
  return {
    judge: async (call, rules, project) => {
      const matcherOf = rewrites(call.tool, rules.rewrite) ? await (await load()).patterns() : undefined;
      return judgeTool(call, rules, toolPlace(project, call.cwd, userHome(env), env), matcherOf);
    },
  };
}
