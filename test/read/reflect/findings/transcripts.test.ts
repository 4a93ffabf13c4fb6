import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyse } from '../../../../src/read/reflect/findings/analyse.ts';
import type { Finding } from '../../../../src/read/reflect/findings/finding.ts';
import { metricsJson } from '../../../../src/read/reflect/findings/json.ts';
import { SessionTally } from '../../../../src/read/reflect/findings/tally.ts';
import { findingsOf } from '../../../../src/read/reflect/findings/transcript-findings.ts';
import { TranscriptReader } from '../../../../src/read/reflect/reading/read-transcript.ts';
import {
  bash,
  edit,
  fileOf,
  MadeTranscript,
  read,
  T0,
  write,
} from '../../../support/reflect/made-transcript.ts';

function found(transcript: MadeTranscript, options: { frustration?: boolean } = {}): Finding[] {
  return analyse({ transcript: fileOf(transcript) }, { now: T0, ...options }).findings;
}

const only = (findings: readonly Finding[], type: Finding['type']) =>
  findings.filter((one) => one.type === type);
const begun = () => new MadeTranscript().prompt('Fix the login');

describe('repetitions in a session', () => {
  test('the same command three times, however it is spelled, with time and tokens', () => {
    const [command, ...others] = only(
      found(
        begun()
          .call(bash('npm run lint'), { ms: 4_000 })
          .call(bash('cd /project && npm  run lint 2>&1 | tail -20'), {
            ms: 5_000,
            error: 'Exit code 1\nbad',
          })
          .call(bash('npm run lint | head -n 5'), { ms: 6_000 })
          .call(bash('npm run build'))
          .call(bash('npm run build')),
      ),
      'repeated_command',
    );
    expect(others).toEqual([]);
    expect(command).toMatchObject({
      count: 3,
      fields: { command: 'npm run lint', count: 3, failed: 1 },
      severity: 'low',
    });
    // A second passes before each result comes, besides its own time.
    expect(command?.cost).toEqual({ ms: 18_000, tokens: 330 });
    expect(command?.places.map(({ line }) => line)).toEqual([2, 4, 6]);
    expect(command?.places[0]?.at).toBe(T0 + 1_000);
  });

  test('the same error three times, with other paths, numbers and ids', () => {
    const errors = only(
      found(
        begun()
          .call(bash('node a.js'), {
            error: "Exit code 1\nError: Cannot find module '/project/a1/x.js'\n    at 12:3",
          })
          .call(bash('node b.js'), {
            error: "Exit code 1\nError: Cannot find module '/project/b2/y.js'\n    at 99:7",
          })
          .call(bash('node c.js'), {
            error: "Exit code 1\nError: Cannot find module '/elsewhere/z.js'\n    at 1:1",
          })
          .call(bash('node d.js'), { error: 'Exit code 1\nTypeError: d is not a function' }),
      ),
      'error_patterns',
    );
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ count: 3, severity: 'medium', cost: { tokens: 330 } });
    expect(errors[0]?.places.map(({ line }) => line)).toEqual([3, 5, 7]);
  });

  test.each([
    [2, 0],
    [3, 1],
  ])('%i uses of a tool are %i pattern', (times, patterns) => {
    const made = begun();
    for (let i = 0; i < times; i++) made.call({ name: 'Grep', input: { pattern: `p${i}` } });
    const uses = only(found(made), 'repeated_tool_use');
    expect(uses.map(({ fields }) => fields)).toEqual(patterns ? [{ tool: 'grep', count: times }] : []);
  });

  test.each([
    [4, 0],
    [5, 1],
  ])('%i reads of a file are %i pattern', (times, patterns) => {
    const made = begun();
    for (let i = 0; i < times; i++) made.call(read('/project/src/a.ts')).call(read(`/project/src/${i}.ts`));
    const reads = only(found(made), 'repeated_reads');
    expect(reads.map(({ fields }) => fields)).toEqual(patterns ? [{ file: 'src/a.ts', count: 5 }] : []);
  });

  test.each([
    [99, 0],
    [100, 1],
  ])('%i messages are %i long session', (messages, patterns) => {
    const made = new MadeTranscript();
    for (let i = 0; i < messages; i++) i % 2 === 0 ? made.prompt(`go on ${i}`) : made.say('ok');
    const long = only(found(made), 'long_session');
    expect(long.map(({ fields }) => fields)).toEqual(patterns ? [{ message_count: 100 }] : []);
  });
});

