// Tools that tests need besides Node, npm and git. As root on Debian or Ubuntu, missing ones are installed from there.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** By package of Debian: the programs by which it is found, any of them. */
const TOOLS = JSON.parse(readFileSync(new URL('test-tools.json', import.meta.url), 'utf8'));

function isThere(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

const packages = Object.keys(TOOLS).filter((name) => !TOOLS[name].some(isThere));
if (packages.length > 0) {
  const line = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (process.getuid?.() === 0 && isThere('apt-get')) install(line);
  else console.error(`Tests that need ${packages.join(', ')} will fail. To install what is missing: ${line}`);
}

/** Goes on when it fails: the tests that need a tool say so themselves. */
function install(line) {
  console.error(`Installing what tests need: ${line}`);
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, encoding: 'utf8' };
  const steps = [['update'], ['install', '-y', '--no-install-recommends', ...packages]];
  for (const step of steps) {
    const { status, stderr, error } = spawnSync('apt-get', step, options);
    // Without an update, older lists may still lead to the packages.
    if (status === 0 || step[0] === 'update') continue;
    const said = (stderr ?? '').trim().split('\n').at(-1) || error?.message;
    console.error(`apt-get could not install it (${said}): tests that need it will fail.`);
  }
}
