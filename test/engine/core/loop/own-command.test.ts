import { expect, test } from 'vitest';
import { isOwnCommand } from '../../../../src/engine/core/loop/event.ts';

const typed = (prompt: string) => isOwnCommand({ name: 'UserPromptSubmit', session: 's1', prompt });

test.each([
  '/untildone:approve',
  '/untildone:approve the plan',
  ' /untildone:cancel\nwhy',
  '/untildone:status --all',
  '/cancel-ralph',
  '/ralph-loop:cancel-ralph',
])('%j is no prompt to the agent', (prompt) => {
  expect(typed(prompt)).toBe(true);
});

test.each([
  'go',
  '/untildone:loop Fix it',
  '/untildone:orchestrate',
  '/untildone:',
  '/untildone',
  '/ralph-loop Fix it',
  '/other:approve',
  'Type /untildone:approve',
  '/untildone:approve!',
])('%j is one', (prompt) => {
  expect(typed(prompt)).toBe(false);
});