describe('work that was taken back', () => {
  const reverts = (made: MadeTranscript) =>
    only(found(made), 'reverted_edits')
      .map(({ fields }) => [fields.file, fields.count])
      .sort();

  test('by the opposite edit, and only when both were made', () => {
    const made = begun()
      .call(edit('/project/a.ts', 'one', 'two'))
      .call(edit('/project/a.ts', 'two', 'one'))
      .call(edit('/project/b.ts', 'one', 'two'), { error: 'String to replace not found in file.' })
      .call(edit('/project/b.ts', 'two', 'one'))
      .call(edit('/project/c.ts', 'one', 'two'))
      .call(edit('/project/d.ts', 'two', 'one'));
    expect(reverts(made)).toEqual([['a.ts', 1]]);
  });

  test('by an earlier text of the whole file, not by writing the same text again', () => {
    const made = begun()
      .call(write('/project/a.ts', 'first'))
      .call(write('/project/a.ts', 'first'))
      .call(write('/project/a.ts', 'second'))
      .call(write('/project/a.ts', 'first'));
    expect(reverts(made)).toEqual([['a.ts', 1]]);
  });

  test.each([
    ['git checkout -- a.ts', ['a.ts']],
    ['git restore src/b.ts', ['src/b.ts']],
    ['git reset --hard', ['a.ts', 'src/b.ts']],
    ['git stash', ['a.ts', 'src/b.ts']],
    ['git checkout .', ['a.ts', 'src/b.ts']],
    ['git checkout main', []],
    ['git restore --staged a.ts', []],
    ['git status', []],
  ])('by git: %s', (command, files) => {
    const made = begun()
      .call(edit('/project/a.ts', '1', '2'))
      .call(edit('/project/src/b.ts', '1', '2'))
      .call(bash(command));
    expect(reverts(made)).toEqual(files.map((file) => [file, 1]));
  });

  test('what was committed is not taken back by a later checkout', () => {
    const made = begun()
      .call(edit('/project/a.ts', '1', '2'))
      .call(bash('git commit -am done'))
      .call(bash('git checkout -- a.ts'));
    expect(reverts(made)).toEqual([]);
  });
});

describe('tests that run again without a change', () => {
  const reruns = (made: MadeTranscript) =>
    only(found(made), 'tests_without_change').map(({ count }) => count);
  const changes = [
    edit('/project/a.ts', '1', '2'),
    write('/project/a.ts', 'x'),
    bash('sed -i s/a/b/ a.ts'),
    bash('echo x > a.ts'),
    bash('npm install'),
    { name: 'Agent', input: { prompt: 'mend it' } },
    { name: 'mcp__files__write', input: {} },
  ];
  const looks = [
    read('/project/a.ts'),
    bash('git diff | head'),
    bash('cat a.ts && grep -rn x . | wc -l'),
    bash('ls 2>/dev/null'),
    { name: 'Grep', input: { pattern: 'x' } },
  ];

  test.each(changes.map((change) => [JSON.stringify(change), change] as const))(
    '%s is a change',
    (_, change) => {
      expect(reruns(begun().call(bash('npm test')).call(change).call(bash('npm test')))).toEqual([]);
    },
  );

  test.each(looks.map((look) => [JSON.stringify(look), look] as const))('%s is none', (_, look) => {
    expect(reruns(begun().call(bash('npm test')).call(look).call(bash('npm test | tail -5')))).toEqual([1]);
  });

  test('after a prompt nobody knows: you may have changed something yourself', () => {
    expect(reruns(begun().call(bash('pytest -q')).say('no').prompt('again').call(bash('pytest -q')))).toEqual(
      [],
    );
  });

  test('other tests are no repetition, and other commands are no tests', () => {
    const made = begun()
      .call(bash('npx vitest run a'))
      .call(bash('npx vitest run b'))
      .call(bash('npm run build'))
      .call(bash('npm run build'));
    expect(reruns(made)).toEqual([]);
  });
});

