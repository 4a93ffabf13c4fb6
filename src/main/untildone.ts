import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { compileCache, homeRoot } from '../home/layout.ts';
import { readInput } from '../hook/read-input.ts';
import type * as hook from './hook.ts';
import { loadProgram } from './load-program.ts';
import type * as tool from './tool.ts';

const TOOL_CALL = /"hook_event_name"\s*:\s*"(?:PreToolUse|PostToolUse|PostToolUseFailure|PermissionRequest)"/;

/** Chooses the bundle by the first argument: the hook and the status line do not load the rest of the program. */
const small = process.argv.length === 3 ? process.argv[2] : undefined;
if (small === 'hook' || small === 'statusline') {
  cacheCompiledCode();
  if (small === 'hook') void answerHook();
  else require('./statusline.cjs');
} else void loadProgram(() => import('./program/cli.mjs' as string));

/** Each class of events has a bundle of its own. What the text seems to be is enough: the bundle hands on what it does not know. */
async function answerHook(): Promise<void> {
  const input = await readInput();
  const isToolCall = input.ok && TOOL_CALL.test(input.text);
  await (isToolCall
    ? (require('./tool.cjs') as typeof tool).answer(input)
    : (require('./hook.cjs') as typeof hook).answer(input));
}

/**
 * Lets Node keep its compiled code in the home, which only its user can write to (ADR 11). Node before 22.8 cannot. Node
 * checks every entry, also against the bundle, and compiles again what does not fit.
 */
function cacheCompiledCode(): void {
  try {
    const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
    const home = homeRoot(process.env);
    // Makes no home: without one untildone is not set up here.
    if (existsSync(home)) enableCompileCache?.(compileCache(home));
  } catch {
    // The hook works without the cache.
  }
}
