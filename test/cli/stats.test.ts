// Tier: world
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { columnsOf } from '../../src/engine/terminal/text.ts';
import { loadProgram, type Program, runCli } from '../support/in-process.ts';
import { openCollector, treeOf } from '../support/reflect/collector.ts';

/** Figures of a project with one loop, two held Stops, a prompt, and a transcript with known counts. */

let program: Program;
let folder: string;
let project: string;
let env: Record<string, string>;

const call = async (args: string[], input = '', cwd = project) =>
  runCli(program, args, { line: '', env, cwd, input, limitMs: 0 });
const run = async (...args: string[]) => (await call(args)).stdout;
const hook = (event: object) =>
  call(['hook'], JSON.stringify({ session_id: 's1', cwd: project, transcript_path: transcript(), ...event }));
const transcript = () => join(folder, '.claude/projects/p/s1.jsonl');

beforeAll(async () => {
  program = await loadProgram();
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-stats-')));
  project = join(folder, 'my project');
  mkdirSync(project);
  mkdirSync(join(folder, '.claude/projects/p'), { recursive: true });
  env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    CLAUDE_PROJECT_DIR: project,
    CLAUDE_CODE_SESSION_ID: '',
  };
  writeFileSync(
    join(project, 'untildone.yaml'),
    'gates: { tests: { run: "sleep 0.05; exit 1" }, fine: { run: "true" }, both: { all: [tests, fine] } }\ndone: [both]\n',
  );
  const fingerprint = /^Fingerprint: (\S+)$/m.exec(await run('trust', '--show'))?.[1] ?? '';
  await run('trust', '--fingerprint', fingerprint);
  await run('start', '--session', 's1', 'a task');
  writeFileSync(transcript(), TRANSCRIPT.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await hook({ hook_event_name: 'UserPromptSubmit', prompt: 'twelve chars' });
  for (const message of ['done', 'now it is done'])
    await hook({ hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: message });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOW = new Date().toISOString();
const use = (id: string, name: string) => ({
  type: 'assistant',
  timestamp: NOW,
  sessionId: 's1',
  message: {
    id: `m-${id}`,
    role: 'assistant',
    model: 'claude-test',
    content: [{ type: 'tool_use', id, name, input: {} }],
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 1,
    },
  },
});
const result = (id: string, isError: boolean) => ({
  type: 'user',
  timestamp: NOW,
  sessionId: 's1',
  message: {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, is_error: isError, content: 'x' }],
  },
});
const TRANSCRIPT = [
  ...[use('1', 'Bash'), result('1', true), use('2', 'Bash'), result('2', false)],
  ...[use('3', 'Read'), result('3', false), use('4', 'mcp__db__query'), result('4', false)],
];

const stats = async (...more: string[]) => JSON.parse(await run('stats', '--json', ...more));

