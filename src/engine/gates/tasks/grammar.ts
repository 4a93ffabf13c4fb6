import { onlyTrue } from '../../schema/values.ts';
import { gateKind } from '../kind-grammar.ts';

export const tasksGrammar = gateKind({
  kind: 'tasks',
  about: "Claude Code's own task list has no open items.",
  example: 'todo: { tasks: true }',
  what: onlyTrue('todo: { tasks: true }'),
  options: {},
  build: () => ({}),
});
