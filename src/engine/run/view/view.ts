import { clockOf } from '../../core/text/moment.ts';
import { cutTo, type Terminal, TerminalRegion } from '../../terminal/text.ts';
import type { ChildName, RunEvent, RunReporter } from '../reporter.ts';
import { screenLines } from './screen.ts';
import { emptyViewModel, type RunViewModel, withBeginning, withChildEvent, withEvent } from './view-model.ts';
import {
  beginningLines,
  childLines,
  closingLines,
  cutOffLines,
  factLines,
  noteLines,
  pausedLines,
} from './words.ts';

export interface ViewPorts {
  stdout: Terminal & Pick<NodeJS.WriteStream, 'on' | 'off'>;
  now(): number;
  colour: boolean;
  project?: string | undefined;
  /** True after the terminal was closed: nothing is written then. */
  lost(): boolean;
}

/** The shortest and the longest time between two frames: the screen counts seconds. */
const FRAME_MS = 100;
const TICK_MS = 1_000;

/** A view that is redrawn in place. What the run does stays above it, in the scroll-back; the result comes at its end. */
export function liveReporter(world: ViewPorts): RunReporter & { close(): void } {
  const view = new RunView(world);
  return {
    begun: (loop, task, baseline, more) => {
      view.change((model) => withBeginning(model, { loop, task, baseline, limits: more?.limits }));
      view.say(beginningLines(loop, task, [], more?.resumed ?? false));
    },
    event: (event) => view.show(event),
    note: (text) => view.say(noteLines(text)),
    child: (child) => childOfView(child, view, world),
    close: () => view.close(),
  };
}

function childOfView(child: ChildName, view: RunView, { now, project }: ViewPorts): RunReporter {
  const print = (line: string) => view.say([line]);
  const lines = childLines(child, print, { now, quiet: false, project: project ?? process.cwd() });
  return {
    ...lines,
    event: (event) => {
      view.change((model) => withChildEvent(model, child.piece, event, now()));
      lines.event(event);
    },
  };
}

class RunView {
  readonly #world: ViewPorts;
  readonly #region: TerminalRegion;
  #model: RunViewModel;
  /** Lines for the scroll-back that the next frame prints. */
  #above: string[] = [];
  /** Draws the next frame. */
  #timer: NodeJS.Timeout | undefined;
  #due = 0;
  #drawnAt = 0;
  #live = false;
  readonly #draw = () => this.#frame();
  readonly #resize = () => this.#drawSoon();
  readonly #comeBack = () => {
    this.#region.forget();
    this.#drawSoon();
  };

  constructor(world: ViewPorts) {
    this.#world = world;
    this.#region = new TerminalRegion(world.stdout);
    this.#model = emptyViewModel(world.project ?? process.cwd(), world.now());
  }

  show(event: RunEvent): void {
    const now = this.#world.now();
    const { project } = this.#model;
    this.change((model) => withEvent(model, event, now));
    if (event.type === 'ended') this.#rest(closingLines(event.state, this.#model.limits, now));
    else if (event.type === 'paused') this.#rest(pausedLines(event.why, this.#model.loop));
    else this.say(factLines(event, { now, quiet: false, project }));
  }

  change(fold: (model: RunViewModel) => RunViewModel): void {
    this.#model = fold(this.#model);
    this.#wake();
    this.#drawSoon();
  }

  /** Prints lines above the view, or plainly where there is no view. */
  say(lines: readonly string[]): void {
    if (this.#live) {
      this.#above.push(...lines.map((line) => `${clockOf(this.#world.now())} ${line}`));
      this.#drawSoon();
    } else if (!this.#world.lost()) this.#region.finish(lines);
  }

  /** Ends the view. For a run that has neither ended nor paused, it says how to go on. */
  close(): void {
    if (this.#live) this.#rest(cutOffLines(this.#model.loop));
  }

  #wake(): void {
    if (this.#live) return;
    this.#live = true;
    this.#world.stdout.on('resize', this.#resize);
    process.on('SIGCONT', this.#comeBack);
  }

  #rest(lines: readonly string[]): void {
    this.#live = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#world.stdout.off('resize', this.#resize);
    process.off('SIGCONT', this.#comeBack);
    if (!this.#world.lost()) this.#region.finish([...this.#above, ...lines]);
    this.#above = [];
  }

  #drawSoon(): void {
    this.#drawAt(this.#drawnAt + FRAME_MS);
  }

  /** Draws at that time, unless a frame is due earlier. */
  #drawAt(due: number): void {
    if (!this.#live || (this.#timer && this.#due <= due)) return;
    clearTimeout(this.#timer);
    this.#due = due;
    // The wait is bounded, so that a clock that was set back does not stop the view.
    this.#timer = setTimeout(this.#draw, Math.min(TICK_MS, Math.max(0, due - this.#world.now())));
    // The timer must not keep the process running.
    this.#timer.unref();
  }

  #frame(): void {
    this.#timer = undefined;
    if (!this.#live || this.#world.lost()) return;
    const { columns, rows } = this.#region;
    const now = this.#world.now();
    const lines = screenLines(this.#model, { columns, rows }, now, this.#world.colour);
    this.#region.draw(
      lines,
      this.#above.map((line) => cutTo(line, columns)),
    );
    this.#above = [];
    this.#drawnAt = now;
    this.#drawAt(now + TICK_MS);
  }
}