describe('untildone stats', () => {
  test('counts loops, Stops, gates, hooks, prompts, tools and tokens', async () => {
    const found = await stats();
    expect(found).toMatchObject({
      project,
      loops: { total: 1, active: 1, endings: {} },
      stops: { calls: 2, holds: 2, allows: {}, ends: {} },
      prompts: { count: 1, chars: { count: 1, p50: 12, p99: 12 } },
      sessions: 1,
      tools: { calls: 4, by_kind: { shell: 2, files: 1, mcp: 1 }, errors: { Bash: 1 } },
      tokens: { by_model: [{ model: 'claude-test', answers: 4, input: 40, output: 20, cache_read: 400 }] },
      read: { journals: 1, transcripts: 1, hook_lines: 3, unreadable: 0, bad_lines: 0 },
    });
    const tests = found.gates.find(({ name }: { name: string }) => name === 'tests');
    expect(tests).toMatchObject({ kind: 'run', held: 2, outcomes: { fail: 2 } });
    expect(tests.judged + tests.reused).toBe(2);
    expect(tests.ms.p50).toBeGreaterThanOrEqual(40);
    expect(found.hooks.map(({ event, calls, answers }: never) => [event, calls, answers])).toEqual([
      ['Stop', 2, { refuse: 2 }],
      ['UserPromptSubmit', 1, { silence: 1 }],
    ]);
    expect(found.days).toEqual([expect.objectContaining({ stops: 2, holds: 2, done: 0 })]);
  });

  test('shows them to people, without colour where there is no terminal', async () => {
    const page = await run('stats');
    expect(page).toMatch(/^Stops {2}2, held 2 \(100 %\)$/m);
    expect(page).toMatch(/^ {2}tests .*█/m);
    expect(page).toMatch(/^Tools {2}4 calls, 1 failed: shell 2, files 1, mcp 1$/m);
    expect(page).not.toContain('\u001b');
    for (const line of page.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(100);
  });

  test('counts what subagents did with their session', async () => {
    const agents = join(folder, '.claude/projects/p/s1/subagents');
    mkdirSync(agents, { recursive: true });
    const before = JSON.parse(await run('stats', '--json'));
    writeFileSync(join(agents, 'agent-a1.jsonl'), `${JSON.stringify(use('sub', 'Grep'))}\n`);
    const after = JSON.parse(await run('stats', '--json'));
    expect(after.tools.by_name.Grep).toBe((before.tools.by_name.Grep ?? 0) + 1);
    expect(after.tokens.by_model[0].output).toBe(before.tokens.by_model[0].output + 5);
    expect(after.read.transcripts).toBe(before.read.transcripts + 1);
    rmSync(join(folder, '.claude/projects/p/s1'), { recursive: true });
  });

  test('of another project, and of a time without anything, says so in words', async () => {
    const empty = 'Nothing to count here yet';
    expect(await run('stats', '--project', join(folder, '.claude'))).toContain(empty);
    expect(await run('stats', '--since', '1ms')).toContain(empty);
    expect((await call(['stats', '--since', 'yesterday'])).stderr).toContain('Type a time like 30d');
  });

  test('of the project is found from a folder below it, and by --all', async () => {
    expect((await stats('--all')).loops.total).toBe(1);
    expect((await stats('--all')).project).toBeNull();
    expect((await stats('--project', project)).stops.calls).toBe(2);
  });

  test('goes on where lines are torn or foreign', async () => {
    const before = await stats();
    const day = new Date().toISOString().slice(0, 10);
    writeFileSync(join(folder, `.untildone/metrics/hooks-${day}.jsonl`), '{"at":1\nfoo\n\n', { flag: 'a' });
    const after = await stats();
    expect(after.read.bad_lines).toBe(before.read.bad_lines + 2);
    expect(after.hooks).toEqual(before.hooks);
  });
});

describe('untildone stats --export-otlp', () => {
  const send = async (more: Record<string, string>, ...args: string[]) => {
    const before = env;
    env = { ...env, ...more };
    try {
      return await call(['stats', '--export-otlp', ...args]);
    } finally {
      env = before;
    }
  };

  test('sends loops that have ended to a collector, once, and nothing of what they said', async () => {
    const collector = await openCollector();
    const at = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=blue',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_SERVICE_NAME: 'nightly',
    };
    const open = await send(at);
    expect(open.stdout).toContain('1 have not ended yet');
    expect(collector.spans()).toEqual([]);
    await call(['cancel']);
    expect((await send(at)).stdout).toContain(`Sent 1 loops (8 spans) to ${collector.url}.`);
    expect(treeOf(collector.spans())).toEqual([
      'untildone.loop',
      '  invoke_agent Claude Code',
      ...['    untildone.iteration', '      gate fine', '      gate tests'],
      ...['    untildone.iteration', '      gate fine', '      gate tests'],
    ]);
    expect(collector.spans()[0]).toMatchObject({ scope: 'untildone', service: 'nightly' });
    expect(collector.headers[0]).toMatchObject({ 'x-team': 'blue', 'content-type': 'application/json' });
    expect(Object.fromEntries(collector.metrics())).toMatchObject({
      'untildone.loops': 1,
      'untildone.stops': 2,
      'untildone.sessions': 1,
      'untildone.gate.verdicts': 4,
    });
    const text = collector.text();
    for (const word of ['a task', 'sleep', 'twelve chars', folder]) expect(text).not.toContain(word);
    const spans = collector.spans().length;
    expect((await send(at)).stdout).toContain('1 were sent before.');
    expect(collector.spans()).toHaveLength(spans);
  });

  test('says what to do when nobody is there, and when it is switched off', async () => {
    rmSync(sentMark(), { force: true });
    const soon = { OTEL_EXPORTER_OTLP_TIMEOUT: '300' };
    const down = await send({ ...soon, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect(down).toMatchObject({ exitCode: 2, stdout: '' });
    expect(down.stderr).toMatch(/^untildone: telemetry could not be sent to http:\/\/127\.0\.0\.1:9: .*\n$/);
    const off = await send({ OTEL_SDK_DISABLED: 'true' });
    expect(off.stderr).toContain('telemetry is switched off here');
    const refusing = await openCollector(400);
    expect((await send({ ...soon, OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url })).stderr).toContain(
      'could not be sent',
    );
  });
});

/** Where it is kept that the loop was sent. */
function sentMark(): string {
  const projects = join(folder, '.untildone/projects');
  const [of = ''] = readdirSync(projects);
  const loops = join(projects, of, 'loops');
  const [loop = ''] = readdirSync(loops);
  return join(loops, loop, 'telemetry.json');
}
