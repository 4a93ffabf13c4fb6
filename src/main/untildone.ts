import { existsSync, readdirSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { compileCache, homeRoot, removeCompiledCode } from '../home/layout.ts';
import { readInput } from '../hook/read-input.ts';
import type * as hook from './hook.ts';
import type * as tool from './tool.ts';

const TOOL_CALL = /"hook_event_name"\s*:\s*"(?:PreToolUse|PostToolUse|PostToolUseFailure|PermissionRequest)"/;

/** More than the bundles of a few programs on a few Nodes. */
const MOST_CACHED = 40;

/** Chooses the bundle by the first argument: the hook and the status line do not load the rest of the program. */
const small = process.argv.length === 3 ? process.argv[2] : undefined;
if (small === 'hook' || small === 'statusline') {
  cacheCompiledCode();
  if (small === 'hook') void answerHook();
  else require('./statusline.cjs');
} else require('./cli.cjs');

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
 * checks every entry, also against the bundle, and compiles again what does not fit. It removes nothing: entries of older
 * Nodes and programs stay, and on a full disk every call leaves a part of an entry. So what has become too much goes.
 */
function cacheCompiledCode(): void {
  try {
    const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
    const home = homeRoot(process.env);
    // Makes no home: without one untildone is not set up here.
    if (!enableCompileCache || !existsSync(home)) return;
    const folder = compileCache(home);
    if (existsSync(folder) && readdirSync(folder, { recursive: true }).length > MOST_CACHED)
      removeCompiledCode(home);
    enableCompileCache(folder);
  } catch {
    // The hook works without the cache.
  }
}
