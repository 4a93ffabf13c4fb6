/** Replays one scenario in one format against one hook. */
import { type Asked, countsFor, isAsked } from './compare.ts';
import { layOutWorld } from './lay-out.ts';
import { layoutFor, layoutNames } from './layouts.ts';
import { Player } from './player.ts';
import type { RunCommand } from './run-command.ts';
import type { Format, Scenario, Step } from './scenario.ts';

export interface HookUnderTest {
  /** As it would stand in the settings: run by `/bin/sh -c`. */
  line: string;
  isUntildone: boolean;
  /** The files that it takes for a loop, by format; a format that it does not read has none. */
  reads: Record<Format, string[]>;
}

export interface Bench {
  /** How untildone itself is called, for scenarios about its commands. */
  untildone: readonly string[];
  permissionsCount: boolean;
  /** Runs a command line; in a process of its own unless given. */
  run?: RunCommand | undefined;
  /** Aborting ends what runs and cleans up; outcomes are worth nothing then. */
  signal?: AbortSignal | undefined;
}

export type Outcome =
  | { kind: 'passed' }
  /** The first difference, in one line, and where the scenario asks for it. */
  | { kind: 'failed'; line: number; step: string; difference: string }
  | { kind: 'not_applicable'; why: string };

export async function replay(
  scenario: Scenario,
  format: Format,
  hook: HookUnderTest,
  bench: Bench,
): Promise<Outcome> {
  const asked = { format, isUntildone: hook.isUntildone };
  const steps = scenario.steps.filter((step) => countsFor(step.only, asked));
  const why = whyUnread(scenario, asked, hook) ?? whyUnasked(steps, asked, bench);
  if (why) return { kind: 'not_applicable', why };
  const playing = { ...asked, layout: layoutFor(format, hook.reads[format]) };
  const world = layOutWorld(scenario, playing);
  try {
    const player = new Player(scenario, playing, world, {
      line: hook.line,
      untildone: bench.untildone,
      run: bench.run,
      unprivileged: needsPermissions(steps),
      signal: bench.signal,
    });
    for (const step of steps) {
      const found = await player.play(step).catch((error: Error) => ({
        line: step.line,
        difference: `it could not be replayed: ${error.message}`,
      }));
      if (found) return { kind: 'failed', step: step.text, ...found };
    }
    return { kind: 'passed' };
  } finally {
    await world.dispose();
  }
}

/** A hook is not blamed for what it never claimed to read. */
function whyUnread({ formats, files }: Scenario, asked: Asked, { reads }: HookUnderTest): string | undefined {
  const { format } = asked;
  if (!formats.includes(format)) return 'the scenario is about other formats';
  if (reads[format].length === 0) return 'the hook does not read this format';
  const unread = layoutNames(format).filter((name) => !reads[format].includes(name));
  const about = files.find(
    ({ path, only }) => countsFor(only, asked) && unread.some((n) => path.endsWith(`/${n}`)),
  );
  return about ? `the hook does not read ${about.path.split('/').at(-1)}` : undefined;
}

function whyUnasked(steps: readonly Step[], asked: Asked, bench: Bench): string | undefined {
  if (steps.some(needsUntildone) && !asked.isUntildone) return "it is about untildone's own commands";
  if (needsPermissions(steps) && !bench.permissionsCount) return 'permissions do not count for this user';
  const asks = steps.some(({ expected }) => expected.some((e) => isAsked(e, asked)));
  return asks ? undefined : 'it asks nothing of other hooks';
}

function needsUntildone({ action }: Step): boolean {
  return action.kind === 'run' || (action.kind === 'stop' && action.given.installed);
}

function needsPermissions(steps: readonly Step[]): boolean {
  return steps.some(
    ({ action }) => action.kind === 'make' && ['unreadable', 'read-only'].includes(action.what.kind),
  );
}
