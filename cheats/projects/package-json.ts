import { fileName } from './vendored.ts';

/** The text of a package.json; `vendored` are installed from the project's own archives. */
export function packageJson(
  name: string,
  scripts: Record<string, string>,
  more: { vendored?: readonly string[]; [key: string]: unknown } = {},
): string {
  const { vendored = [], ...rest } = more;
  const devDependencies = Object.fromEntries(vendored.map((each) => [each, `file:vendor/${fileName(each)}`]));
  const base = { name, version: '1.0.0', private: true, type: 'module', scripts, ...rest };
  return json(vendored.length > 0 ? { ...base, devDependencies } : base);
}

/** The lock file of a package without dependencies. */
export function emptyLock(name: string): string {
  const version = '1.0.0';
  return json({ name, version, lockfileVersion: 3, requires: true, packages: { '': { name, version } } });
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
