import { describe, expect, test } from 'vitest';
import { type ForeignHook, importHooks } from '../../../../src/engine/core/import/import-hooks.ts';

const hook = (more: Partial<ForeignHook>): ForeignHook => ({
  event: 'Stop',
  matcher: '',
  type: 'command',
  background: false,
  place: '.claude/settings.json',
  ...more,
});
const command = (line: string, more: Partial<ForeignHook> = {}) => hook({ command: line, ...more });

describe('the examples of the document', () => {
  test('commands at the end of a turn become one run gate', () => {
    const plan = importHooks([
      command('npm run lint && npm run typecheck && npm run test', { timeout: 120 }),
    ]);
    expect(plan.gates).toEqual({
      checks: { run: 'npm run lint && npm run typecheck && npm run test', timeout: '2m' },
    });
    expect(plan.everyStop).toEqual(['checks']);
    expect(plan.fates[0]?.notes).toEqual([
      'every exit code but 0 fails now; as a hook it held only on exit code 2',
    ]);
  });

  test('scripts become hook gates, those of subagents guard subagents', () => {
    const plan = importHooks([
      command('python3 ~/.claude/hooks/pipeline_controller.py', { event: 'SubagentStop' }),
      command('python3 ~/.claude/hooks/verify_pipeline_complete.py'),
    ]);
    expect(plan.gates).toEqual({
      pipeline_controller: {
        hook: 'python3 ~/.claude/hooks/pipeline_controller.py',
        on_unproven: 'allow',
      },
      verify_pipeline_complete: {
        hook: 'python3 ~/.claude/hooks/verify_pipeline_complete.py',
        on_unproven: 'allow',
      },
    });
    expect(plan.everyStop).toEqual(['verify_pipeline_complete']);
    expect(plan.subagent).toEqual({ '*': ['pipeline_controller'] });
  });

  test('a prompt becomes a judge that sees the conversation', () => {
    const prompt = 'Evaluate if Claude has completed all requested tasks. $ARGUMENTS';
    const plan = importHooks([hook({ type: 'prompt', prompt, timeout: 30, model: 'haiku' })]);
    expect(plan.gates).toEqual({
      review: {
        judge: 'Evaluate if Claude has completed all requested tasks.',
        transcript: true,
        model: 'haiku',
        timeout: '30s',
        on_unproven: 'allow',
      },
    });
  });

  test('an agent becomes an agent', () => {
    const plan = importHooks([hook({ type: 'agent', prompt: '$ARGUMENTS Run all tests.' })]);
    expect(plan.gates).toEqual({ proof: { agent: 'Run all tests.', on_unproven: 'allow' } });
  });

  test('notes printed at the start become a memory; the script that writes them stays', () => {
    const plan = importHooks([
      command("cat docs/plans/*/MEMORY.md 2>/dev/null || echo 'No active plans'", { event: 'SessionStart' }),
      command('python3 ~/.claude/hooks/update_memory.py'),
    ]);
    expect(plan.memory).toEqual({ files: ['docs/plans/*/MEMORY.md'], lines: 100, update: true });
    expect(plan.gates).toEqual({});
    expect(plan.fates.map(({ becomes }) => becomes)).toEqual(['memory', undefined]);
  });

  test('notes that nothing wrote are not written by us either', () => {
    const plan = importHooks([
      command('cat docs/plans/*/MEMORY.md | head -40', { event: 'SessionStart', matcher: 'startup|compact' }),
      command('head -60 MEMORY.md', { event: 'SessionStart', matcher: 'resume' }),
    ]);
    expect(plan.memory).toEqual({
      files: ['docs/plans/*/MEMORY.md', 'MEMORY.md'],
      lines: 60,
      inject: ['startup', 'compact', 'resume'],
      update: false,
    });
  });
});

