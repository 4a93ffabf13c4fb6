/** Loads the engine's packages, which are optional: only the commands of a fleet need them. */
import { createRequire } from 'node:module';
import { UsageError } from '../../engine/core/text/errors.ts';

export type Bull = typeof import('bullmq');
export type IoRedis = typeof import('ioredis');

/** What is tested; `major` and `minor` are the oldest that will do. A newer major of BullMQ has other scripts. */
const PACKAGES = {
  bullmq: { tested: '6.7.0', major: 6, minor: 7, onlyThisMajor: true },
  ioredis: { tested: '6.0.0', major: 5, minor: 0, onlyThisMajor: false },
};
type Package = keyof typeof PACKAGES;
const NEEDED = Object.keys(PACKAGES) as Package[];

/** Throws UsageError with the command that installs what is missing. */
export function requirePackages(load: NodeJS.Require = ownRequire()): void {
  const missing = NEEDED.flatMap((name) => {
    const version = versionOf(name, load);
    return version !== undefined && suffices(name, version) ? [] : [{ name, version }];
  });
  if (missing.length === 0) return;
  const found = missing.map(({ name, version }) =>
    version === undefined
      ? `${name} is not installed`
      : `${name} ${version} is installed, which does not fit`,
  );
  const install = missing.map(({ name }) => `${name}@${PACKAGES[name].tested}`).join(' ');
  throw new UsageError(
    `a queue on Redis needs packages that do not come with untildone: ${found.join(', ')}; ` +
      `run: npm install -g ${install} (without -g where untildone is installed in a project)`,
  );
}

export function loadBull(load: NodeJS.Require = ownRequire()): Bull {
  return load('bullmq') as Bull;
}

export function loadIoRedis(load: NodeJS.Require = ownRequire()): IoRedis {
  return load('ioredis') as IoRedis;
}

function ownRequire(): NodeJS.Require {
  return createRequire(typeof __filename === 'string' ? __filename : import.meta.url);
}

function versionOf(name: Package, load: NodeJS.Require): string | undefined {
  try {
    load.resolve(name);
    return (load(`${name}/package.json`) as { version: string }).version;
  } catch {
    return undefined;
  }
}

function suffices(name: Package, version: string): boolean {
  const { major, minor, onlyThisMajor } = PACKAGES[name];
  const [its = 0, itsMinor = 0] = version.split('.').map(Number);
  if (its === major) return itsMinor >= minor;
  return its > major && !onlyThisMajor;
}
