/** `untildone status --watch`: the overview in the terminal, drawn again when something changes. */
import { once } from 'node:events';
import { jsonText } from '../../engine/core/text/visible.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { FileStore } from '../../engine/home/store.ts';
import type { LoopRef } from '../../engine/ports/ports.ts';
import { readLoops } from '../../engine/run/person/find-loop.ts';
import { watchInterruption } from '../../engine/terminal/interruption.ts';
import { out } from '../../engine/terminal/print.ts';
import { TerminalRegion } from '../../engine/terminal/text.ts';
import { foundJson } from '../loop/loop-json.ts';
import { Loops } from './server/loops.ts';
import { watchHome } from './server/watch.ts';
import type { DashboardPorts } from './server/world.ts';
import { changeLine, watchLines } from './view/watch-lines.ts';

/** Seconds count up, and processes end without writing anything. */
const TICK_MS = 1_000;

/** Returns the exit code. Without a terminal, and with `json`, each change is a line. */
export async function watchStatus(world: DashboardPorts, { json }: { json: boolean }): Promise<number> {
  const interruption = watchInterruption();
  const loops = new Loops(world);
  loops.rescan();
  const { stdout } = process;
  const show = stdout.isTTY && !json ? drawn(loops, world) : printed(loops, world, json);
  const watcher = watchHome(world.home, ({ loops: changed, all }) => {
    if (all || changed.some((id) => !loops.has(id))) loops.rescan();
    for (const id of changed) loops.refresh(id);
    show.now();
  });
  const tick = setInterval(() => {
    loops.trust.look(() => show.now());
    show.now();
  }, TICK_MS);
  show.now();
  if (!interruption.signal.aborted) await once(interruption.signal, 'abort');
  clearInterval(tick);
  watcher.close();
  show.end();
  return interruption.exitCode() === EXIT.interrupted ? EXIT.ok : (interruption.exitCode() ?? EXIT.ok);
}

interface Shown {
  now(): void;
  end(): void;
}

function drawn(loops: Loops, world: DashboardPorts): Shown {
  const region = new TerminalRegion(process.stdout);
  // The terminal cuts what is longer than a line: the region tells it not to wrap.
  const lines = (most: number) => watchLines(loops.rows(), loops.needs(), most, world.clock.now());
  const draw = () => {
    loops.lookAgain();
    region.draw(lines(region.rows));
  };
  process.stdout.on('resize', draw);
  return {
    now: draw,
    end() {
      process.stdout.off('resize', draw);
      region.finish(lines(Number.MAX_SAFE_INTEGER).slice(1));
    },
  };
}

function printed(loops: Loops, world: DashboardPorts, json: boolean): Shown {
  const told = new Map<string, string>();
  return {
    now() {
      loops.lookAgain();
      for (const row of loops.rows()) {
        const key = `${row.status} ${row.iteration} ${row.words} ${row.doing}`;
        if (told.get(row.id) === key) continue;
        told.set(row.id, key);
        if (!json) out(changeLine(row, world.clock.now()));
        else for (const found of foundNow(loops.ref(row.id), world)) out(jsonText(found));
      }
    },
    end() {},
  };
}

/** The loop as `status --json` has it; none when it has gone meanwhile. */
function foundNow(ref: LoopRef | undefined, { home, clock, ...world }: DashboardPorts) {
  const store = new FileStore(home, clock);
  const { hooksAt, turnEndOf, wallsHere } = world;
  const viewing = { store, hooksAt, turnEndOf, wallsHere, now: clock.now() };
  return readLoops(store, ref ? [ref] : []).map((found) => foundJson(found, viewing));
}
