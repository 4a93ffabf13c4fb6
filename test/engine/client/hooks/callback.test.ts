import { expect, test } from 'vitest';
import { parseCallbackInput, renderCallback } from '../../../../src/engine/client/hooks/render.ts';

test('the input of a callback is read like that of a hook process', () => {
  const input = { hook_event_name: 'Stop', session_id: 's1', stop_hook_active: true, background_tasks: [] };
  expect(parseCallbackInput(input)).toMatchObject({
    ok: true,
    event: { name: 'Stop', session: 's1', stopHookActive: true },
  });
  expect(parseCallbackInput(undefined)).toMatchObject({ ok: false });
});

test('an answer is what a hook process would have printed', () => {
  expect(renderCallback('Stop', { kind: 'silence' })).toEqual({});
  expect(renderCallback('Stop', { kind: 'refuse', reason: 'More.' })).toEqual({
    decision: 'block',
    reason: 'More.',
  });
  expect(renderCallback('Stop', { kind: 'halt', message: 'Enough.' })).toEqual({
    continue: false,
    stopReason: 'Enough.',
  });
  expect(renderCallback('PreToolUse', { kind: 'refuse', reason: 'No.' })).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'No.' },
  });
});

test('what a summary is to keep is given in the field that the client takes it from', () => {
  expect(renderCallback('PreCompact', { kind: 'inject', context: 'Keep this.' })).toEqual({
    systemMessage: 'Keep this.',
  });
  expect(renderCallback('PreCompact', { kind: 'tell', message: 'for the person' })).toEqual({});
});

test.each(['TeammateIdle', 'TaskCreated'])('%s is refused without an exit code', (event) => {
  const answer = { kind: 'refuse', reason: 'Not yet.' } as const;
  expect(renderCallback(event, answer)).toEqual({ decision: 'block', reason: 'Not yet.' });
});
