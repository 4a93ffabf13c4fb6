/** Plays the beginning of a run on the terminal it is started on; the test reads what comes out at the other end. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { openRunReporter } from '../../../src/engine/run/view/report.ts';
import { out } from '../../../src/engine/terminal/print.ts';
import { BASELINE, doneState, LIMITS, LOOP, STORY } from './run-story.ts';

const [scene, resultFile = ''] = process.argv.slice(2);
const { stdout } = process;
const reporter = openRunReporter(
  { json: false, quiet: false },
  { out, now: Date.now, stdout, env: process.env, project: '/project' },
);

// As in a real run, a signal only asks: the step is finished first.
const hungUp = once(process, 'SIGHUP');
const failed = once(stdout, 'error');

/** Resolves when something was written from now on. */
function drawn(): Promise<void> {
  const write = stdout.write.bind(stdout);
  return new Promise((resolve) => {
    stdout.write = ((text: string) => {
      stdout.write = write;
      setImmediate(resolve);
      return write(text);
    }) as typeof stdout.write;
  });
}

async function play(): Promise<void> {
  const first = drawn();
  reporter.begun(LOOP, 'Build the todo API', BASELINE, { limits: LIMITS, resumed: false });
  for (const event of STORY.slice(0, 10)) reporter.event(event);
  await first;
}

async function untilResized(): Promise<void> {
  const resized = once(stdout, 'resize');
  spawnSync('stty', ['cols', '110'], { stdio: 'inherit' });
  await resized;
  await drawn();
}

async function untilHungUp(): Promise<void> {
  await hungUp;
  for (const event of STORY.slice(0, -1)) reporter.event(event);
  await failed;
}

async function main(): Promise<void> {
  // The view alone never keeps a program running; and this one must not run for ever.
  const alive = setTimeout(() => process.exit(1), 300_000);
  await play();
  await (scene === 'hang-up' ? untilHungUp() : untilResized());
  reporter.event({ type: 'ended', state: doneState() });
  reporter.close();
  clearTimeout(alive);
  writeFileSync(resultFile, 'came to its end');
}

void main();
