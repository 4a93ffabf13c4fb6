import type { Limits } from '../../core/contract/contract.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { clockOf } from '../../core/text/moment.ts';
import { colourWanted } from '../../terminal/style.ts';
import { cutTo, wrapLine } from '../../terminal/text.ts';
import type { RunReporter } from '../reporter.ts';
import { jsonReporter } from './json.ts';
import { liveReporter } from './view.ts';
import { beginningLines, childLines, closingLines, factLines, noteLines, pausedLines } from './words.ts';

export interface ReporterPorts {
  out(line: string): void;
  now(): number;
  stdout: NodeJS.WriteStream;
  env: NodeJS.ProcessEnv;
  /** Paths are shown relative to it; without it, to the working folder. */
  project?: string;
}

const LINE = 200;

/** Opens a live view on a terminal, else plain lines, or JSON when asked for. Close it when the run is over. */
export function openRunReporter(
  options: { json: boolean; quiet: boolean },
  world: ReporterPorts,
): RunReporter & { close(): void } {
  const { stdout, env, now, project } = world;
  const watched = outlive(stdout);
  const out = (line: string) => {
    if (!watched.lost()) world.out(line);
  };
  const nothing = { close: () => undefined };
  if (options.json) return { ...jsonReporter(out, now), ...nothing };
  if (stdout.isTTY && env.TERM !== 'dumb' && !options.quiet) {
    return liveReporter({ stdout, now, project, lost: watched.lost, colour: colourWanted(stdout, env) });
  }
  const width = () => (stdout.isTTY && stdout.columns > 0 ? Math.min(LINE, stdout.columns) : LINE);
  return {
    ...lineReporter(out, now, options.quiet, { width, project, wrap: stdout.isTTY === true }),
    ...nothing,
  };
}

/**
 * Keeps a run going when its terminal or pipe is closed: output is dropped from then on. The listener stays to the end of
 * the process, because the last write can fail late.
 */
function outlive(stdout: NodeJS.WriteStream): { lost(): boolean } {
  let lost = false;
  stdout.removeAllListeners('error');
  stdout.on('error', () => {
    lost = true;
  });
  return { lost: () => lost };
}

/** Plain lines for a log or a pipe. Long lines are cut; the closing lines are wrapped. */
export function lineReporter(
  out: (line: string) => void,
  now: () => number,
  quiet: boolean,
  options: { width?: () => number; project?: string | undefined; wrap?: boolean } = {},
): RunReporter {
  const { width = () => LINE, project = process.cwd(), wrap = true } = options;
  const print = (line: string) => out(cutTo(`${clockOf(now())} ${line}`, width()));
  const printWhole = (line: string) => {
    const clock = clockOf(now());
    // In a file, a command to be typed stays in one piece.
    const parts = wrap ? wrapLine(line, width() - clock.length - 1) : [line];
    for (const part of parts) out(`${clock} ${part}`);
  };
  let limits: Limits | undefined;
  let state: LoopState | undefined;
  let begunLoop: string | undefined;
  const reporter: RunReporter = {
    begun: (loop, task, baseline, more) => {
      begunLoop = loop;
      limits = more?.limits;
      for (const line of beginningLines(loop, task, baseline, more?.resumed ?? false)) print(line);
    },
    event: (event) => {
      if ('state' in event) state = event.state;
      for (const line of factLines(event, { now: now(), quiet, project })) print(line);
      if (event.type === 'ended') closingLines(event.state, limits, now()).forEach(printWhole);
      if (event.type === 'paused') pausedLines(event.why, state?.loop ?? begunLoop).forEach(printWhole);
    },
    note: (text) => noteLines(text).forEach(printWhole),
    child: (child) => childLines(child, (line) => print(line), { now, quiet, project }),
  };
  return reporter;
}