describe('what stays', () => {
  test.each<[string, Partial<ForeignHook>]>([
    ['no gate is judged at PostToolUse', { event: 'PostToolUse', command: 'npm test' }],
    ['under "tools"', { event: 'PreToolUse', command: 'npm test' }],
    ['under "prompt"', { event: 'UserPromptSubmit', command: './look.sh' }],
    ['under "notify"', { event: 'Notification', command: 'say hello' }],
    ['no gate is judged at SessionEnd', { event: 'SessionEnd', command: 'npm test' }],
    ['no gate is judged at PreCompact', { event: 'PreCompact', command: 'npm test' }],
    ['sets up', { event: 'SessionStart', command: 'npm ci' }],
    ['background', { command: 'npm test', background: true }],
    ['"if"', { command: 'npm test', condition: 'Bash(git *)' }],
    ['type "http"', { type: 'http' }],
    ['empty', { command: ' ' }],
    ['empty', { type: 'prompt', prompt: '$ARGUMENTS' }],
    ['notifies', { command: 'say done' }],
  ])('%s', (why, more) => {
    const plan = importHooks([hook(more)]);
    expect(plan).toMatchObject({ gates: {}, everyStop: [], subagent: {} });
    expect(plan).not.toHaveProperty('memory');
    expect(plan.fates).toEqual([{ hook: hook(more), notes: [expect.stringContaining(why)] }]);
  });
});

describe('timeouts', () => {
  test.each([
    [undefined, undefined, 0],
    [60, '1m', 0],
    [90, '90s', 0],
    [1800, '30m', 0],
    [5000, '5s', 1],
    [60_000, '1m', 1],
    [120_500, '121s', 1],
    [0, undefined, 0],
    [-5, undefined, 0],
  ])('%s seconds are written as %s', (timeout, written, notes) => {
    const plan = importHooks([command('npm test', timeout === undefined ? {} : { timeout })]);
    expect(plan.gates.tests).toEqual({
      run: 'npm test',
      ...(written === undefined ? {} : { timeout: written }),
    });
    expect(plan.fates[0]?.notes.filter((note) => note.includes('milliseconds'))).toHaveLength(notes);
  });
});

describe('names', () => {
  test.each([
    ['npm test', 'tests'],
    ['npx eslint .', 'lint'],
    ['mypy .', 'types'],
    ['npm run build', 'build'],
    ['npm run check:all', 'checks'],
    ['npm run lint && npm test', 'checks'],
    ['bash .claude/hooks/01-guard.sh', 'guard'],
    ['./.claude/hooks/constructor.sh', 'hook'],
    ['my-checker', 'my-checker'],
  ])('%s is called %s', (line, name) => {
    expect(Object.keys(importHooks([command(line)]).gates)).toEqual([name]);
  });

  test('are free ones, and the same work has one name', () => {
    const known = { tests: { run: 'pytest' }, lint: { run: 'npm run lint', timeout: '5m' } };
    const hooks = [
      command('npm test'),
      command('npm run lint'),
      command('npm test', { event: 'SubagentStop', matcher: 'builder' }),
    ];
    const plan = importHooks(hooks, known);
    expect(plan.gates).toEqual({ 'tests-2': { run: 'npm test' } });
    expect(plan.everyStop).toEqual(['tests-2', 'lint']);
    expect(plan.subagent).toEqual({ builder: ['tests-2'] });
    expect(plan.fates.map(({ becomes }) => becomes)).toEqual(['tests-2', 'lint', 'tests-2']);
  });
});

test.each([
  ['', { '*': ['tests'] }, 0],
  ['*', { '*': ['tests'] }, 0],
  ['builder|plugin:review.*', { builder: ['tests'], 'plugin:review*': ['tests'] }, 0],
  ['^(a|b)$', { '*': ['tests'] }, 1],
])('subagents matched by %j', (matcher, subagent, notes) => {
  const plan = importHooks([command('npm test', { event: 'SubagentStop', matcher })]);
  expect(plan.subagent).toEqual(subagent);
  expect(plan.fates[0]?.notes.filter((note) => note.includes('matcher'))).toHaveLength(notes);
});

test('the driver of a format that is obeyed anyway becomes no gate: it would count every stop a second time', () => {
  const plan = importHooks([
    command('python .claude/hooks/ralph_loop_controller.py'),
    command('$CLAUDE_PROJECT_DIR/.claude/tools/amplihack/hooks/stop.py', { timeout: 30000 }),
    command('npm test'),
  ]);
  expect(Object.keys(plan.gates)).toEqual(['tests']);
  expect(plan.fates.map(({ becomes }) => becomes)).toEqual([undefined, undefined, 'tests']);
  expect(plan.fates[0]?.notes).toEqual([
    'untildone works with the files of feature-list itself: remove this hook, or both count every stop',
  ]);
});
