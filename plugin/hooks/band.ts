/** The band above the prompt: why this session is held, its gates, iteration and cost, and what ends its loop next. */
import type { EngineInterface, RenderElement } from 'claude-code';
import { type Loop, linesOf, loopIn } from './band-lines';
import { environment, program } from './program';

let lines: readonly string[] = [];
let isAsking = false;
let isStale = false;

/**
 * Asks for the state of the loop and draws it. Calls that come while one is under way become one more. Nothing waits for it,
 * and where nothing is drawn nothing is asked.
 */
export async function refresh($: EngineInterface): Promise<void> {
  isStale = true;
  if (isAsking) return;
  isAsking = true;
  try {
    while (isStale) {
      isStale = false;
      if ((await $.session.surfaces()).length === 0) return;
      const before = lines.join('\n');
      lines = linesOf(await loopOf($));
      if (lines.join('\n') !== before) $.ui.invalidate('ui.render');
    }
  } catch {
    // The band shows what it showed before.
  } finally {
    isAsking = false;
  }
}

async function loopOf($: EngineInterface): Promise<Loop | undefined> {
  const { stdout } = await program($, ['status', '--json'], { env: await environment($), limitMs: 30_000 });
  return loopIn(stdout, await $.session.id());
}

/** The elements of a surface that the band is drawn with. */
interface Elements {
  readonly Box: unknown;
  readonly Text: unknown;
}

/** The rows of the band; undefined when this session has no loop. */
export function rows({ Box, Text }: Elements): RenderElement | undefined {
  if (lines.length === 0) return undefined;
  const texts = lines.map((line, i) => h(Text as never, { dimColor: i > 0 }, line));
  return h(Box as never, { flexDirection: 'column' }, ...texts) as RenderElement;
}
