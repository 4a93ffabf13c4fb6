import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { approve, git } from '../../support/live/contract.ts';
import { formatScene } from '../../support/live/formats-scene.ts';
import { bash, decisionsOf, journalOf, loopOf, must } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';

/** A hook script as the document writes them: it lets go when it is told that a hook is active already. */
const VALIDATE_PLAN = `import json, re, sys
data = json.load(sys.stdin)
if data.get('stop_hook_active'):
    print(json.dumps({"decision": "approve"}))
    sys.exit(0)
open_items = re.findall(r'\\[ \\]', open('PLAN.md').read())
if open_items:
    print(json.dumps({"decision": "block", "reason": f"Found {len(open_items)} incomplete tasks."}))
else:
    print(json.dumps({"decision": "approve"}))
`;
const command = (line: string) => ({ matcher: '', hooks: [{ type: 'command', command: line }] });
const SETTINGS = {
  hooks: {
    Stop: [command('python3 .claude/hooks/validate_plan_completion.py')],
    SessionStart: [command("cat docs/plans/*/MEMORY.md 2>/dev/null || echo 'No active plans'")],
    PostToolUse: [command('touch "$CLAUDE_PROJECT_DIR/formatted"')],
  },
};
const TICK = "sed -i 's/\\[ \\]/[x]/' PLAN.md";

/** A project with hooks of its own, which were imported, removed and approved. */
async function importedScene(files: Record<string, string> = {}) {
  const scene = await formatScene({ git: true });
  await scene.write('.claude/settings.json', SETTINGS);
  await must(scene, ['install']);
  await scene.write('.claude/hooks/validate_plan_completion.py', VALIDATE_PLAN);
  await scene.write('PLAN.md', '- [ ] one\n');
  await scene.write('.gitignore', 'formatted\n');
  for (const [path, text] of Object.entries(files)) await scene.write(path, text);
  await must(scene, ['import', '--from', 'harness', '--yes']);
  git(scene, 'add', '-A');
  git(scene, 'commit', '--quiet', '-m', 'begin');
  await approve(scene);
  return scene;
}

test('a Stop script goes on as a gate: it holds a plain session at every stop, not only at the first', async () => {
  const scene = await importedScene();
  const run = await scene.runClient({
    prompt: 'go',
    script: {
      turns: [
        { tools: [bash('echo work > work.txt')] },
        { text: 'done!' },
        { text: 'really done!' },
        { tools: [bash(TICK)] },
        { text: 'now it is done' },
      ],
    },
  });
  expect(run.requests).toHaveLength(5);
  for (const at of [2, 3]) {
    const asked = JSON.stringify(run.requests[at]?.body);
    expect(asked).toContain('Fails: validate_plan_completion - Found 1 incomplete tasks.');
  }
  expect(existsSync(scene.place('formatted'))).toBe(true);
  expect(await scene.read('.claude/settings.json')).not.toContain('validate_plan_completion');
});

longTest('in a loop the same gate leads to a verified end', async () => {
  const scene = await importedScene();
  const session = randomUUID();
  await must(scene, ['start', 'Do the plan', '--session', session]);
  await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session],
    script: { turns: [{ text: 'done!' }, { tools: [bash(TICK)] }, { text: 'done' }] },
  });
  const loop = await loopOf(scene, session);
  expect(loop).toMatchObject({ status: 'verified_done', iteration: 2 });
  expect(decisionsOf(await journalOf(scene, loop.id))).toEqual(['block', 'verified_done']);
});

longTest('a script that says continue: false lets the session go, whatever fails', async () => {
  const stops = 'print(\'{"continue": false, "stopReason": "the budget is spent"}\')\n';
  const scene = await importedScene({ '.claude/hooks/validate_plan_completion.py': stops });
  await scene.write(
    'untildone.yaml',
    `${await scene.read('untildone.yaml')}`
      .replace('gates:\n', 'gates:\n  never: { run: "false" }\n')
      .replace('gates: [', 'gates: [never, '),
  );
  await approve(scene);
  const plain = await scene.runClient({
    prompt: 'go',
    script: { turns: [{ tools: [bash('echo work > work.txt')] }, { text: 'done!' }] },
  });
  expect(plain.requests).toHaveLength(2);
  // The stream does not show the reason of a stop; its result names that a hook asked for it.
  expect(JSON.stringify(plain.lines)).toMatch(/stop_hook_prevented|the budget is spent/);
  const session = randomUUID();
  await must(scene, ['start', 'Do the plan', '--session', session]);
  const run = await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session],
    script: { turns: [{ text: 'done!' }] },
  });
  expect(run.requests).toHaveLength(1);
  expect(await loopOf(scene, session)).toMatchObject({
    status: 'released',
    ending: { detail: 'the budget is spent' },
  });
});

longTest('notes are told to a session that begins, and a loop writes down where it stands', async () => {
  const memory = 'docs/plans/shop/MEMORY.md';
  const scene = await importedScene({ [memory]: '# Shop\r\n\r\nThe cart comes next.\r\n' });
  const contract = (await scene.read('untildone.yaml')).replace('update: false', 'update: true');
  await scene.write('untildone.yaml', contract);
  await approve(scene);
  const plain = await scene.runClient({ prompt: 'hello', script: { turns: [{ text: 'hi' }] } });
  expect(JSON.stringify(plain.requests[0]?.body)).toContain('The cart comes next.');
  expect(await scene.read(memory)).toBe('# Shop\r\n\r\nThe cart comes next.\r\n');
  const session = randomUUID();
  await must(scene, ['start', 'Do the plan', '--session', session]);
  const run = await scene.runClient({
    prompt: 'go',
    args: ['--session-id', session],
    script: { turns: [{ text: 'done!' }, { tools: [bash(TICK)] }, { text: 'done' }] },
  });
  expect(JSON.stringify(run.requests[0]?.body)).toContain('The cart comes next.');
  const text = await scene.read(memory);
  expect(text.startsWith('# Shop\r\n\r\nThe cart comes next.\r\n\r\n<!-- untildone:begin -->\r\n')).toBe(
    true,
  );
  expect(text).toContain('ended: verified_done');
  expect(text.replaceAll('\r\n', '')).not.toContain('\n');
});

test('everything can be put back', async () => {
  const scene = await formatScene({ git: true });
  await scene.write('.claude/settings.json', SETTINGS);
  const before = await scene.read('.claude/settings.json');
  await must(scene, ['install']);
  await must(scene, ['import', '--from', 'harness', '--yes']);
  await must(scene, ['import', '--undo']);
  await must(scene, ['uninstall']);
  expect(await scene.read('.claude/settings.json')).toBe(before);
  expect(existsSync(scene.place('untildone.yaml'))).toBe(false);
});
