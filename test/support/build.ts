import { execFileSync } from 'node:child_process';

/** The whole-program tests run what users run: the bundles. */
export default function setup(): void {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
}
