import { join } from 'node:path';
import { homeFrom } from './adapters/home.ts';
import { loadBundle } from './adapters/kept-code.ts';

/** argv to one lazily loaded bundle: the hook must not pay for the rest of the program. */
if (process.argv[2] === 'hook' && process.argv.length === 3) void answerHook();
else require('./cli.cjs');

/** The code is kept after a Stop: of all events it runs through the most of it. */
async function answerHook(): Promise<void> {
  const bundle = loadBundle(join(__dirname, 'hook.cjs'), join(homeFrom(process.env).root, 'hook.code'));
  const { answered } = bundle.run(require) as typeof import('./hook-entry.ts');
  if ((await answered) === 'Stop' && !bundle.fromKept) bundle.keep();
  process.exit();
}
