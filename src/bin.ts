import { join } from 'node:path';
import { homeRoot } from './adapters/home.ts';
import { type LoadedBundle, loadBundle } from './adapters/kept-code.ts';

/** argv to one lazily loaded bundle: the hook must not pay for the rest of the program. */
if (process.argv[2] === 'hook' && process.argv.length === 3) void answerHook();
else require('./cli.cjs');

async function answerHook(): Promise<void> {
  const bundles = keptBundles(homeRoot(process.env));
  const { answered } = bundles.require('./hook.cjs') as typeof import('./hook-entry.ts');
  bundles.keepAfter(await answered);
  process.exit();
}

/** Whose code is kept, and after which event: the one that runs through the most of it, or comes the most often. */
function keptAfter(id: string): string | undefined {
  switch (id) {
    case './hook.cjs':
    case './judge.cjs':
    case './dialects.cjs':
      return 'Stop';
    case './session.cjs':
    case './tools.cjs':
      return 'PreToolUse';
    default:
      return undefined;
  }
}

/** Our own bundles with the code that earlier hooks left in the home, everything else as ever. */
function keptBundles(home: string): { require: NodeJS.Require; keepAfter(event: string | undefined): void } {
  const loaded = new Map<string, LoadedBundle>();
  const modules = new Map<string, unknown>();
  // Bundles ask for the same few modules from many of their files, and Node looks them up anew each time.
  const known = (id: string) => {
    if (!modules.has(id)) modules.set(id, keptAfter(id) === undefined ? require(id) : load(id));
    return modules.get(id);
  };
  const load = (id: string) => {
    const bundle = loadBundle(join(__dirname, id), join(home, id.replace('.cjs', '.code')));
    loaded.set(id, bundle);
    return bundle.run(ours);
  };
  const ours = Object.assign(known, { resolve: require.resolve }) as NodeJS.Require;
  return {
    require: ours,
    keepAfter: (event) => {
      for (const [id, bundle] of loaded) if (keptAfter(id) === event && !bundle.fromKept) bundle.keep();
    },
  };
}
