#!/usr/bin/env node
// Runs scripts of package.json at the same time. Shows what those said that failed, and fails with them.
import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';

/** Resolves with what it said when it failed, with nothing when it did not. */
function run(name) {
  const npm = process.env.npm_execpath;
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  const child = spawn(command, [...first, 'run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text;
    });
  return new Promise((done) => {
    child.on('error', (error) => done(`${error.message}\n`));
    child.on('close', (code) => done(code === 0 ? undefined : said));
  });
}

/** What the scripts said that failed, in the order of their names. */
export async function sideBySide(names) {
  const failures = await Promise.all(names.map(run));
  return failures.flatMap((said, i) => (said === undefined ? [] : `npm run ${names[i]} failed:\n${said}`));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const failures = await sideBySide(process.argv.slice(2));
  process.stdout.write(failures.join(''));
  process.exitCode = failures.length === 0 ? 0 : 1;
}
