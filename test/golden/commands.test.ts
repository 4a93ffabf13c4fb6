import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCli } from '../../src/cli/cli.ts';
import { allCommands, nameOf } from '../../src/cli/help/help.ts';
import { type GoldenScene, goldenScene, SESSION } from '../support/golden/scene.ts';
import { steady } from '../support/golden/steady.ts';

const golden = (name: string) => join(import.meta.dirname, 'expected', name);

test('every --help', async () => {
  const cli = buildCli();
  const helps = [cli, ...allCommands(cli)].map((command) => {
    let text = '';
    command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
    command.outputHelp();
    return `# ${command === cli ? 'untildone' : `untildone ${nameOf(command)}`}\n\n${text.trimEnd()}\n`;
  });
  await expect(steady(helps.join('\n'))).toMatchFileSnapshot(golden('help.txt'));
});

const CONTRACT = `gates:
  made: { run: "test -f made" }
  tidy: { forbid: [debugger], paths: [src] }
  both: { all: [made, tidy] }
done: [both]
`;

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

/** Of commands that print objects: the object laid out in lines, so that a difference is short. */
function laidOut(stdout: string): string {
  if (stdout === '') return '';
  const values = stdout.startsWith('{\n') ? [stdout] : stdout.trimEnd().split('\n');
  return values.map((text) => `${JSON.stringify(JSON.parse(text), null, 2)}\n`).join('');
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
  ];
  const said: string[] = [];
  for (const words of calls) {
    const { stdout, stderr, exitCode } = await scene.command(...words, '--json');
    if (words.join(' ') === 'receipt') writeFileSync(join(scene.project, 'receipt.json'), stdout);
    said.push(`# untildone ${words.join(' ')} --json (${exitCode})\n\n${laidOut(stdout)}${stderr}`);
  }
  await expect(scene.steady(said.join('\n'))).toMatchFileSnapshot(golden('json.txt'));
});

describe('the bytes of the journal', () => {
  test('are those of its grammar: every field in its place', async () => {
    const scene = await twoLoops();
    await expect(scene.steady(`${scene.journals().join('\n')}\n`)).toMatchFileSnapshot(
      golden('journal.jsonl'),
    );
  });
});
