import { describe, expect, test } from 'vitest';
import { withoutPlaceholders, withPlaceholders } from './placeholders.ts';
import { type EventStep, kindOfAnswer, type Recording, shapeOf } from './recording.ts';

const STOP: EventStep = {
  kind: 'event',
  input: { hook_event_name: 'Stop', stop_hook_active: false, effort: { level: 'medium' } },
  env: ['CLAUDE_PID'],
  lines: {},
  answer: 'block',
};
const recording = (...steps: Recording['steps']): Recording => ({
  test: 'test/live/loop.test.ts',
  client: '2.1.325',
  git: false,
  project: 'project',
  steps,
  loops: ['active at iteration 2'],
});
const withInput = (input: object) => recording({ ...STOP, input: { ...STOP.input, ...input } });

describe('the shape of a recording', () => {
  test('has fields, types, names and answers in order, but no values', () => {
    expect(shapeOf(recording(STOP))).toEqual([
      'no repository',
      'event Stop',
      '  effort.level: string',
      '  hook_event_name: string',
      '  stop_hook_active: boolean',
      '  env CLAUDE_PID',
      '  answer block',
      'active at iteration 2',
    ]);
    expect(shapeOf(withInput({ effort: { level: 'high' } }))).toEqual(shapeOf(recording(STOP)));
  });

  test.each([
    ['a field that is new', withInput({ reason: 'x' })],
    ['a field of another type', withInput({ stop_hook_active: 'no' })],
    ['an event that came twice', recording(STOP, STOP)],
    ['a variable that is gone', recording({ ...STOP, env: [] })],
    ['another answer', recording({ ...STOP, answer: 'silence' })],
    ['another ending', { ...recording(STOP), loops: ['stalled at iteration 2'] }],
  ])('%s is a difference', (_, other) => {
    expect(shapeOf(other)).not.toEqual(shapeOf(recording(STOP)));
  });
});

test.each([
  ['', 'silence'],
  ['{"decision":"block","reason":"no"}', 'block'],
  ['{"hookSpecificOutput":{"permissionDecision":"deny"}}', 'deny'],
  ['{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}', 'allow'],
  ['{"hookSpecificOutput":{"additionalContext":"x"}}', 'context'],
  ['{"systemMessage":"x"}', 'message'],
  ['keep the phase', 'text'],
])('the answer %s is one of the kind %s', (stdout, kind) => {
  expect(kindOfAnswer(stdout)).toBe(kind);
});

test('paths, ids and times are placeholders in a file, and others where it is played', () => {
  const id = '54d7a19e-8ac3-49b3-98a3-2f44e0fffc15';
  const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.500Z'];
  const sent = { cwd: '/tmp/x-1/project', file: `/home/-tmp-x-1-project/${id}.jsonl`, id, early, late };
  const file = withPlaceholders(sent, '/tmp/x-1');
  expect(file).toEqual({
    cwd: '{root}/project',
    file: '/home/{dashed-root}-project/{id-1}.jsonl',
    id: '{id-1}',
    early: '{time-1500}',
    late: '{time-0}',
  });
  const played = withoutPlaceholders(file, '/elsewhere', Date.parse('2027-01-01T00:00:01.500Z'));
  expect(played).toMatchObject({ cwd: '/elsewhere/project', early: '2027-01-01T00:00:00.000Z' });
  expect(played.file).toBe(`/home/-elsewhere-project/${played.id}.jsonl`);
});
