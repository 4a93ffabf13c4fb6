import { expect, test } from 'vitest';
import { askInLine } from '../../../../src/engine/core/tools/ask-command.ts';

test.each([
  ['untildone ask "Which one?"', { text: 'Which one?', options: [] }],
  [
    "untildone ask 'It is \"odd\"' --option A --option='B b' 2>&1",
    { text: 'It is "odd"', options: ['A', 'B b'] },
  ],
  ['cd /project && npx -y untildone@1.0.0 ask Which one', { text: 'Which one', options: [] }],
  ['untildone ask --decided "the first" "Which?"', { text: 'Which?', options: [], decided: 'the first' }],
  ['untildone ask -- "--what?"', { text: '--what?', options: [] }],
])('%s asks', (line, request) => {
  expect(askInLine(line)).toEqual(request);
});

test.each([
  'echo untildone ask x',
  'untildone ask "$(cat secret)"',
  'untildone ask "$HOME"',
  'untildone ask `id`',
  'untildone ask x; rm -rf build',
  'untildone ask x | tail -1',
  'untildone ask x > out.txt',
  'untildone ask --file q.txt',
  'untildone ask --help',
  'untildone ask x --option',
  './untildone ask x',
  'node evil/untildone ask x',
  'PATH=. untildone ask x',
  'untildone answer x',
])('%s is left to the shell', (line) => {
  expect(askInLine(line)).toBeUndefined();
});
