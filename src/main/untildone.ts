import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../engine/core/words/exit-codes.ts';
import { compileCache, homeRoot, removeCompiledCode } from '../engine/home/layout.ts';
import { readInput } from '../engine/hook/read-input.ts';
import type * as events from './events.ts';
import type * as hook from './hook.ts';
import { loadProgram } from './load-program.ts';
import type * as tool from './tool.ts';

const TOOL_CALL = /"hook_event_name"\s*:\s*"(?:PreToolUse|PostToolUse|PostToolUseFailure|PermissionRequest)"/;
const STOP = /"hook_event_name"\s*:\s*"Stop"/;

/** More than the bundles of a few programs on a few Nodes. */
const MOST_CACHED = 120;

/** Chooses the bundle by the first argument: the hook and the status line do not load the rest of the program. */
const small = process.argv.length === 3 ? process.argv[2] : undefined;
if (small === 'hook' || small === 'statusline') {
  cacheCompiledCode();
  if (small === 'hook') answerHook().catch(unanswered);
  else require('./statusline.cjs');
} else void loadProgram(() => import('./program/cli.mjs' as string));

/** Each class of events has a bundle of its own. What the text seems to be is enough: the bundle hands on what it does not know. */
async function answerHook(): Promise<void> {
  const input = await readInput();
  const seems = (event: RegExp) => input.ok && event.test(input.text);
  const bundle =
    (seems(TOOL_CALL) && toolBundle()) ||
    (seems(STOP) ? hookBundle() : (require('./events.cjs') as typeof events));
  await bundle.answer(input);
}

/** A part of the program is gone. The status tells `hook.sh` that nothing was answered: `hold.sh` answers then. */
function unanswered(error: Error): void {
  const [why] = error.message.split('\n');
  process.stderr.write(`untildone: ${why}: install untildone again\n`);
  process.exitCode = EXIT.no;
}

/** What `hook.cjs` loads when a Stop is not simply held. Without it no Stop is begun, so that `hold.sh` holds the session. */
const HOOK_PARTS = ['hook-rest.cjs'];

function hookBundle(): typeof hook {
  for (const part of HOOK_PARTS)
    if (!existsSync(join(__dirname, part))) throw new Error(`${part} of untildone is gone`);
  return require('./hook.cjs') as typeof hook;
}

/** What `tool.cjs` loads when a tool call needs more. */
const TOOL_PARTS = ['tool-rules.cjs', 'tool-rest.cjs'];

/** Undefined where a part of it is gone or damaged, as in the middle of an update: `events.cjs` answers tool calls, too. */
function toolBundle(): typeof tool | undefined {
  try {
    if (!TOOL_PARTS.every((part) => existsSync(join(__dirname, part)))) return undefined;
    const bundle = require('./tool.cjs') as Partial<typeof tool>;
    return bundle.answer === undefined ? undefined : (bundle as typeof tool);
  } catch {
    return undefined;
  }
}

/**
 * Lets Node keep its compiled code in the home, which only its user can write to (ADR 11). Node before 22.8 cannot. Node
 * checks every entry, also against the bundle, and compiles again what does not fit. It removes nothing: entries of older
 * Nodes and programs stay, and on a full disk every call leaves a part of an entry. So what has become too much goes.
 */
function cacheCompiledCode(): void {
  // Older ones would load a module for nothing.
  if (Number.parseInt(process.versions.node, 10) < 22) return;
  try {
    const { enableCompileCache } = require('node:module') as {
      enableCompileCache?: (folder: string) => unknown;
    };
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