describe('what else a session shows', () => {
  test('denials by tool, with what was refused', () => {
    const denied = only(
      found(
        begun()
          .call(bash('rm -rf build'), { denied: 'permission-rule' })
          .call(bash('sudo ls'), { denied: 'user-rejected' })
          .call(read('/etc/shadow'), { denied: 'permission-rule' }),
      ),
      'tool_denials',
    );
    expect(denied.map(({ fields }) => fields)).toEqual([
      { tool: 'Bash', count: 2 },
      { tool: 'Read', count: 1 },
    ]);
    expect(denied[0]?.title).toContain('rm -rf build; sudo ls');
  });

  test('compactions, errors of the API, rate limits', () => {
    const findings = found(
      begun()
        .compaction(150_000)
        .compaction(160_000)
        .apiError('server_error', 500)
        .apiError('rate_limit', 429),
    );
    expect(only(findings, 'compactions')[0]).toMatchObject({
      count: 2,
      severity: 'medium',
      cost: { ms: 4_000 },
    });
    expect(only(findings, 'api_errors')[0]).toMatchObject({ count: 1 });
    expect(only(findings, 'rate_limits')[0]).toMatchObject({ count: 1, severity: 'medium' });
  });

  test('answers that took more than 30 s, and not the time that you or a tool took', () => {
    const findings = found(
      begun()
        .say('slow', { slowBy: 40_000 })
        .wait(600_000)
        .prompt('more')
        .call(bash('sleep 100'), { ms: 100_000 })
        .say('quick')
        .prompt('and?')
        .say('as slow as allowed', { slowBy: 29_000 }),
    );
    const [slow] = only(findings, 'slow_turns');
    expect(slow).toMatchObject({ count: 1, cost: { ms: 41_000 } });
    expect(slow?.places[0]?.line).toBe(2);
  });

  test('signs of frustration only where you ask for them, and of the prompt only the words that match', () => {
    const made = new MadeTranscript()
      .prompt('This still does not work, my password is hunter2')
      .say('sorry')
      .prompt("I am stuck. ```\nit doesn't work\n```")
      .say('still failing');
    expect(only(found(made), 'user_frustration')).toEqual([]);
    const [sign] = only(found(made, { frustration: true }), 'user_frustration');
    expect(sign).toMatchObject({ count: 2, fields: { indicators: 'i am stuck, still does not' } });
    expect(JSON.stringify(sign)).not.toContain('hunter2');
  });

  test('a session in which nothing repeats has no finding', () => {
    expect(
      found(
        begun()
          .call(read('/project/a.ts'))
          .call(edit('/project/a.ts', '1', '2'))
          .say('done'),
      ),
    ).toEqual([]);
  });
});

test('tokens by model and by tool add up', () => {
  const made = begun()
    .call(bash('ls'), { ms: 2_000, output: 11 })
    .call(bash('nope'), { error: 'Exit code 127\nnope: not found', model: 'claude-haiku-5-5', output: 7 })
    .say('done', { output: 3 });
  const metrics = metricsJson(analyse({ transcript: fileOf(made) }, { now: T0 }).metrics);
  expect(metrics).toMatchObject({
    total_messages: 6,
    user_messages: 3,
    assistant_messages: 3,
    tool_uses: 2,
    prompts: 1,
    tokens: { input: 300, cache_creation: 0, cache_read: 150, output: 21 },
  });
  expect(metrics.models).toEqual([
    { model: 'claude-opus-5-5', answers: 2, input: 200, cache_creation: 0, cache_read: 100, output: 14 },
    { model: 'claude-haiku-5-5', answers: 1, input: 100, cache_creation: 0, cache_read: 50, output: 7 },
  ]);
  expect(metrics.tools).toEqual([
    { tool: 'Bash', calls: 2, failed: 1, ms: 4_000, tokens: 218 },
    { tool: '(text)', calls: 0, failed: 0, ms: 0, tokens: 103 },
  ]);
});

test('secrets and text that steers a terminal are not in any finding', () => {
  const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
  const made = begun();
  for (let i = 0; i < 3; i++)
    made.call(bash(`curl -H "Authorization: Bearer ${secret}" https://x \u001b[31m`), {
      error: `Exit code 22\n${secret} was refused\u001b]0;x\u0007`,
    });
  const all = JSON.stringify(found(made));
  expect(all).not.toContain(secret);
  expect(all).not.toContain('\\u001b');
  expect(all).toContain('[redacted]');
});

test('findings do not depend on how the bytes of a transcript come', () => {
  const made = begun();
  for (let i = 0; i < 4; i++)
    made.call(bash('npm test'), { error: `Exit code ${i}\nün expected ${i}` }).call(read('/project/ä.ts'));
  const bytes = Buffer.from(made.text);
  const findingsIn = (sizes: readonly number[]) => {
    const tally = new SessionTally();
    const reader = new TranscriptReader((record) => tally.see(record, 'f'));
    for (let at = 0, piece = 0; at < bytes.length; piece++) {
      const size = Math.max(1, sizes[piece % sizes.length] ?? 1);
      reader.feed(Buffer.from(bytes.subarray(at, at + size)));
      at += size;
    }
    reader.end();
    tally.end();
    return findingsOf(tally, 's');
  };
  const whole = findingsIn([bytes.length]);
  expect(whole.length).toBeGreaterThan(2);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 8 }), (sizes) => {
      expect(findingsIn(sizes)).toEqual(whole);
    }),
    { numRuns: 30 },
  );
});
