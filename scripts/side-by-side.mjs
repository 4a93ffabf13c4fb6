#!/usr/bin/env node
// Runs scripts of package.json at the same time. Shows what those said that failed, and fails with them.
import { spawn } from 'node:child_process';

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

const names = process.argv.slice(2);
const failures = await Promise.all(names.map(run));
for (const [i, said] of failures.entries())
  if (said !== undefined) process.stdout.write(`npm run ${names[i]} failed:\n${said}`);
process.exitCode = failures.every((said) => said === undefined) ? 0 : 1;
