import { mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AuditRequest, audit } from '../../../../src/read/reflect/audit/audit.ts';
import { type Step, transcriptLines, writeTranscripts } from '../../../support/reflect/transcript.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const DONE: Step = { say: 'All done: everything works.' };
const prompt = (text = 'Fix it'): Step => ({ prompt: text });
const EDIT: Step = { edit: 'src/a.ts' };
const TEST: Step = { bash: 'npm test' };

function configDir(files: Record<string, readonly string[]>): string {
  const root = mkdtempSync(join(tmpdir(), 'audit-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeTranscripts(join(root, 'projects'), files);
  return root;
}

interface Ran {
  code: number;
  lines: string[];
  errors: string[];
}

async function run(root: string, request: Partial<AuditRequest> = {}): Promise<Ran> {
  const [lines, errors]: string[][] = [[], []];
  const whole: AuditRequest = { json: false, evidence: false, limit: 20, ...request };
  const place = { env: { CLAUDE_CONFIG_DIR: root }, cwd: root, now: NOW, columns: 100 };
  const code = await audit(whole, place, {
    out: (line) => lines?.push(line),
    warn: (line) => errors?.push(line),
    paint: (_, text) => text,
  });
  return { code, lines: lines ?? [], errors: errors ?? [] };
}

async function figures(root: string, request: Partial<AuditRequest> = {}): Promise<Record<string, unknown>> {
  const { lines } = await run(root, { ...request, json: true });
  return JSON.parse(lines.join('\n')) as Record<string, unknown>;
}

const counts = (of: Record<string, unknown>) => ({
  total: of.total,
  verified: of.verified,
  stale: of.stale,
  failed: of.failed,
  masked: of.masked,
  never_ran: of.never_ran,
});

/** The class of a single turn with these steps, or why it does not count. */
async function classOf(
  steps: readonly Step[],
  others: Record<string, readonly string[]> = {},
): Promise<string> {
  const found = await figures(
    configDir({ '-srv-app/s1.jsonl': transcriptLines([prompt(), ...steps]), ...others }),
    {
      project: '/srv/app',
    },
  );
  const { total: _, ...rest } = counts(found);
  const all = { ...rest, ...(found.not_counted as object) };
  return Object.keys(all)
    .filter((name) => (all as Record<string, unknown>)[name] !== 0)
    .join(' ');
}

describe('a turn is', () => {
  test.each<[string, string, Step[]]>([
    ['verified', 'a check passed after the last edit', [EDIT, TEST, DONE]],
    ['verified', 'it failed, was mended, and passed', [EDIT, { ...TEST, exit: 1 }, EDIT, TEST, DONE]],
    ['verified', 'it failed, and passed without an edit', [EDIT, { ...TEST, exit: 1 }, TEST, DONE]],
    ['verified', 'the lint alone ran', [EDIT, { bash: 'npm run lint' }, DONE]],
    ['verified', 'a check held it until it passed', [EDIT, DONE, { held: 'no tests' }, TEST, DONE]],
    ['verified', 'a masked run came after one that passed', [EDIT, TEST, { bash: 'npm test | tail' }, DONE]],
    [
      'verified',
      'a check in the background ended well',
      [EDIT, { ...TEST, exit: 'background' }, { ended: 0 }, DONE],
    ],
    [
      'verified',
      'an edit by the shell came before the check',
      [EDIT, { bash: "sed -i 's/a/b/' a.ts && npm test" }, DONE],
    ],
    ['verified', 'the narrower run is all there is', [EDIT, { bash: 'npx vitest run a.test.ts' }, DONE]],
    ['stale', 'an edit came after the check', [EDIT, TEST, EDIT, DONE]],
    ['stale', 'an edit by the shell came after the check', [EDIT, TEST, { bash: 'echo x > b.ts' }, DONE]],
    [
      'stale',
      'a check in the background began before the last edit',
      [EDIT, { ...TEST, exit: 'background' }, EDIT, { ended: 0 }, DONE],
    ],
    ['failed', 'the last check failed', [EDIT, { ...TEST, exit: 1 }, DONE]],
    ['failed', 'the check failed before the last edit', [{ ...TEST, exit: 1 }, EDIT, DONE]],
    [
      'failed',
      'the tests failed and the lint passed',
      [EDIT, { ...TEST, exit: 1 }, { bash: 'npm run lint' }, DONE],
    ],
    [
      'failed',
      'a narrower run passed after it',
      [EDIT, { ...TEST, exit: 1 }, { bash: 'npx vitest run a.test.ts' }, DONE],
    ],
    [
      'failed',
      'a masked run came after it',
      [EDIT, { ...TEST, exit: 1 }, { bash: 'npm test || true' }, DONE],
    ],
    [
      'failed',
      'a check in the background failed',
      [EDIT, { ...TEST, exit: 'background' }, { ended: 1 }, DONE],
    ],
    ['masked', 'the only check ended in a pipe', [EDIT, { bash: 'npm test 2>&1 | tail -5' }, DONE]],
    ['masked', 'a wider check ran before', [TEST, EDIT, { bash: 'npx vitest run a.test.ts' }, DONE]],
    ['masked', 'a check was left in the background', [EDIT, { ...TEST, exit: 'background' }, DONE]],
    ['masked', 'a masked check ran before the last edit', [{ bash: 'npm test | cat' }, EDIT, DONE]],
    ['never_ran', 'nothing ran', [EDIT, DONE]],
    ['never_ran', 'something ran that is no check', [EDIT, { bash: 'ls' }, DONE]],
    ['never_ran', 'the check was refused', [EDIT, { ...TEST, exit: 'denied' }, DONE]],
    ['asked', 'it ends with a question', [EDIT, { say: 'Shall I also change the docs?' }]],
    ['admitted', 'it says that tests fail', [EDIT, { say: 'I changed it, but two tests still fail.' }]],
    ['admitted', 'it says that nothing was run', [EDIT, { say: "I haven't run the tests." }]],
    ['cut_off', 'a person stopped it', [EDIT, { interrupted: true }]],
    ['cut_off', 'the API failed', [EDIT, { apiError: 'API Error: 500' }]],
    ['cut_off', 'the transcript ends', [EDIT]],
    ['prose', 'only Markdown was edited', [{ edit: 'README.md' }, { edit: 'docs/a.md' }, DONE]],
    ['no_edits', 'nothing was edited', [TEST, DONE]],
    [
      'no_edits',
      'only a file elsewhere was edited',
      [{ edit: '/home/me/.claude/plans/x.md' }, { edit: '/tmp/x.ts' }, DONE],
    ],
  ])('%s when %s', async (expected, _, steps) => {
    expect(await classOf(steps)).toBe(expected);
  });

  test('masked by a narrower run when another session of the project ran all', async () => {
    const steps = [EDIT, { bash: 'npx vitest run a.test.ts' }, DONE];
    const other = transcriptLines([prompt(), TEST, { say: 'It passes.' }], { session: 's2' });
    expect(await classOf(steps, { '-srv-app/s2.jsonl': other })).toBe('masked no_edits');
  });

  test.each([
    [
      'a claim with the words of a failure',
      'The tests that were failing now pass, and nothing is broken.',
      'never_ran',
    ],
    ['a claim in another language', 'Fertig, alles läuft.', 'never_ran'],
    ['a question in the middle', 'Why did it fail? A typo. It is fixed.', 'never_ran'],
    ['an offer at the end', 'Fixed.\n\nWant me to open a pull request?', 'asked'],
  ])('told by its last words: %s', async (_, say, expected) => {
    expect(await classOf([EDIT, { say }])).toBe(expected);
  });
});

test('what a subagent edits and runs belongs to the turn in whose time it happens', async () => {
  const at = Date.parse('2026-11-10T10:00:00Z');
  const main = [
    ...transcriptLines([prompt('one'), { bash: 'ls' }, { after: 300, say: 'Done.' }], { at }),
    ...transcriptLines([prompt('two'), { bash: 'ls' }, { after: 300, say: 'Done.' }], { at: at + 1_000_000 }),
  ];
  const agent = (steps: Step[], from: number) =>
    transcriptLines([prompt('SUB'), ...steps], { at: from, agent: 'a1' });
  const root = configDir({
    '-srv-app/s1.jsonl': main,
    '-srv-app/s1/subagents/agent-a1.jsonl': agent([EDIT, TEST, { say: 'x' }], at + 60_000),
    '-srv-app/s1/subagents/agent-a2.jsonl': agent([EDIT, { ...TEST, exit: 1 }, { say: 'x' }], at + 1_060_000),
  });
  expect(counts(await figures(root))).toEqual({
    total: 2,
    verified: 1,
    stale: 0,
    failed: 1,
    masked: 0,
    never_ran: 0,
  });
});

describe('the figures', () => {
  const sessions = () => ({
    '-srv-app/s1.jsonl': transcriptLines([
      ...[prompt(), EDIT, TEST, DONE],
      ...[prompt(), EDIT, DONE],
      ...[prompt(), EDIT, { ...TEST, exit: 1 }, DONE],
    ]),
    '-srv-web/s2.jsonl': transcriptLines(
      [
        prompt('see token=sk-ant-abcdefghijkl123456'),
        EDIT,
        { bash: 'pytest || true' },
        DONE,
        prompt(),
        TEST,
        EDIT,
        DONE,
      ],
      { session: 's2', cwd: '/srv/web', at: Date.parse('2026-11-02T10:00:00Z') },
    ),
  });

  test('are exact, and hold only counts', async () => {
    const found = await figures(configDir(sessions()), { sinceMs: 30 * 86_400_000 });
    expect(found).toMatchObject({
      since: '2026-10-17T12:00:00.000Z',
      total: 5,
      verified: 1,
      stale: 1,
      failed: 1,
      masked: 1,
      never_ran: 1,
      verified_share: 0.2,
      would_hold: 4,
      maskings: { or: 1 },
      projects: [
        { project: 'project 1', total: 3, verified: 1, stale: 0, failed: 1, masked: 0, never_ran: 1 },
        { project: 'project 2', total: 2, verified: 0, stale: 1, failed: 0, masked: 1, never_ran: 0 },
      ],
      weeks: [
        { week: '2026-11-02', total: 2 },
        { week: '2026-11-09', total: 3 },
      ],
      sessions: 2,
      bad_lines: 0,
      unreadable: 0,
    });
    expect(JSON.stringify(found)).not.toMatch(/work|Fix|pytest|token/);
  });

  test('are opened to their evidence, without secrets', async () => {
    const root = configDir(sessions());
    const found = await figures(root, { show: 'masked' });
    expect(found.turns).toEqual([
      {
        class: 'masked',
        masking: 'or',
        session: 's2',
        project: '/srv/web',
        edited: 1,
        ended_at: '2026-11-02T10:00:40.000Z',
        prompt: 'see token=[redacted]',
        transcript: join(root, 'projects/-srv-web/s2.jsonl'),
        line: 1,
        last_edit: expect.objectContaining({ tool: 'Edit', path: 'src/a.ts', line: 2 }),
        check: expect.objectContaining({ command: 'pytest || true', result: 'masked', line: 4 }),
      },
    ]);
    const { lines } = await run(root, { show: 'failed' });
    expect(lines.join('\n')).toMatch(
      /^failed .*\/srv\/app\n {2}why {7}the last check failed\n {2}prompt {4}"Fix it"/,
    );
    expect(lines.join('\n')).toContain(`${join(root, 'projects/-srv-app/s1.jsonl')}:11`);
  });

  test('fill a page for the terminal that ends with the one command', async () => {
    const { lines, code } = await run(configDir(sessions()));
    const page = lines.join('\n');
    expect(code).toBe(0);
    expect(page).toContain('1 of 5 turns that edited files and ended with a claim.');
    expect(page).toMatch(/verified +1 .*20 %/);
    expect(page).toContain('The other 4 would not have ended');
    expect(page).toContain('npx untildone setup');
    expect(page).not.toContain('sk-ant');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test('fill a page for a browser: counts alone, unless evidence is asked for', async () => {
    const root = configDir(sessions());
    const html = join(root, 'audit.html');
    await run(root, { html });
    const page = readFileSync(html, 'utf8');
    expect(page).not.toMatch(/Fix it|pytest|\/work|src\/a\.ts|<script|https?:/);
    expect(page).toContain('Project 2');
    await run(root, { html, evidence: true });
    const shown = readFileSync(html, 'utf8');
    expect(shown).toContain('pytest || true');
    expect(shown).toContain('token=[redacted]');
    writeFileSync(html, 'mine');
    await expect(run(root, { html })).rejects.toThrow('is no page of untildone audit');
    await expect(run(root, { html: join(root, 'no/such/folder.html') })).rejects.toThrow('cannot be written');
  });

  test('leave out what is older, and sessions of other projects', async () => {
    const root = configDir(sessions());
    expect(counts(await figures(root, { sinceMs: 8 * 86_400_000 }))).toMatchObject({ total: 3 });
    expect(counts(await figures(root, { project: '/srv/web' }))).toMatchObject({ total: 2 });
    utimesSync(join(root, 'projects/-srv-app/s1.jsonl'), new Date(1000), new Date(1000));
    expect(await figures(root, { sinceMs: 30 * 86_400_000 })).toMatchObject({ sessions: 1 });
  });

  test('count a turn once, although a fork repeats it', async () => {
    const steps: Step[] = [{ ...prompt(), uuid: 'same' }, EDIT, TEST, DONE];
    const root = configDir({
      '-srv-app/s1.jsonl': transcriptLines(steps),
      '-srv-app/s2.jsonl': transcriptLines([...steps, prompt(), EDIT, DONE], { session: 's2' }),
    });
    expect(counts(await figures(root))).toMatchObject({ total: 2, verified: 1, never_ran: 1 });
  });

  test('survive damage, clocks that are wrong, and links', async () => {
    const root = configDir({
      '-srv-app/s1.jsonl': ['not json', ...transcriptLines([prompt(), EDIT, DONE]), '{"type":"user","mess'],
      '-srv-app/s2.jsonl': transcriptLines([prompt(), EDIT, DONE], { session: 's2', at: NOW + 9e9 }),
    });
    symlinkSync(join(root, 'projects/-srv-app'), join(root, 'projects/-again'));
    const found = await figures(root);
    expect(found).toMatchObject({ total: 2, never_ran: 2, from_the_future: 1, bad_lines: 2, sessions: 2 });
  });

  test('do not depend on what masks a check: nothing hidden is ever verified', async () => {
    const masks = [
      ' | tail',
      ' || true',
      '; echo ok',
      ' &',
      '; exit 0',
      ' || exit 0',
      ' | tee x.log',
      ' && ls; true',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...masks), { minLength: 1, maxLength: 6 }),
        async (chosen) => {
          const runs = chosen.map((mask): Step => ({ bash: `npm test${mask}` }));
          expect(await classOf([EDIT, ...runs, DONE])).toBe('masked');
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('without transcripts', () => {
  test('it says so, and where it looked', async () => {
    const none = await run('/nowhere/at/all');
    expect(none).toMatchObject({ code: 2, lines: [] });
    expect(none.errors.join()).toContain('there is no /nowhere/at/all/projects');
    const empty = configDir({ '-srv-app/notes.txt': ['x'] });
    expect((await run(empty, { sinceMs: 86_400_000 })).errors.join()).toContain(
      'no transcripts of the last day in',
    );
    expect((await run(empty, { project: '/srv/app' })).errors.join()).toContain('no transcripts of /srv/app');
    writeFileSync(join(empty, 'file'), '');
    expect((await run(join(empty, 'file'))).errors.join()).toContain('ENOTDIR');
    expect(JSON.parse((await run(empty, { json: true })).lines.join(''))).toMatchObject({
      error: expect.any(String),
    });
  });

  test('of turns that count, it says that there is nothing to count', async () => {
    const { lines, code } = await run(configDir({ '-p/s.jsonl': transcriptLines([prompt(), TEST, DONE]) }));
    expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining('There is nothing to count yet.')]);
  });
});
