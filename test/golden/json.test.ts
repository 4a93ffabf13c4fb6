// Tier: world
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeHealthyScene } from '../support/cli/doctor-scene.ts';
import { laidOutJson } from '../support/golden/laid-out.ts';
import { type GoldenScene, goldenScene, SESSION } from '../support/golden/scene.ts';
import { steady } from '../support/golden/steady.ts';
import { loadProgram, runCli } from '../support/in-process.ts';
import { waitFor } from '../support/live/processes.ts';
import { transcriptLines } from '../support/reflect/transcript.ts';

const golden = (name: string) => join(import.meta.dirname, 'expected', name);

const CONTRACT = `gates:
  made: { run: "test -f made" }
  tidy: { forbid: [debugger], paths: [src] }
  both: { all: [made, tidy] }
done: [both]
`;

/** A turn that ends with a claim, after a check that failed. */
function transcriptOf(cwd: string): string {
  const edit = join(cwd, 'src/a.js');
  const steps = [{ prompt: 'go' }, { edit }, { bash: 'npm test', exit: 1 }, { say: 'All tests pass.' }];
  const at = Date.now() - 60_000;
  return `${transcriptLines(steps, { session: SESSION, cwd, at }).join('\n')}\n`;
}

/** Durations of gates and hooks, and days, are other ones each time. */
function withoutSpreads(text: string): string {
  return text
    .replace(/(?<="week": ")\d{4}-\d\d-\d\d/g, '<week>')
    .replace(/(?<="ms": )\{[^{}]*\}/g, '"<spread>"')
    .replace(/(?<="day": ")\d{4}-\d\d-\d\d/g, '<day>');
}

/** `--json` before the words of another program. */
function withJson(words: readonly string[]): string[] {
  const end = words.indexOf('--');
  return end < 0 ? [...words, '--json'] : [...words.slice(0, end), '--json', ...words.slice(end)];
}

/** A session that was held, one that is done and has a receipt. */
async function twoLoops(): Promise<GoldenScene> {
  const scene = await goldenScene();
  const stop = (session_id: string) => ({
    hook_event_name: 'Stop',
    last_assistant_message: 'done',
    session_id,
  });
  scene.write('untildone.yaml', CONTRACT);
  await scene.trust();
  for (const session of [SESSION, 'other']) {
    // The name of a loop begins with its second, and lists are sorted by names.
    if (session !== SESSION) await new Promise((next) => setTimeout(next, 1005 - (Date.now() % 1000)));
    await scene.done('start', '--session', session, 'Build the thing');
    await scene.hook(stop(session));
  }
  writeFileSync(join(scene.project, 'made'), '');
  await scene.hook(stop('other'));
  return scene;
}

test('every --json that needs nothing of the machine', async () => {
  const scene = await twoLoops();
  const calls: string[][] = [
    ['status'],
    ['status', '--all', '--ended'],
    ['verify'],
    ['trust', '--show'],
    ['log'],
    ['receipt'],
    ['receipt', 'verify', 'receipt.json'],
    ['lessons'],
    ['holdout', 'list'],
    ['lock', 'status'],
    ['state', 'show', SESSION],
    ['setup', '--no-gates', '--no-proof'],
    ['reflect', '--since', '30d'],
    ['audit', '--since', 'all'],
    ['stats'],
    ['conformance', '--scenario', 'end-idle', '--', 'sh', join(scene.project, 'no.sh')],
  ];
  const transcript = transcriptOf(scene.project);
  scene.write(`home/.claude/projects/p/${SESSION}.jsonl`, transcript);
  // Beside the program, as in an installed one.
  const bugs = join(import.meta.dirname, '../scenarios/bugs');
  cpSync(join(bugs, 'end-idle.txt'), join(scene.project, 'scenarios/end-idle.txt'));
  scene.write('no.sh', `echo '{"decision":"block","reason":"no"}'\n`);
  const said: string[] = [];
  for (const words of calls) {
    const { stdout, stderr, exitCode } = await scene.command(...withJson(words));
    if (words.join(' ') === 'receipt') writeFileSync(join(scene.project, 'receipt.json'), stdout);
    said.push(`# untildone ${withJson(words).join(' ')} (${exitCode})\n\n${laidOutJson(stdout)}${stderr}`);
  }
  const text = said.join('\n').replaceAll(`"bytes": ${transcript.length}`, '"bytes": "<all of it>"');
  await expect(withoutSpreads(scene.steady(text))).toMatchFileSnapshot(golden('json.txt'));
});

test('the bytes of the journal: every field in its place', async () => {
  const scene = await twoLoops();
  const text = scene.steady(`${scene.journals().join('\n')}\n`);
  await expect(text).toMatchFileSnapshot(golden('journal.jsonl'));
});

test('doctor --json, of a set-up in order and of one that is not', async () => {
  const made = await makeHealthyScene(await loadProgram());
  onTestFinished(made.remove);
  const scene = made.again();
  const said: string[] = [];
  const doctor = async (...flags: string[]) => {
    const { code, stdout } = await scene.run(['doctor', '--no-proof', '--json', ...flags]);
    said.push(`# untildone ${['doctor', ...flags].join(' ')} --json (${code})\n\n${laidOutJson(stdout)}`);
  };
  await doctor();
  scene.edit(({ hooks }) => delete hooks.Stop);
  await doctor();
  await doctor('--fix');
  const text = steady(said.join('\n'), { folder: scene.folder })
    .replace(/(?<="Node )\d+\.\d+\.\d+/g, '<version>')
    .replace(/(?<=, installed ).*(?=")/g, '<moment>');
  await expect(text).toMatchFileSnapshot(golden('json-doctor.txt'));
});

test('dashboard --json: the link, and who serves it', async () => {
  const scene = await goldenScene();
  const program = await loadProgram();
  const known = process.listeners('SIGTERM');
  const added = () => process.listeners('SIGTERM').find((one) => !known.includes(one));
  const { env, project } = scene;
  const given = { line: '', env, cwd: project, input: '', limitMs: 0 };
  const args = ['dashboard', '--port', '0', '--token', 'a-token-of-the-test', '--json'];
  const over = runCli(program, args, given);
  const end = await waitFor(added);
  end('SIGTERM');
  const { stdout, exitCode } = await over;
  expect(stdout).toMatch(/^\{"url":"http:\/\/127\.0\.0\.1:\d+\/[^"]*","pid":\d+\}\n$/);
  expect(exitCode).toBe(143);
});
