// Drives a run from a program: the real Claude Code, with a scripted model in place of an account.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'untildone';

const folder = mkdtempSync(join(tmpdir(), 'untildone-example-'));
const model = await startModel('model.yaml');
try {
  const project = join(folder, 'project');
  const home = join(folder, 'home');
  mkdirSync(home);
  cpSync(join(import.meta.dirname, 'project'), project, { recursive: true });

  const { status, iteration, sessions, why, receipt } = await run({
    project,
    task: 'Make add() add.',
    contract: {
      gates: { tests: { run: 'node --test' }, intact: { tests_intact: true } },
      run: { model: 'claude-sonnet-4-5', allow: ['Bash'] },
    },
    limits: { iterations: 5 },
    // With your own account, leave this out.
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...model.env,
    },
    onEvent: tell,
  });

  console.log(`\n${status} after ${iteration} iterations in ${sessions} session(s): ${why}\n`);
  console.log(receipt?.text ?? 'There is no receipt.');
  process.exitCode = status === 'verified_done' ? 0 : 1;
} finally {
  model.stop();
  rmSync(folder, { recursive: true, force: true });
}

function tell(event) {
  if (event.type === 'happening' && event.kind === 'said') console.log(`  model: ${event.text}`);
  if (event.type === 'happening' && event.kind === 'called') console.log(`  tool:  ${event.tool}`);
  if (event.type === 'stop') {
    const gates = event.run.gates.map((gate) => `${gate.name} ${gate.verdict}`).join(', ');
    console.log(`${event.held ? 'HELD' : 'let go'}: ${gates}`);
  }
}

/** `untildone simulate`: says in its first lines where it listens. */
async function startModel(script) {
  const cli = join(createRequire(import.meta.url).resolve('untildone/package.json'), '../dist/untildone.cjs');
  const child = spawn(process.execPath, [cli, 'simulate', join(import.meta.dirname, script)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  while (!said.includes('ANTHROPIC_API_KEY')) said += String((await once(child.stdout, 'data'))[0]);
  child.stdout.resume();
  const env = Object.fromEntries([...said.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  return { env, stop: () => child.kill() };
}
