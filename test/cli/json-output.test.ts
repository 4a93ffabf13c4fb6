import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadProgram, type Program, runCli } from '../support/in-process.ts';

/** docs/reference/json-output.md says what each output has, and each output has what it says. */

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/reference/json-output.md'), 'utf8');

/** The fields that the tables of a section name in their first column: one list a table. */
function documented(heading: string): string[][] {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const tables = section.split(/^\| field \| meaning \|$/m).slice(1);
  return tables.map((table) =>
    [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap((row) =>
      [...(row[1] ?? '').matchAll(/`(\w+)`/g)].map((name) => name[1] ?? ''),
    ),
  );
}

let program: Program;
let folder: string;
let project: string;
let env: Record<string, string>;

const run = async (...args: string[]) =>
  (await runCli(program, args, { line: '', env, cwd: project, input: '', limitMs: 0 })).stdout;
const stop = (session: string) => {
  const event = {
    hook_event_name: 'Stop',
    session_id: session,
    last_assistant_message: 'done',
    cwd: project,
  };
  return runCli(program, ['hook'], { line: '', env, cwd: project, input: JSON.stringify(event), limitMs: 0 });
};
const parsed = async (...args: string[]) => JSON.parse(await run(...args));

beforeAll(async () => {
  program = await loadProgram();
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-json-')));
  project = join(folder, 'project');
  mkdirSync(project);
  env = { PATH: process.env.PATH ?? '', HOME: folder, CLAUDE_CODE_SESSION_ID: '' };
  execFileSync('git', ['init', '-q'], { cwd: project, env: { ...env, GIT_CONFIG_NOSYSTEM: '1' } });
  writeFileSync(
    join(project, 'untildone.yaml'),
    'gates: { a: { run: "true" }, b: { run: "echo no; exit 1" }, both: { all: [a, b] } }\ndone: [both]\n',
  );
  const fingerprint = /^Fingerprint: (\S+)$/m.exec(await run('trust', '--show'))?.[1] ?? '';
  await run('trust', '--fingerprint', fingerprint);
  await run('start', '--session', 's1', 'a task');
  await stop('s1');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what the page says of', () => {
  test('status', async () => {
    const [all, loop] = documented('status');
    const { loops, ...rest } = await parsed('status', '--json');
    expect(Object.keys({ loops, ...rest }).sort()).toEqual(all?.sort());
    expect(Object.keys(loops[0]).sort()).toEqual(loop?.sort());
    expect(Object.keys(loops[0].gates[0])).toEqual(
      expect.arrayContaining(['name', 'class', 'verdict', 'summary']),
    );
  });

  test('stats', async () => {
    expect(Object.keys(await parsed('stats', '--json')).sort()).toEqual(documented('stats')[0]?.sort());
  });

  test('verify, under both names of its flag and of its fields', async () => {
    const [all, verdict = []] = documented('verify');
    const output = await parsed('verify', '--json');
    expect(Object.keys(output).sort()).toEqual(all?.sort());
    expect((await parsed('verify', '--format', 'json')).result).toBe(output.result);
    const seen = (one: { children?: object[] }): object[] => [one, ...(one.children ?? []).flatMap(seen)];
    const verdicts = output.verdicts.flatMap(seen);
    expect(verdicts.length).toBeGreaterThan(2);
    for (const one of verdicts) {
      expect(verdict).toEqual(expect.arrayContaining(Object.keys(one)));
      expect(one).toMatchObject({ name: one.gate, verdict: one.outcome });
    }
  });

  test('trust --show', async () => {
    const shown = await parsed('trust', '--show', '--json');
    expect(Object.keys(shown).sort()).toEqual(documented('trust')[0]?.sort());
    expect(await run('trust', '--show')).toContain(`Fingerprint: ${shown.fingerprint}\n`);
    expect(shown).toMatchObject({ project, trusted: true });
  });

  test('setup, which asks nothing and does nothing', async () => {
    const [fields] = documented('setup');
    const output = await parsed('setup', '--json', '--no-gates', '--no-proof');
    expect(Object.keys(output).sort()).toEqual(fields?.sort());
    expect(output.result).toBe('nothing_done');
  });

  test('lock status', async () => {
    const [fields = []] = documented('lock status');
    expect(fields).toEqual(expect.arrayContaining(Object.keys(await parsed('lock', 'status', '--json'))));
    await run('lock', 'on', '--session', 's2');
    expect(Object.keys(await parsed('lock', 'status', '--json')).sort()).toEqual(fields.sort());
    await run('lock', 'off');
  });

  test('state show', async () => {
    const [fields] = documented('state show');
    expect(Object.keys(await parsed('state', 'show', 's1', '--json')).sort()).toEqual(fields?.sort());
  });

  test('log: its lines are those of the journal', async () => {
    const lines = (await run('log', '--json'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0].entry.kind).toBe('started');
    expect(lines[0].at).toMatch(/Z$/);
  });

  test('receipt: the file, whose gates have both names, and which is still intact', async () => {
    writeFileSync(join(project, 'untildone.yaml'), 'gates: { a: { run: "test -f made" } }\n');
    const fingerprint = /^Fingerprint: (\S+)$/m.exec(await run('trust', '--show'))?.[1] ?? '';
    await run('trust', '--fingerprint', fingerprint);
    await run('start', '--session', 's3', 'another task');
    writeFileSync(join(project, 'made'), '');
    await stop('s3');
    const output = await run('receipt', '--json');
    expect(await run('receipt', '--format', 'json')).toBe(output);
    expect(JSON.parse(output).receipt.verdicts).toMatchObject([
      { name: 'a', gate: 'a', verdict: 'pass', outcome: 'pass' },
    ]);
    writeFileSync(join(folder, 'receipt.json'), output);
    expect(await run('receipt', 'verify', join(folder, 'receipt.json'))).toMatch(/^Intact/);
    const findings = await parsed('receipt', 'verify', join(folder, 'receipt.json'), '--json');
    expect(Object.keys(findings).sort()).toEqual(documented('receipt verify')[0]?.sort());
    expect(findings).toMatchObject({ ok: true, intact: true, problems: [] });
    writeFileSync(join(folder, 'other.json'), output.replace('another task', 'quite another task'));
    const changed = await parsed('receipt', 'verify', join(folder, 'other.json'), '--json');
    expect(changed).toMatchObject({ ok: false, intact: false, problems: [expect.any(String)] });
  });
});

test('the page names every command that knows --json', async () => {
  const named = [...PAGE.matchAll(/^\| `untildone ([a-z -]+?) --json` \|/gm)].map((row) => row[1] ?? '');
  const help = await run('--help');
  const commands = [...help.matchAll(/^ {2}([a-z][a-z-]*)(?: |$)/gm)].map((row) => row[1] ?? '');
  const knowing: string[] = [];
  for (const command of [...new Set(commands)]) {
    const own = await run('help', command);
    if (/^ {2}--json /m.test(own)) knowing.push(command);
    for (const [, sub = ''] of own.matchAll(/^ {2}([a-z][a-z-]*) \[options\]/gm))
      if (/^ {2}--json /m.test(await run(command, sub, '--help'))) knowing.push(`${command} ${sub}`);
  }
  expect(named.sort()).toEqual(knowing.sort());
});
